package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// By hand: one in the middle of three that want the same place stays, its neighbours move;
// what is far away stays; near an end all move.
func TestSpread(t *testing.T) {
	for _, c := range []struct{ wanted, want []vg.Length }{
		{nil, nil},
		{[]vg.Length{50}, []vg.Length{50}},
		{[]vg.Length{50, 50, 50, 10}, []vg.Length{60, 50, 40, 10}},
		{[]vg.Length{100, 100}, []vg.Length{100, 90}},
		{[]vg.Length{0, 0}, []vg.Length{10, 0}},
		{[]vg.Length{54, 50, 46}, []vg.Length{60, 50, 40}},
	} {
		if got := spread(c.wanted, 10, 0, 100); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.wanted, got, c.want)
		}
	}
}

// Wherever they want to be, there is a gap between any two, and no other place that keeps
// the gaps is nearer by small steps.
func TestSpreadIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wanted := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) vg.Length {
			return vg.Length(rapid.Float64Range(0, 100).Draw(t, "at"))
		}), 1, 10).Draw(t, "wanted")
		slices.Sort(wanted)
		slices.Reverse(wanted)
		got := spread(wanted, 10, 0, 100)
		far := func(at []vg.Length) (sum float64) {
			for k := range at {
				sum += float64((at[k] - wanted[k]) * (at[k] - wanted[k]))
			}
			return sum
		}
		fits := func(at []vg.Length) bool {
			for k := range at {
				if at[k] < -1e-9 || at[k] > 100+1e-9 || k > 0 && at[k-1]-at[k] < 10-1e-9 {
					return false
				}
			}
			return true
		}
		if !fits(got) {
			t.Fatalf("%v do not fit: %v", wanted, got)
		}
		for i := range got {
			for j := i; j < len(got); j++ {
				for _, step := range []vg.Length{-0.1, 0.1} {
					other := slices.Clone(got)
					for k := i; k <= j; k++ {
						other[k] += step
					}
					if fits(other) && far(other) < far(got)-1e-9 {
						t.Fatalf("%v: %v is nearer than %v", wanted, other, got)
					}
				}
			}
		}
	})
}

// By hand: a share holds from its number of queries on.
func TestShareAt(t *testing.T) {
	d := Distribution{Queries: []float64{2, 5, 5, 9}, Share: []float64{0.1, 0.2, 0.3, 0.4}}
	for x, want := range map[float64]float64{1: 0, 2: 0.1, 4: 0.1, 5: 0.3, 8: 0.3, 9: 0.4, 100: 0.4} {
		if got := d.at(x); got != want {
			t.Errorf("at %g: %g, want %g", x, got, want)
		}
	}
	if from, to := reach([]Distribution{d}); from != 0.9 || to != 9 {
		t.Errorf("from %g to %g", from, to)
	}
	if from, to := reach([]Distribution{{}}); from != 1 || to != 10 {
		t.Errorf("from %g to %g", from, to)
	}
}

// methods makes distributions that end at many shares, several of them at the same.
func methods(n int) []Distribution {
	all := make([]Distribution, n)
	for i := range all {
		d := Distribution{Name: fmt.Sprintf("method %d with a long name, sigma=0.25, particles=100", i+1), End: 1000 + float64(100*i)}
		for k := range 60 {
			d.Queries = append(d.Queries, math.Pow(1.25, float64(k))*float64(1+i%4)/4)
			d.Share = append(d.Share, math.Min(1, float64(k*(1+i%5))/250))
		}
		all[i] = d
	}
	return all
}

func TestRuntimes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.svg")
	nothing := Distribution{Name: "nothing"}
	early := Distribution{Name: "early", Queries: []float64{0, 0.5}, Share: []float64{0.5, 1}, End: 0.1}
	for _, all := range [][]Distribution{methods(1), methods(12), methods(30), {nothing}, {early}, append(methods(2), nothing, early)} {
		if err := Runtimes(path, "title", all); err != nil {
			t.Fatal(err)
		}
		picture, _ := os.ReadFile(path)
		if len(picture) < 1000 || len(picture) > 1<<20 || bytes.Contains(picture, []byte("NaN")) || bytes.Contains(picture, []byte("Inf")) {
			t.Errorf("%d methods: %d bytes, or no numbers", len(all), len(picture))
		}
	}
	os.Remove(path)
	for name, d := range map[string]Distribution{
		"length":    {Queries: []float64{1}},
		"share":     {Queries: []float64{1}, Share: []float64{1.5}},
		"nan":       {Queries: []float64{1}, Share: []float64{math.NaN()}},
		"queries":   {Queries: []float64{-1}, Share: []float64{1}},
		"descends":  {Queries: []float64{1, 2}, Share: []float64{1, 0.5}},
		"backwards": {Queries: []float64{2, 1}, Share: []float64{0, 0.5}},
		"end":       {End: math.Inf(1)},
	} {
		if err := Runtimes(path, "title", []Distribution{d}); err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
	if err := Runtimes(path, "title", nil); err == nil {
		t.Error("nothing was drawn without an error")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
}
