package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func samples(values ...float64) []objective.Sample {
	var all []objective.Sample
	for i, v := range values {
		all = append(all, objective.Sample{Queries: i + 1, Value: v})
	}
	return all
}

// The scale of the values is logarithmic where they span decades above 0. Otherwise it is
// linear, and ends where the end of the run can be seen.
func TestHeights(t *testing.T) {
	for _, c := range []struct {
		values []float64
		scale  Scale
		lo, hi float64
	}{
		{[]float64{1000, 10, 1}, Logarithmic, 0.5, 2000},
		{[]float64{1000, 10, 0}, Logarithmic, 0.5, 2000}, // 0 is at 1
		{[]float64{5, 4, 1}, Linear, 0.8, 5.2},
		{[]float64{5, 4, -1}, Linear, -1.3, 5.3},
		{[]float64{1e6, 9, 4, 1, 0, -1}, Linear, -1.5, 9.5},
		{[]float64{-1e6, -9, -4, -1, 0, 1}, Linear, -9.5, 1.5}, {[]float64{1, 4, 5}, Linear, 0.8, 5.2}, // f is maximised
		{[]float64{3, 9, 5}, Linear, 2.7, 9.3}, // limits come first
		{[]float64{7, 7}, Linear, 3.15, 10.85}, {[]float64{0}, Linear, -0.55, 0.55}, {[]float64{-3}, Linear, -4.65, -1.35},
	} {
		got := heights(finites(samples(c.values...)))
		if got.scale != c.scale || math.Abs(got.lo-c.lo) > 1e-9 || math.Abs(got.hi-c.hi) > 1e-9 {
			t.Errorf("%v: %+v, want from %v to %v", c.values, got, c.lo, c.hi)
		}
	}
	if got := finites(samples(math.Inf(1), 5, math.NaN(), 7, 3)); !slices.Equal(got, []point{{2, 5}, {4, 7}, {5, 3}}) {
		t.Errorf("the values are %v", got)
	}
}

// Of a million samples no jump is lost: every column ends at the height of its last sample.
func TestJumpsAreKept(t *testing.T) {
	var curve []objective.Sample
	v := 1000.
	for q := 1; q <= 1_000_000; q++ {
		if q%170_001 == 0 {
			v /= 10
		}
		curve = append(curve, objective.Sample{Queries: q, Value: v})
	}
	x := axis{lo: 0, hi: 1e6, from: 0, to: 300}
	y := axis{lo: 1e-4, hi: 1e4, scale: Logarithmic, from: 80, to: 0}
	got := stairs(finites(curve), x, y)
	if want := "M0 10H51V20H102V30H153V40H204V50H255V60H300"; joined(got) != want {
		t.Errorf("the path is %s, want %s", joined(got), want)
	}
	if one := joined(stairs([]point{{5, 1}}, x, y)); one != "M0 40" {
		t.Errorf("one point is %s", one)
	}
	y.hi = 50 // the curve begins above
	if got := joined(stairs([]point{{1, 1000}, {1e5, 100}, {5e5, 10}, {1e6, 1}}, x, y)); !strings.HasPrefix(got, "M150 0V") {
		t.Errorf("the curve from above is %s", got)
	}
	y = axis{lo: 1, hi: 50, from: 80, to: 0} // it begins below
	if got := joined(stairs([]point{{1, -1000}, {1e5, -100}, {5e5, 10}, {1e6, 20}}, x, y)); !strings.HasPrefix(got, "M150 80V") {
		t.Errorf("the curve from below is %s", got)
	}
}

