package report

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lab returns the lightness of a colour, from 0 to 100 (CIE L*), with its other two
// coordinates.
func lab(c [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// lin returns a colour's parts of light, from 0 to 1.
func lin(c color.RGBA) [3]float64 {
	f := func(v uint8) float64 {
		if s := float64(v) / 255; s > 0.04045 {
			return math.Pow((s+0.055)/1.055, 2.4)
		} else {
			return s / 12.92
		}
	}
	return [3]float64{f(c.R), f(c.G), f(c.B)}
}

// The colours of bars have their order in lightness, too, so that they can be printed grey:
// each step in the same direction and large enough to be seen.
func TestColoursOfBarsAreOrdered(t *testing.T) {
	for name, all := range map[string][]color.RGBA{"couplings": shades, "altitude": altitude} {
		sign := math.Copysign(1, lab(lin(all[1]))[0]-lab(lin(all[0]))[0])
		for k := 1; k < len(all); k++ {
			if step := sign * (lab(lin(all[k]))[0] - lab(lin(all[k-1]))[0]); step < 1.5 {
				t.Errorf("%s: step %d is %.1f", name, k, step)
			}
		}
	}
}

// People who lack one kind of cones can tell the lines apart: by colour, or by dashes where
// colours are near each other. The matrices, in linear RGB, are those of Viénot, Brettel and
// Mollon (1999).
func TestLinesCanBeToldApart(t *testing.T) {
	eyes := map[string][3][3]float64{
		"all cones": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"no red":    {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
		"no green":  {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
	}
	for eye, m := range eyes {
		seen := func(c color.RGBA) [3]float64 {
			v, w := lin(c), [3]float64{}
			for i := range w {
				for j := range v {
					w[i] += m[i][j] * v[j]
				}
				w[i] = max(0, min(w[i], 1))
			}
			return lab(w)
		}
		for i := range hues {
			for j := range i {
				a, b := seen(hues[i]), seen(hues[j])
				if far := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); far < 10 || far < 20 && i%len(dashes) == j%len(dashes) {
					t.Errorf("%s: colours %d and %d are %.1f apart", eye, j+1, i+1, far)
				}
			}
		}
	}
}

func TestCut(t *testing.T) {
	style := small(10, draw.XLeft, draw.YTop)
	for _, c := range []struct {
		text string
		wide vg.Length
		want string
	}{
		{"short", 100, "short"},
		{"a name that is long, sigma=2", 80, "a name …igma=2"},
		{"long", 1, "…"},
		{"", 10, ""},
	} {
		got := cut(style, c.text, c.wide)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
