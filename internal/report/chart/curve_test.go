package chart

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func sampled(n int, lo, hi float64, f func(x float64) float64) []point {
	points := make([]point, n)
	for i := range points {
		x := lo + (hi-lo)*float64(i)/float64(n-1)
		points[i] = point{x, f(x)}
	}
	return points
}

func parabola(x float64) float64 { return x * x }

// All of a parabola is seen, wherever its minimum is; of a wall only the foot; and points
// crowded in a well, as a search leaves them, change nothing.
func TestTop(t *testing.T) {
	for _, lo := range []float64{-1, -0.7, -0.4, 0} {
		all := sampled(101, lo, 1, parabola)
		if got := top(all); got < 0.999 || got > 1 {
			t.Errorf("the parabola from %g ends at %g", lo, got)
		}
		for k := range 400 {
			x := 1e-4 * float64(k)
			all = append(all, point{x, parabola(x)})
		}
		slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(a.x, b.x) })
		if got := top(all); got < 0.999 || got > 1 {
			t.Errorf("the parabola from %g with a crowd ends at %g", lo, got)
		}
	}
	wall := sampled(101, 0, 1, func(x float64) float64 { return x + math.Exp(300*(x-0.9)) })
	if got := top(wall); got < 1 || got > 5 {
		t.Errorf("the wall ends at %g", got)
	}
	if got := top([]point{{1, 7}}); got != 7 {
		t.Errorf("a point ends at %g", got)
	}
}

// Of a curve with twenty wells each is kept, however many points there are.
func TestThinningKeepsWells(t *testing.T) {
	minima := func(p []point) (all []point) {
		for k := 1; k+1 < len(p); k++ {
			if p[k].y < p[k-1].y && p[k].y < p[k+1].y {
				all = append(all, p[k])
			}
		}
		return all
	}
	for _, n := range []int{240, 241, 1000, 20001} {
		points := sampled(n, -10, 10, func(x float64) float64 { return parabola(x-0.123) + 50 - 50*math.Cos(2*math.Pi*(x-0.123)) })
		kept := thinned(points)
		if len(kept) > mostPoints || kept[0] != points[0] || kept[len(kept)-1] != points[n-1] {
			t.Errorf("%d of %d are kept, from %v to %v", len(kept), n, kept[0], kept[len(kept)-1])
		}
		if got, want := minima(kept), minima(points); !slices.Equal(got, want) {
			t.Errorf("of %d: wells %v, want %v", n, got, want)
		}
	}
}

// Of many profiles those are drawn along which f varies most, in their order.
func TestProfiles(t *testing.T) {
	all := make([]untwist.Profile, 500)
	for j := range all {
		all[j].Component = j
		for _, p := range sampled(50, -5, 5, parabola) {
			all[j].Y, all[j].Value = append(all[j].Y, p.x), append(all[j].Value, float64(1+j)*p.y)
		}
		all[j].Value[j%50] = math.NaN()
	}
	for _, n := range []int{1, 3, 30, 100} {
		inOrder(t, Profiles(all[:n]))
	}
	d := inOrder(t, Profiles(all))[0]
	wantTexts(t, d, "f along the 100 of 500 components along which it varies most", "component 401", "component 500")
	if slices.Contains(texts(d), "component 400") {
		t.Error("component 400 is drawn")
	}
}

func marks(all []tick) string {
	var labels []string
	for _, t := range all {
		if t.label != "" {
			labels = append(labels, t.label)
		}
	}
	return strings.Join(labels, " ")
}

// By hand: the numbers beside axes.
func TestMarks(t *testing.T) {
	for _, c := range []struct {
		lo, hi, step float64
		scale        Scale
		want         string
	}{
		{0, 1, 0, Linear, "0 0.2 0.4 0.6 0.8 1"}, {0.5, 3.5, 1, Linear, "1 2 3"}, {0.5, 1.5, 1, Linear, "1"},
		{0.5, 10000.5, 1, Linear, "2,000 4,000 6,000 8,000 10,000"}, {-12, 32, 0, Linear, "−10 0 10 20 30"},
		{0, 3e7, 0, Linear, "0 5×10⁶ 10⁷ 1.5×10⁷ 2×10⁷ 2.5×10⁷ 3×10⁷"},
		{1, 41784, 0, Logarithmic, "1 10 100 1,000 10,000"}, {2.1, 19, 0, Logarithmic, "5 10"}, {200, 2000, 0, Logarithmic, "200 500 1,000 2,000"},
	} {
		if got := marks(axis{lo: c.lo, hi: c.hi, step: c.step, scale: c.scale}.ticks(8)); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-290, 280).Draw(t, "log lo"))
		hi := lo * math.Pow(10, rapid.Float64Range(math.Log10(9), 9).Draw(t, "decades"))
		for _, scale := range []Scale{Linear, Logarithmic} {
			all := axis{lo: lo, hi: hi, scale: scale}.ticks(10)
			if n := len(strings.Fields(marks(all))); n < 2 || n > 11 {
				t.Errorf("from %g to %g: %d numbers", lo, hi, n)
			}
			for _, tick := range all {
				if tick.value < 0.99*lo || tick.value > 1.01*hi {
					t.Errorf("from %g to %g: a mark at %g", lo, hi, tick.value)
				}
			}
		}
	})
}

// The median is that of all entries sorted.
func TestMedianOfCouplings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{2, 3, 10, 51} {
		c := mat.NewDense(m, m, nil)
		var all []float64
		for i := range m {
			for j := range m {
				c.Set(i, j, math.Pow(10, math.Round(40*random.Float64())/4-8)*float64(random.IntN(3)))
				if i != j {
					all = append(all, c.At(i, j))
				}
			}
		}
		slices.Sort(all)
		if got := median(c, m); got != all[len(all)/2] {
			t.Errorf("%d rows: %g, want %g", m, got, all[len(all)/2])
		}
	}
}

// A file has its own style, with all colours that it needs for light and dark and no variables,
// and only SVG can be written.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	picture := Spectrum("x", []float64{1, 0.1})
	if err := picture.Save(filepath.Join(dir, "a.svg")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "a.svg"))
	if err != nil {
		t.Fatal(err)
	}
	light, dark, found := strings.Cut(string(text), "@media screen and (prefers-color-scheme:dark){")
	if !found || strings.Contains(string(text), "var(") || !strings.Contains(light, ".c-line{stroke:#005a9c") || !strings.Contains(dark, ".c-line{stroke:#6cb8f0") ||
		strings.Contains(light, ".c-star") || !strings.Contains(dark, `<rect class="c-paper"`) {
		t.Errorf("%s", text)
	}
	for _, name := range []string{"a.png", "a.pdf", "a"} {
		if err := picture.Save(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "pictures are written as SVG") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}