// A picture of a run has the numbers of the run and the names of its stages.
func TestConvergence(t *testing.T) {
	stages := []untwist.Stage{{Stage: objective.Stage{Name: "look"}, Queries: 100}, {Stage: objective.Stage{Name: "hessians"}, Queries: 700}, {Stage: objective.Stage{Name: "hessians"}, Queries: 100}, {Stage: objective.Stage{Name: "lines"}, Queries: 100}}
	var curve []objective.Sample
	for q := 1; q <= 1000; q += 9 {
		curve = append(curve, objective.Sample{Queries: q, Value: 5000 / float64(q*q)})
	}
	for _, scale := range []Scale{Linear, Logarithmic} {
		d := inOrder(t, Convergence(curve, stages, scale, "cost (€)"))[0]
		wantTexts(t, d, "cost (€)", "queries", "look", "how the function curves", "along each combination", "1,000")
		if !slices.ContainsFunc(texts(d), func(s string) bool { return strings.HasSuffix(s, "0.005") }) {
			t.Errorf("the last value is not among %q", texts(d))
		}
		if want := "cost (€) against queries: 5,000 after 1 query, 0.005 after 1,000 queries"; d.spoken != want {
			t.Errorf("it says %q, want %q", d.spoken, want)
		}
		if !slices.Contains(d.titles, "how the function curves: 800 queries") {
			t.Errorf("the titles are %q", d.titles)
		}
	}
	d := inOrder(t, Convergence(samples(1e6, 9, 4, 1, 0, -1), nil, Linear, "f"))[0]
	wantTexts(t, d, "begins at 10⁶, ends at −1")
	d = inOrder(t, Convergence(samples(100.0000001, 100), nil, Linear, "f"))[0]
	wantTexts(t, d, "f minus 100", "0", "2×10⁻⁸", "10⁻⁷", "ends at 100")
	d = inOrder(t, Convergence(samples(math.NaN(), math.Inf(1)), nil, Linear, "f"))[0]
	wantTexts(t, d, "No query has given a finite value yet.")
}

// Names of stages that do not fit are joined, but not lost: the first and the last are said.
func TestManyStages(t *testing.T) {
	var stages []untwist.Stage
	for k := range 40 {
		stages = append(stages, untwist.Stage{Stage: objective.Stage{Name: fmt.Sprint("stage", k)}, Queries: 1 + k})
	}
	d := inOrder(t, Convergence(samples(3, 2, 1), stages, Linear, "f"))[0]
	all := strings.Join(texts(d), " ")
	if !strings.Contains(all, "stage0 … ") || !strings.Contains(all, " stage39") {
		t.Errorf("the names are %q", texts(d))
	}
	sum := 0
	for _, title := range d.titles {
		n := 0
		if _, words, found := strings.Cut(title, ": "); found {
			fmt.Sscan(words, &n)
			sum += n
		}
	}
	if sum != 820 {
		t.Errorf("the stages of %q have %d queries, want 820", d.titles, sum)
	}
}

func TestSpectrum(t *testing.T) {
	d := inOrder(t, Spectrum("|eigenvalue|", []float64{100, 1, 0.01, 0}))[0]
	wantTexts(t, d, "|eigenvalue|", "number, the largest first", "1", "2", "3", "4", "10⁻¹²")
	if !slices.Equal(d.titles, []string{"1: 100", "2: 1", "3: 0.01", "4: 0"}) {
		t.Errorf("the titles are %q", d.titles)
	}
	wantTexts(t, inOrder(t, Spectrum("x", []float64{1, 100}))[0], "number")
	wantTexts(t, inOrder(t, Spectrum("x", []float64{0, math.NaN()}))[0], "There is no value above 0.")
}

// The deepest well has a dot, and the three deepest have numbers.
func TestProfile(t *testing.T) {
	p := untwist.Profile{Component: 2, Open: true}
	for i := range 2001 {
		y := -5 + float64(i)/200
		p.Y, p.Value = append(p.Y, y), append(p.Value, y*y+10-10*math.Cos(2*math.Pi*y))
	}
	for _, y := range []float64{0, -1, 1, 2, -2} {
		p.Wells = append(p.Wells, untwist.Well{Y: y, Value: y * y})
	}
	picture := Profile(p, "component 3", "0.7 a − 0.7 b", "f (kW)")
	d := inOrder(t, picture)[0]
	wantTexts(t, d, "component 3", "0.7 a − 0.7 b", "f (kW)", "1", "2", "3")
	if slices.Contains(texts(d), "5") || strings.Count(picture.body, "c-ring") != 4 || strings.Count(picture.body, "c-well") != 1 {
		t.Errorf("the wells are wrong: %s", picture.body)
	}
	if !slices.Contains(d.titles, "the deepest well: 0 at 0") || !slices.Contains(d.titles, "well 2: 1 at −1") {
		t.Errorf("the titles are %q", d.titles)
	}
	if want := "component 3: along 0.7 a − 0.7 b from −5 to 5; 5 wells, the deepest at 0 with value 0; still falling at an end"; d.spoken != want {
		t.Errorf("it says %q, want %q", d.spoken, want)
	}
}

