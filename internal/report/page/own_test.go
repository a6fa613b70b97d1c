package page

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// logarithmic are parameters on a logarithmic scale over two decades.
func logarithmic(names ...string) (all parameter.Space) {
	for _, n := range names {
		all = append(all, parameter.Parameter{Name: n, Min: new(0.1), Max: new(10.), Log: true})
	}
	return all
}

func coordinatesOf(space parameter.Space) coordinates {
	return coordinates{space: space, start: space.Start()}
}

// By hand: combinations of logarithms are fractions where the ratios are simple.
func TestShown(t *testing.T) {
	logs := coordinatesOf(logarithmic("a", "b", "c", "d"))
	sums := coordinatesOf(parameter.Space{
		{Name: "x", Unit: "m", Min: new(0.), Max: new(1.)}, {Name: "y", Unit: "m", Min: new(0.), Max: new(1.)}, {Name: "z", Min: new(0.), Max: new(1.)},
	})
	for _, c := range []struct {
		in    coordinates
		row   []float64
		words string
		at    float64 // a value of y
		value string
		axis  string
	}{
		{logs, []float64{0.5, 0.5, -0.5, 0.5}, "a·b·d/c", math.Log(10) / 2, "10", "log₁₀(a·b·d/c)"},
		{logs, []float64{-0.5, 0.5, -0.5, -0.5}, "a·c·d/b", -math.Log(10) / 2, "10", "log₁₀(a·c·d/b)"},
		{logs, []float64{0.4, 0.8, 0, -0.4}, "b^2·a/d", 0, "1", "log₁₀(b^2·a/d)"},
		{logs, []float64{0, 0.7, -0.7, 1e-5}, "b/c", 0, "1", "log₁₀(b/c)"},
		{logs, []float64{1, 0, 0, 0}, "a", math.Log(2), "2", "log₁₀ a"},
		{logs, []float64{0.9, 0.31, 0, -0.3}, "a^0.9·b^0.31·d^-0.3", 0, "1", "log₁₀(a^0.9·b^0.31·d^-0.3)"},
		{sums, []float64{-0.8, 0.6, 0}, "0.8·x − 0.6·y", 2, "−2 m", "0.8·x − 0.6·y [m]"},
		{sums, []float64{0.8, 0, -0.6}, "0.8·x − 0.6·z", 2, "2", "0.8·x − 0.6·z"},
	} {
		got := c.in.show(c.row)
		if got.words != c.words || got.value(c.at) != c.value || got.axis() != c.axis {
			t.Errorf("%v: %q, %s, %q, want %q, %s, %q", c.row, got.words, got.value(c.at), got.axis(), c.words, c.value, c.axis)
		}
	}
	many := coordinatesOf(parameter.Plain(12))
	for i := range many.space {
		many.space[i].Min, many.space[i].Max = new(0.), new(1.)
	}
	many.start = many.space.Start()
	if got := many.show(slices.Repeat([]float64{0.25}, 12)).words; !strings.HasSuffix(got, "0.25·x8 … and 4 smaller terms") {
		t.Errorf("%s", got)
	}
}

// A profile of a product of powers goes from left to right.
func TestShownProfile(t *testing.T) {
	s := shown{log: true, power: -0.5}
	p := untwist.Profile{Y: []float64{-2, 0, 1}, Value: []float64{5, 0, 2}, Wells: []untwist.Well{{Y: 0, Value: 0}}}
	got := s.profile(p)
	if !slices.IsSorted(got.Y) || !slices.Equal(got.Value, []float64{2, 0, 5}) || p.Y[0] != -2 {
		t.Errorf("%+v of %+v", got, p)
	}
	if got := (shown{power: -1}).profile(p); !slices.Equal(got.Y, []float64{-1, 0, 2}) || !slices.Equal(got.Value, []float64{2, 0, 5}) {
		t.Errorf("a sum: %+v of %+v", got, p)
	}
}

