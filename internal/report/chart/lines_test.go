package chart

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	given "github.com/untwist/untwist/internal/acceptance/flags"
)

// some returns panels with n series each, from 0 on, and two levels.
func some(panels, n int) (all []Panel) {
	for k := range panels {
		p := Panel{Title: fmt.Sprintf("problem %d", k), Levels: []Level{{"the best there is", 90}, {"the worst", 0}}}
		for i := range n {
			p.Series = append(p.Series, Series{
				Name: fmt.Sprintf("method %d, some road", i), X: []float64{0, 1e-6, 1e-3, 0.3},
				Lower: []float64{60, 50, 0, 0}, Median: []float64{90, 70, 20, math.NaN()}, Upper: []float64{100, 90, math.Inf(1), math.Inf(1)},
			})
		}
		all = append(all, p)
	}
	return all
}

// ordinates are y axes of all kinds.
var ordinates = []Axis{{Label: "runs that succeed, %", Hi: 100}, {Label: "queries"}, {Label: "time", Scale: Logarithmic}, {Label: "gap", Scale: Logarithmic, Floor: 0.005}}

// over is a logarithmic x axis.
var over = Axis{Label: "size of the error", Scale: Logarithmic}

// Panels of any number can be drawn, the same each time, and no label meets another.
func TestLines(t *testing.T) {
	for _, panels := range given.Sample([]int{1, 2, 3, 4, 5}, 2) {
		for _, n := range []int{1, 4, 10, 30} {
			for _, y := range ordinates {
				l := Lines{Title: strings.Repeat("a long title ", 30), X: over, Y: y, Panels: some(panels, n), Bars: n != 10, Loose: n == 4}
				picture := l.Draw()
				if picture != l.Draw() {
					t.Errorf("%d panels, %d series: they differ", panels, n)
				}
				d := inOrder(t, picture)[0]
				wantTexts(t, d, y.Label, over.Label, "problem 0", fmt.Sprintf("method %d, some road", n-1), "0")
				if len(d.labels) < panels*6+n {
					t.Errorf("%d panels, %d series: %d texts", panels, n, len(d.labels))
				}
			}
		}
	}
}

// A curve is a line of a picture: its classes, and from where to where it goes.
type curve struct {
	class  string
	x0, x1 float64
}

// curves returns the lines of a picture that have a class.
func curves(p Picture, class string) (all []curve) {
	for _, found := range regexp.MustCompile(`<path class="([^"]*)" d="([^"]*)"`).FindAllStringSubmatch(p.body, -1) {
		if !slices.Contains(strings.Fields(found[1]), class) {
			continue
		}
		c := curve{found[1], math.Inf(1), math.Inf(-1)}
		for _, step := range regexp.MustCompile(`[MLH](-?[0-9.]+)`).FindAllStringSubmatch(found[2], -1) {
			at := numbersOf(step[1])[0]
			c.x0, c.x1 = min(c.x0, at), max(c.x1, at)
		}
		all = append(all, c)
	}
	return all
}

// No line crosses the dotted line beside 0, and none is drawn from one point to another if
// there was a third between them that cannot be drawn.
func TestLinesAreBroken(t *testing.T) {
	for _, y := range ordinates {
		panels := some(1, 3)
		panels[0].Levels = nil
		panels[0].Series = append(panels[0].Series, Series{
			Name: "with a gap", X: []float64{0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1},
			Lower: make([]float64, 7), Median: []float64{1, 2, 3, math.Inf(1), 3, 4, 5}, Upper: slices.Repeat([]float64{9}, 7),
		})
		l := Lines{X: over, Y: y, Panels: panels, Bars: true}
		picture := l.Draw()
		breaks, lines := curves(picture, "c-stage"), curves(picture, "c-curve")
		// A panel has three lines of one piece and one of two; the legend has four.
		if len(breaks) != 1 || len(lines) != 3+2+4 {
			t.Errorf("%s: %d dotted lines and %d others", y.Label, len(breaks), len(lines))
		}
		for _, c := range lines[:5] {
			if c.x0 < breaks[0].x0 && breaks[0].x1 < c.x1 {
				t.Errorf("%s: a line from %g to %g crosses the dotted one at %g", y.Label, c.x0, c.x1, breaks[0].x0)
			}
		}
		l.Loose = true
		if loose := curves(l.Draw(), "c-curve"); len(loose) > 0 {
			t.Errorf("%s: %d lines between points that are not joined", y.Label, len(loose))
		}
	}
}