// A curve that rises above the plot is cut where it does, and comes back where it does.
func TestPolyline(t *testing.T) {
	x, y := axis{hi: 4, to: 40}, axis{hi: 10, from: 100}
	if got := polyline([]point{{0, 0}, {1, 20}, {2, 20}, {3, 0}, {4, 5}}, x, y); got != "M0 100L5 0M25 0L30 100L40 50" {
		t.Errorf("the path is %s", got)
	}
}

// The largest bars come first, components count from 1, and those left out are counted.
func TestBars(t *testing.T) {
	bars := []Bar{{"small", []Part{{0, 0.1}}, 0}, {"large", []Part{{0, 0.4}, {11, 0.2}}, 0.05}, {"odd", []Part{{1, math.NaN()}, {2, -1}}, math.Inf(1)}}
	d := inOrder(t, Bars(bars, "share", "combination"))[0]
	want := []string{"share", "combination", "1", "12", "large", "60 ± 5 %", "1", "12", "small", "10 %", "1", "odd", "0 %"}
	if got := texts(d); !slices.Equal(got, want) {
		t.Errorf("the texts are %q, want %q", got, want)
	}
	if !slices.Contains(d.titles, "large, combination 12: 20 %") {
		t.Errorf("the titles are %q", d.titles)
	}
	wantTexts(t, inOrder(t, Bars(bars, "share", "block"))[0], "block")
	for share, want := range map[float64]string{0: "0", 1e-6: "less than 0.01", 0.0012: "0.12", 0.7138: "71.4", 0.9996: "100", 1.3: "130"} {
		if got := words.Percent(share); got != want {
			t.Errorf("%v is %s %%, want %s %%", share, got, want)
		}
	}
	many := make([]Bar, 1234)
	for i := range many {
		many[i] = Bar{Name: fmt.Sprint("p", i), Parts: []Part{{i, 1 / float64(i+1)}, {0, 0.001}}}
	}
	d = inOrder(t, Bars(many, "share", "combination"))[0]
	wantTexts(t, d, "p0", "p29", "and 1,204 more, each at most 3.3 %", "others")
	if slices.Contains(texts(d), "p30") {
		t.Error("the 31st is drawn")
	}
}

// Components are in the order of their blocks and count from 1; blocks of several have frames.
func TestCouplings(t *testing.T) {
	before, after := mat.NewDense(3, 3, nil), mat.NewDense(4, 4, nil)
	before.Set(0, 1, 1)
	after.Set(0, 2, 1)
	after.Set(2, 0, 1)
	all := inOrder(t, Couplings(before, after, [][]int{{0, 2}, {1}, {3}}, []string{"pressure", "k", "n"})...)
	if len(all) != 3 {
		t.Fatalf("there are %d pictures", len(all))
	}
	wantTexts(t, all[0], "before (median 0)", "parameter", "pressure", "k", "n")
	wantTexts(t, all[1], "after (median 0)", "combination, block by block")
	wantTexts(t, all[2], "10⁻⁸", "10⁻²", "1")
	var rows []string
	for _, l := range all[1].labels {
		if len(l.text) == 1 && l.y1 < 250 {
			rows = append(rows, l.text)
		}
	}
	if !slices.Equal(rows, []string{"1", "3", "2", "4"}) {
		t.Errorf("the rows are %q", rows)
	}
	wantTexts(t, inOrder(t, Couplings(before, nil, nil, []string{"a", "b", "c", "d", "e"})...)[0], "direction")
	if one := inOrder(t, Couplings(nil, after, nil, nil)...); len(one) != 2 {
		t.Errorf("there are %d pictures", len(one))
	}
	wantTexts(t, inOrder(t, Couplings(nil, nil, nil, nil)...)[0], "No couplings were measured.")
}