// structureOf is a structure with these rows that was certified.
func structureOf(t *testing.T, dim int, rows ...float64) *untwist.Structure {
	t.Helper()
	f, err := frame.New(mat.NewDense(len(rows)/dim, dim, rows))
	if err != nil {
		t.Fatal(err)
	}
	s := &untwist.Structure{Dim: dim, Frame: f, Linear: -1, Certificate: certify.Certificate{Verdict: certify.Separable, Splits: 20, Culprit: -1}}
	for j := range f.Components() {
		s.Blocks = append(s.Blocks, []int{j})
	}
	return s
}

// By hand: f depends on a·b and on c/a. So a × 2 goes with b × 0.5 and c × 2, and d does not matter.
func TestTradeOffs(t *testing.T) {
	c := coordinatesOf(logarithmic("a", "b", "c", "d"))
	s := structureOf(t, 4, 1, 1, 0, 0, -1, 0, 1, 0)
	alone, together := c.tradeOffs(s)
	if !slices.Equal(alone, []string{"d"}) || len(together) != 1 {
		t.Fatalf("%q and %q", alone, together)
	}
	for _, want := range []string{"a × 2.51", "b × 0.398", "c × 2.51"} { // a fifth of the range is a factor of 100^(1/5)
		if !strings.Contains(together[0], want) {
			t.Errorf("%s: no %s", together[0], want)
		}
	}
	s.Certificate.Beyond = 0.5 // it does depend on other directions
	if alone, together := c.tradeOffs(s); alone != nil || together != nil {
		t.Errorf("%q and %q", alone, together)
	}
}

// Whatever is moved by a trade-off, no combination changes.
func TestEliminate(t *testing.T) {
	w := mat.NewDense(3, 5, []float64{1, 2, 0, -1, 3, 0, 1, 1, 1, 1, 2, 0, 0, 5, -4})
	a := mat.DenseCopyOf(w)
	pivots := eliminate(a)
	for i, row := range pivots {
		if row >= 0 {
			continue
		}
		v := mat.NewVecDense(5, nil)
		v.SetVec(i, 1)
		for k, r := range pivots {
			if r >= 0 {
				v.SetVec(k, -a.At(r, i))
			}
		}
		var y mat.VecDense
		y.MulVec(w, v)
		if mat.Norm(&y, 2) > 1e-12 {
			t.Errorf("column %d: W·v = %v", i, y.RawVector().Data)
		}
	}
	if n := len(slices.DeleteFunc(pivots, func(r int) bool { return r < 0 })); n != 3 {
		t.Errorf("%d pivots", n)
	}
}

// A combination along which f hardly changes is called flat, and one that matters is not.
func TestFlat(t *testing.T) {
	space := logarithmic("a", "b")
	v := func(rise float64, j int) untwist.Profile {
		return untwist.Profile{Component: j, Y: []float64{-2, -1, 0, 1, 2}, Value: []float64{rise, rise / 4, 0, rise / 4, rise}, Wells: []untwist.Well{{}}}
	}
	p := Page{Parameters: space, Run: report.Run{Subject: report.Subject{Dim: 2}, Result: untwist.Result{
		Account: untwist.Account{Point: []float64{1, 1}, Queries: 9}, Structure: structureOf(t, 2, 1, 0, 0, 1), Profiles: []untwist.Profile{v(1e-3, 0), v(100, 1)},
	}}}
	c := newCoordinates(p)
	if c.all[0].words != "b" || c.flat(c.all[0]) || !c.flat(c.all[1]) {
		t.Errorf("%+v", c.all)
	}
	row := c.rowOf(c.all[0], p.Run.Result.Point)
	// f rises by 1, a hundredth of 100, at 1/25 of the first step: e^±0.04.
	if row.Matters != "yes" || row.Range != "0.961 to 1.04 (1.7 % of its range)" || row.Best != "1" || row.Rise != "100" {
		t.Errorf("%+v", row)
	}
	if row := c.rowOf(c.all[1], p.Run.Result.Point); row.Matters != "flat: hardly at all" || !strings.Contains(row.Range, " % of its range") {
		t.Errorf("%+v", row)
	}
}