// A name is in the legend if there is a point of it in a panel, and in the order of all.
func TestLegendHasWhatIsDrawn(t *testing.T) {
	series := func(name string, y float64) Series {
		return Series{Name: name, X: []float64{1, 2}, Lower: []float64{1, 1}, Median: []float64{y, y}, Upper: []float64{9, 9}}
	}
	inf := math.Inf(1)
	d := inOrder(t, Lines{X: Axis{Scale: Logarithmic}, None: "nothing here", Panels: []Panel{
		{Series: []Series{series("absent", inf), series("late", inf), series("early", 3)}, Levels: []Level{{"no level", inf}, {"level", 2}}},
		{Series: []Series{series("absent", math.NaN()), series("late", 4)}},
		{Series: []Series{series("absent", inf)}},
	}}.Draw())[0]
	names := slices.DeleteFunc(texts(d), func(s string) bool { return strings.Trim(s, "0123456789.") == "" })
	if want := []string{"nothing here", "late", "early", "level"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// A pen gives a name its colour and its dashes, whatever is drawn beside it.
func TestPens(t *testing.T) {
	pens := map[string]Pen{"method 0, some road": {Hue: 3}, "method 1, some road": {Hue: 3, Dash: 1}, "the best there is": {Hue: 5}, "the worst": {Hue: 6}}
	panels := some(1, 2)
	for range 2 {
		picture := Lines{X: over, Y: Axis{Hi: 100}, Pen: func(name string) Pen { return pens[name] }, Panels: panels}.Draw()
		for class, want := range map[string]int{"c-curve c-l4": 2, "c-curve c-l4 c-d1": 2, "c-curve c-l6 c-d5": 2, "c-curve c-l0 c-d5": 2} { // in the panel and in the legend
			if got := strings.Count(picture.body, `"`+class+`"`); got != want {
				t.Errorf("%q is there %d times, want %d", class, got, want)
			}
		}
		slices.Reverse(panels[0].Series)
	}
	seen := map[Pen]bool{}
	for k := range (hues + 1) * dashes {
		seen[Pen{Pen{Hue: k}.hue(), k % dashes}] = true
	}
	if len(seen) != 35 {
		t.Errorf("%d pens differ", len(seen))
	}
}

// No point is moved aside by more than an eighth of a decade.
func TestAside(t *testing.T) {
	for _, n := range []int{1, 2, 8, 30} {
		b := newBoard(Lines{X: over, Bars: true, Panels: some(1, n)})
		for _, decade := range []float64{5, 16, 200} {
			x := axis{lo: 1, hi: 10, scale: Logarithmic, to: decade}
			first, last := b.aside(b.names[0], x), b.aside(b.names[n-1], x)
			if first != -last || last > decade/8*1.0001 || n > 1 && !(last > 0) {
				t.Errorf("%d series, a decade of %v: from %v to %v", n, decade, first, last)
			}
		}
	}
}

// By hand: a linear axis begins at 0 or at the least value; a logarithmic one begins at the
// floor, which says what lies there, and no number comes close to it.
func TestOrdinates(t *testing.T) {
	panel := func(values ...float64) Panel {
		return Panel{Series: []Series{{Name: "a", X: []float64{1, 2, 3}[:len(values)], Lower: values, Median: values, Upper: values}}}
	}
	for _, c := range []struct {
		p      Panel
		lo, hi float64
	}{{panel(0.014, 100), 0, 105}, {panel(-10, 10), -10, 11}, {panel(173, math.Inf(1)), 0, 181.65}} {
		if y, _ := (Lines{}).ordinate(c.p); math.Abs(y.lo-c.lo) > 1e-9 || math.Abs(y.hi-c.hi) > 1e-9 {
			t.Errorf("from %g to %g, want %g to %g", y.lo, y.hi, c.lo, c.hi)
		}
	}
	y, _ := Lines{Y: Axis{Scale: Logarithmic, Floor: 0.005}}.ordinate(panel(-3, 0.1, 2e5))
	ticks := y.ticks(9)
	if !(y.lo < 0.005 && y.lo > 0.003) || !(y.hi > 2e5) || ticks[0] != (tick{0.005, "≤ 0.005"}) || y.up(-3) != y.at(0.005) {
		t.Errorf("from %g to %g, %+v", y.lo, y.hi, ticks[0])
	}
	for _, tick := range ticks[1:] {
		if tick.label != "" && tick.value < 0.02 {
			t.Errorf("%s is too close to the floor", tick.label)
		}
	}
}

// 0 has a place of its own, to the left of all that is above it.
func TestZeroHasItsPlace(t *testing.T) {
	if x := newBoard(Lines{X: over, Panels: some(1, 1)}).x; !(x.lo < x.zero && x.zero < x.first && x.first < 1e-6) || x.hi < 1e-3 || x.hi > 0.3 { // what is at 0.3 is no number
		t.Errorf("%+v", x)
	}
	one := Lines{X: over, Panels: []Panel{{Series: []Series{{Name: "a", X: []float64{0}, Median: []float64{1}}}}}}
	if x := newBoard(one).x; !(x.lo < x.zero && x.zero < x.hi) {
		t.Errorf("%+v", x)
	}
	inOrder(t, one.Draw())
	one.Panels[0].Series[0].X[0] = 2
	if x := newBoard(one).x; x.zero != 0 || !(x.lo < 2 && x.hi > 2) {
		t.Errorf("%+v", x)
	}
}

// race draws steps towards a goal.
func race(all []Series, goal float64, queries Scale) Picture {
	return Lines{
		Title: "title", X: Axis{Label: "queries", Scale: queries, Lo: 10 * float64(queries)}, Y: Axis{Label: "gap", Scale: Logarithmic, Floor: max(goal/5, 1e-300)},
		Panels: []Panel{{Series: all, Levels: []Level{{Value: goal}}}}, Steps: true,
	}.Draw()
}

// Courses of any kind can be drawn, on both scales. What is above all is cut off, and what is
// below a fifth of the goal is drawn there.
func TestRace(t *testing.T) {
	inf := math.Inf(1)
	usual := Series{Name: "usual", X: []float64{1, 10, 1e6}, Lower: []float64{5, 4, 0}, Median: []float64{6, 5, 1e-3}, Upper: []float64{inf, 6, 1}}
	hopeless := Series{Name: "hopeless", X: []float64{1}, Lower: []float64{inf}, Median: []float64{inf}, Upper: []float64{inf}}
	partly := Series{Name: "partly", X: []float64{1, 2}, Lower: []float64{3, 3}, Median: []float64{4, 4}, Upper: []float64{inf, inf}}
	short := Series{Name: "short", X: []float64{1}, Lower: []float64{-1}, Median: []float64{-1}, Upper: []float64{1e308}}
	var many []Series
	for i := range 30 {
		s := usual
		s.Name = fmt.Sprintf("method %d with a long name, sigma=0.25", i)
		many = append(many, s)
	}
	for _, all := range [][]Series{{usual, partly}, {usual, hopeless, short}, {short}, many} {
		for _, scale := range []Scale{Linear, Logarithmic} {
			picture := race(all, 0.005, scale)
			d := inOrder(t, picture)[0]
			wantTexts(t, d, "title", "gap", "queries", "≤ 0.001", all[0].Name)
			if len(curves(picture, "c-goal")) != 1 || slices.Contains(texts(d), "hopeless") {
				t.Errorf("%q", texts(d))
			}
		}
	}
	for _, goal := range []float64{5e-324, 1.7e308} {
		inOrder(t, race([]Series{usual}, goal, Logarithmic))
	}
	wantTexts(t, inOrder(t, race([]Series{hopeless}, 0.005, Linear))[0], "There is nothing to draw.")
}

// At the end of a budget is a cross, and what is beyond is thin.
func TestEnds(t *testing.T) {
	for _, n := range []int{1, 12, 30} {
		var all []Series
		for i := range n {
			s := Series{Name: fmt.Sprintf("method %d with a long name, sigma=0.25, particles=100", i+1), End: 1000 + float64(100*i)}
			for k := range 60 {
				s.X, s.Median = append(s.X, math.Pow(1.25, float64(k))*float64(1+i%4)/4), append(s.Median, math.Min(1, float64(k*(1+i%5))/250))
			}
			all = append(all, s)
		}
		picture := Lines{Title: strings.Repeat("a long title ", 20), X: over, Y: Axis{Label: "share", Hi: 1}, Steps: true, Panels: []Panel{{Series: all}}}.Draw()
		wantTexts(t, inOrder(t, picture)[0], "share", all[0].Name, "0.2", "1")
		// Each has a line, a cross and a sample in the legend, and a thin line.
		if thin, others := curves(picture, "c-thin"), curves(picture, "c-curve"); len(thin) != n || len(others) != 3*n {
			t.Errorf("%d series: %d thin lines and %d others", n, len(thin), len(others))
		}
	}
}

// Between the quartiles is a shade, where there are several points.
func TestShades(t *testing.T) {
	usual := Series{Name: "usual", X: []float64{1e-8, 1e-4, 1}, Lower: []float64{5, 4, 0}, Median: []float64{6, 5, 1e-3}, Upper: []float64{7, 6, 1}}
	below := Series{Name: "below", X: []float64{1e-8, 1}, Lower: []float64{-3, -1}, Median: []float64{-2, -1}, Upper: []float64{-1, 0}}
	single := Series{Name: "single", X: []float64{1e-3}, Lower: []float64{0}, Median: []float64{0}, Upper: []float64{0}}
	for i, all := range [][]Series{{usual}, {usual, below}, {single}, {usual, single}} {
		picture := Lines{Title: "title", X: over, Y: Axis{Label: "gap"}, Panels: []Panel{{Series: all}}}.Draw()
		wantTexts(t, inOrder(t, picture)[0], over.Label, "gap", all[0].Name)
		if bands, want := curves(picture, "c-band"), []int{1, 2, 0, 1}[i]; len(bands) != want {
			t.Errorf("%d: %d shades", i, len(bands))
		}
	}
}