// A cell shows the strongest of its entries, and the diagonal is blank.
func TestPooled(t *testing.T) {
	c := mat.NewDense(120, 120, nil)
	for i := range 120 {
		c.Set(i, i, 1)
	}
	c.Set(0, 3, 1e-7)
	c.Set(1, 2, -0.5) // the same cell
	c.Set(118, 7, math.NaN())
	got := pooled(c, ranks.First(120))
	if len(got) != mostCells || got[0][1] != shade(0.5) || got[0][0] != 0 || got[59][3] != 0 {
		t.Errorf("%v", got)
	}
	for v, want := range map[float64]int{0: 0, 1e-9: 0, 2e-8: 1, 0.09: 7, 0.11: 8, 1: 8, 5: 8, math.NaN(): 0, math.Inf(1): 8} {
		if got := shade(v); got != want {
			t.Errorf("the shade of %v is %d, want %d", v, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, s := range []string{"", "i", "word", strings.Repeat("M", 100), strings.Repeat("日本", 50), strings.Repeat("a b ", 40)} {
		for _, room := range []float64{0, 5, 20, 100, 300} {
			got := cut(s, room)
			if widthOf(got) > room || got != s && widthOf(s) <= room || got != s && got != "" && !strings.HasSuffix(got, "…") {
				t.Errorf("%q in %v is %q", s, room, got)
			}
		}
	}
	if got := clean(" a\tb\x00\u202ec\xff "); got != "a bc\ufffd" {
		t.Errorf("it is %q", got)
	}
}

func BenchmarkConvergence(b *testing.B) {
	var curve []objective.Sample
	for q := 1.; q < 5e6; q *= 1.122 {
		curve = append(curve, objective.Sample{Queries: int(q), Value: 1e6 / q})
	}
	for _, n := range []int{0, 9, 300} {
		var stages []untwist.Stage
		for k := range n {
			name := strings.Fields("look slope hessians scales certificate lines polish wells restart")[k%9]
			stages = append(stages, untwist.Stage{Stage: objective.Stage{Name: name}, Queries: 5_000_000 / n})
		}
		for scale, name := range []string{"linear", "logarithmic"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Convergence(curve, stages, Scale(scale), "best value")
				}
			})
		}
	}
}

// Cells of a picture of interactions are pairs, in the order of groups.
func TestInteractions(t *testing.T) {
	order, blocks := grouped(6, [][]int{{1, 4}, {0, 2, 5}})
	if !slices.Equal(order, []int{0, 2, 5, 1, 4, 3}) || len(blocks[0]) != 3 {
		t.Errorf("order %v, blocks %v", order, blocks)
	}
	all := touching(order, blocks, nil)
	some := touching(order, blocks, [][2]int{{0, 2}, {1, 4}})
	for i := range order {
		for j := range order {
			if want := i != j && (i < 3 && j < 3 || i >= 3 && j >= 3 && i < 5 && j < 5); (all[i][j] > 0) != want {
				t.Errorf("cell %d, %d is %d", i, j, all[i][j])
			}
			if want := i+j == 1 || i != j && i+j == 7 && i < 5 && j < 5; (some[i][j] > 0) != want {
				t.Errorf("with pairs: cell %d, %d is %d", i, j, some[i][j])
			}
		}
	}
	names := []string{"one", "two", "three", "four", "five", "six"}
	svg := Interactions(6, [][]int{{1, 4}, {0, 2, 5}}, nil, false, names).SVG()
	if !(strings.Index(svg, ">one<") < strings.Index(svg, ">three<") && strings.Index(svg, ">five<") < strings.Index(svg, ">four<")) || !strings.Contains(svg, "c-block") {
		t.Error(svg)
	}
	if svg := Interactions(2000, [][]int{ranks.First(1000)}, nil, true, nil).SVG(); !strings.Contains(svg, "a cell is for 34 × 34 pairs") {
		t.Error(svg)
	}
	if svg := Interactions(3, nil, nil, false, nil).SVG(); !strings.Contains(svg, "No two parameters interact.") {
		t.Error(svg)
	}
}

// No line that leads up to a name crosses another name.
func TestNamesOfStagesAreNotCrossed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		queries := rapid.SliceOfN(rapid.IntRange(1, 20_000), 1, 12).Draw(rt, "queries")
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"descent", "descent and cmaes", "noise", "hessians", "lines", "polish"}), 12, 12).Draw(rt, "names")
		var stages []untwist.Stage
		for k, n := range queries {
			stages = append(stages, untwist.Stage{Stage: objective.Stage{Name: names[k]}, Queries: n})
		}
		bands := ended(stages)
		x := axis{hi: bands[len(bands)-1].to, from: 40, to: 350}
		bands, rows := arrange(bands, x)
		for j, b := range bands {
			left, right := b.span(x)
			for i, other := range bands {
				if at := x.up(other.to); i != j && rows[i] >= rows[j] && left < at && at < right {
					rt.Fatalf("the line of %q at %v crosses %q, from %v to %v", other.name(), at, b.name(), left, right)
				}
			}
		}
	})
}