// By hand: times are known to 2 %, and failures are counted where they are.
func TestWatch(t *testing.T) {
	space := logarithmic("a", "b")
	w := NewWatch(space)
	for i := range 1000 {
		at := math.Pow(10, -1+float64(i)/500)
		a := objective.Answer{Value: 1, Seconds: float64(i + 1), By: "one"}
		if at > 7 {
			a.Failure = &objective.Failure{Kind: objective.BadExit, Detail: "code 3 at step " + strings.Repeat("1", 1+i%5)}
		}
		w.See(i+1, []float64{at, 1}, a)
	}
	e := w.Evaluations()
	if e.Timed != 1000 || e.Seconds != 500500 || e.Most != 1000 || math.Abs(e.Median/500-1) > 0.02 {
		t.Errorf("%+v", e)
	}
	if len(e.Failures) != 1 || e.Failures[0].Queries != 77 || !e.Failures[0].Varies || e.Failures[0].Number != 924 {
		t.Errorf("%+v", e.Failures)
	}
	if len(e.Regions) != 1 || e.Regions[0].Parameter != 0 || math.Abs(e.Regions[0].Lo-5.62) > 0.01 || e.Regions[0].FailedElse != 0 || e.Regions[0].Failed != 77 {
		t.Errorf("%+v", e.Regions)
	}
	if len(e.Workers) != 1 || e.Workers[0].Queries != 1000 || e.Workers[0].Failed != 77 {
		t.Errorf("%+v", e.Workers)
	}
}

func TestPercent(t *testing.T) {
	for part, want := range map[float64]string{0: "0 %", 1e-7: "less than 0.01 %", 0.0012: "0.12 %", 0.5: "50 %", 0.123456: "12.3 %", 0.99999: "100 %", 1: "100 %", 1.2: "120 %", math.NaN(): "–"} {
		if got := percent(part); got != want {
			t.Errorf("%v: %s, want %s", part, got, want)
		}
	}
	for v, want := range map[float64]string{2e-7: "0.2 µs", 0.0125: "12.5 ms", 3.14159: "3.14 s", 599: "599 s", 6000: "100 min", 1e6: "278 h"} {
		if got := seconds(v); got != want {
			t.Errorf("%v s: %s, want %s", v, got, want)
		}
	}
}

// A parameter near its limit is at it, on the page too.
func TestAtALimit(t *testing.T) {
	p := once().page()
	p.Run.Result.Point = []float64{1, 6 - 7e-6, 3, 0.5}
	b := newBest(p)
	if row := b.Parts[0][1]; row.At != "yes, upper" || !row.Limit || !strings.HasPrefix(b.AtEnd, "1 parameter is at a limit") {
		t.Errorf("%+v %q", row, b.AtEnd)
	}
}

// Products of powers come first on a page, and are called dimensionless groups where units cancel.
func TestGroupsComeFirst(t *testing.T) {
	space := logarithmic("speed", "time", "length")
	for i, unit := range []string{"m/s", "s", "m"} {
		space[i].Unit = unit
	}
	w, err := frame.New(mat.NewDense(2, 3, []float64{-0.9, 0.2, 0.31, -0.5, -0.5, 0.5}))
	if err != nil {
		t.Fatal(err)
	}
	s := &untwist.Structure{Dim: 3, Frame: w, Blocks: [][]int{{0}, {1}}, Linear: -1, Certificate: certify.Certificate{Verdict: certify.Separable, Splits: 10}}
	text := written(t, Page{Run: report.Run{Subject: report.Subject{Dim: 3, Parameters: space}, Result: untwist.Result{
		Account: untwist.Account{Queries: 9, Point: []float64{2, 2, 2}}, Structure: s}}})
	first := strings.Index(text, "speed·<wbr>time/<wbr>length <span class=\"group\">dimensionless group</span>")
	second := strings.Index(text, "speed^0.93·<wbr>")
	if first < 0 || second < first || !strings.Contains(text, "1 combination is a dimensionless group") ||
		!strings.Contains(text, ": speed·time/length and speed^0.93·length^-0.32·time^-0.21 (the first is dimensionless)") {
		t.Errorf("%d %d %s", first, second, text[strings.Index(text, "<main>"):])
	}
}
