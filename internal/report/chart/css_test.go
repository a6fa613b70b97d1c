package chart

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// linear returns a colour as light: red, green and blue from 0 to 1.
func linear(t *testing.T, hex string) [3]float64 {
	t.Helper()
	var all [3]float64
	for k := range all {
		if len(hex) != 7 || hex[0] != '#' {
			t.Fatalf("%q is no colour", hex)
		}
		n, err := strconv.ParseUint(hex[1+2*k:3+2*k], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			all[k] = v / 12.92
		} else {
			all[k] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return all
}

// contrast is that of WCAG 2: (L₁ + 0.05)/(L₂ + 0.05), where L is the relative luminance.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light := func(hex string) float64 {
		c := linear(t, hex)
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05
	}
	la, lb := light(a), light(b)
	return max(la, lb) / min(la, lb)
}

// A named palette has its colours by their names.
type named map[string]string

// byName returns both palettes.
func byName() map[string]named {
	light, dark := palettes()
	all := map[string]named{"light": {}, "dark": {}}
	for i := range light {
		all["light"][light[i][0]], all["dark"][dark[i][0]] = light[i][1], dark[i][1]
	}
	return all
}

// several returns the colours of a letter and the numbers from first to last.
func (n named) several(letter string, first, last int) (all []string) {
	for k := first; k <= last; k++ {
		all = append(all, n[fmt.Sprint(letter, k)])
	}
	return all
}

func TestContrast(t *testing.T) {
	if got := contrast(t, "#000000", "#ffffff"); math.Abs(got-21) > 1e-9 {
		t.Fatalf("black on white has a contrast of %v", got)
	}
	if got := contrast(t, "#767676", "#ffffff"); math.Abs(got-4.54) > 0.01 {
		t.Fatalf("grey on white has a contrast of %v", got)
	}
	for name, p := range byName() {
		want := func(what, a, b string, least float64) {
			t.Helper()
			if got := contrast(t, a, b); got < least {
				t.Errorf("%s: %s has a contrast of %.2f, want %v", name, what, got, least)
			}
		}
		for _, paper := range []string{p["paper"], p["odd"]} {
			want("text", p["text"], paper, 4.5)
			want("notes and axes", p["soft"], paper, 4.5)
			want("the number of a well", p["well"], paper, 4.5)
			want("a curve", p["line"], paper, 3)
		}
		for _, c := range p.several("p", 0, hues) {
			want("a number in a part "+c, p["paper"], c, 4.5)
		}
		for k, c := range p.several("g", 1, bands) { // in order of lightness, and all of what moves can be seen there
			if k > 0 && contrast(t, c, p[fmt.Sprint("g", k)]) < 1.07 {
				t.Errorf("%s: the ground %s is not another than %s", name, c, p[fmt.Sprint("g", k)])
			}
			want("a particle on "+c, p["text"], c, 4.5)
		}
		for k, c := range p.several("s", 1, shades) {
			if before := p[fmt.Sprint("s", k)]; contrast(t, c, p["paper"]) < 1.08*contrast(t, before, p["paper"]) {
				t.Errorf("%s: the shade %s is not stronger than %s", name, c, before)
			}
			if k >= shades/2 {
				want("a strong coupling "+c, c, p["paper"], 3)
			}
		}
	}
}

// blind are the colours that people see who lack one kind of receptor completely, after
// Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color
// vision deficiency" (2009): matrices for red, green and blue light.
var blind = map[string][3][3]float64{
	"all":      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no red":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no blue":  {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns a colour as L*, a*, b* of CIE 1976, in which distances are about as they are seen.
func lab(c [3]float64) [3]float64 {
	f := func(v float64) float64 {
		if v > 216./24389 {
			return math.Cbrt(v)
		}
		return (24389./27*v + 16) / 116
	}
	for k := range c {
		c[k] = max(0, min(c[k], 1))
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// Everybody can tell the colours of parts from one another: a distance of 20 is seen at once.
func TestPartsCanBeToldApart(t *testing.T) {
	for name, p := range byName() {
		for who, m := range blind {
			seen := func(hex string) [3]float64 {
				c := linear(t, hex)
				var out [3]float64
				for i := range out {
					out[i] = m[i][0]*c[0] + m[i][1]*c[1] + m[i][2]*c[2]
				}
				return lab(out)
			}
			least := math.Inf(1)
			for i, a := range p.several("p", 0, hues) {
				for _, b := range p.several("p", 0, hues)[:i] {
					u, v := seen(a), seen(b)
					d := math.Sqrt(math.Pow(u[0]-v[0], 2) + math.Pow(u[1]-v[1], 2) + math.Pow(u[2]-v[2], 2))
					if least = min(least, d); d < 20 {
						t.Errorf("%s, receptors: %s: %s and %s are %.1f apart", name, who, a, b, d)
					}
				}
			}
			t.Logf("%s, receptors: %s: %.1f", name, who, least)
		}
	}
}

// Every class that pictures use has a style, and every variable a value in light and dark.
func TestStyleIsComplete(t *testing.T) {
	style := string(CSS())
	light, rest, _ := strings.Cut(style, "@media")
	dark, rules, _ := strings.Cut(rest, "}}")
	for _, v := range regexp.MustCompile(`var\((--chart-[a-z0-9]+)\)`).FindAllStringSubmatch(rules, -1) {
		for name, part := range map[string]string{"light": light, "dark": dark} {
			if !strings.Contains(part, v[1]+":#") {
				t.Errorf("%s has no value when it is %s", v[1], name)
			}
		}
	}
	if strings.ContainsAny(style, "<&") || strings.Contains(style, "url") || strings.Count(style, "{") != strings.Count(style, "}") {
		t.Error("the style is no good")
	}
}
