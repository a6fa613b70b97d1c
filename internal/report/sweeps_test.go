package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// someSweeps returns panels with n series each, from 0 on, and two levels.
func someSweeps(panels, n int) (all []Panel) {
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

// someOrdinates are y axes of all kinds.
var someOrdinates = []Ordinate{{Label: "runs that succeed, %", Percent: true}, {Label: "queries", Linear: true}, {Label: "time"}, {Label: "gap", Floor: 0.005}}

// Panels of any number can be drawn, the same each time, and no label meets another.
func TestSweeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sweeps.svg")
	for _, panels := range []int{1, 2, 3, 4, 5} {
		for _, n := range []int{1, 4, 10} {
			for _, y := range someOrdinates {
				var pictures [2][]byte
				for k := range pictures {
					s := Sheet{Title: strings.Repeat("a long title ", 30), X: "size of the error", Y: y, Panels: someSweeps(panels, n), Loose: n == 4}
					if err := Sweeps(path, s); err != nil {
						t.Fatal(err)
					}
					pictures[k], _ = os.ReadFile(path)
				}
				if !bytes.Equal(pictures[0], pictures[1]) || bytes.Contains(pictures[0], []byte("NaN")) || bytes.Contains(pictures[0], []byte("Inf")) {
					t.Errorf("%d panels, %d series: they differ, or are no numbers", panels, n)
				}
				checkLabels(t, fmt.Sprintf("%d panels of %d series, %s", panels, n, y.Label), path, panels*4+n)
			}
		}
	}
}

// A line is one of a picture: its colour, how it is drawn, and from where to where it goes.
type line struct {
	color, width, dashes string
	x0, x1               float64
}

var (
	pathOfLine = regexp.MustCompile(`<path d="([^"]*)" fill="none" stroke="([^"]*)" stroke-width="([^"]*)"(?: stroke-dasharray="([^"]*)")?`)
	stepOfPath = regexp.MustCompile(`([MLHV])([-0-9. ]+)`)
)

// drawnLines returns the lines of a picture.
func drawnLines(t *testing.T, path string) (all []line) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range pathOfLine.FindAllStringSubmatch(string(data), -1) {
		l := line{color: found[2], width: found[3], dashes: found[4], x0: math.Inf(1), x1: math.Inf(-1)}
		for _, step := range stepOfPath.FindAllStringSubmatch(found[1], -1) {
			at := numbers(step[2])
			for k := 0; k < len(at) && step[1] != "V"; k += 2 {
				l.x0, l.x1 = min(l.x0, at[k]), max(l.x1, at[k])
			}
		}
		all = append(all, l)
	}
	return all
}

// styled returns the lines of this width and these dashes.
func styled(lines []line, width, dashes string) (all []line) {
	for _, l := range lines {
		if l.width == width && l.dashes == dashes {
			all = append(all, l)
		}
	}
	return all
}

// No line crosses the dotted line beside 0, in no panel, and none is drawn from one point to
// another if there was a third between them that cannot be drawn.
func TestLinesAreBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	for _, y := range someOrdinates {
		panels := someSweeps(2, 3)
		for k := range panels {
			panels[k].Series = append(panels[k].Series, Series{
				Name: "with a gap", X: []float64{0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1},
				Lower: make([]float64, 7), Median: []float64{1, 2, 3, math.Inf(1), 3, 4, 5}, Upper: slices.Repeat([]float64{9}, 7),
			})
		}
		if err := Sweeps(path, Sheet{Y: y, Panels: panels}); err != nil {
			t.Fatal(err)
		}
		all := drawnLines(t, path)
		breaks, lines := styled(all, "0.5", "1 2"), styled(all, "1.2", "")
		// A panel has three lines of one piece and one of two; the legend has four.
		if len(breaks) != 2 || len(lines) != 2*(3+2)+4 {
			t.Errorf("%s: %d dotted lines and %d others", y.Label, len(breaks), len(lines))
		}
		for _, l := range lines {
			for _, b := range breaks {
				if l.x0 < b.x0 && b.x1 < l.x1 {
					t.Errorf("%s: a line from %g to %g crosses the dotted one at %g", y.Label, l.x0, l.x1, b.x0)
				}
			}
		}
		if err := Sweeps(path, Sheet{Y: y, Panels: panels, Loose: true}); err != nil {
			t.Fatal(err)
		}
		if loose := styled(drawnLines(t, path), "1.2", ""); len(loose) > 0 {
			t.Errorf("%s: %d lines between points that are not joined", y.Label, len(loose))
		}
	}
}

// A name is in the legend if there is a point of it in a panel, and in the order of all.
func TestLegendHasWhatIsDrawn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	series := func(name string, y float64) Series {
		return Series{Name: name, X: []float64{1, 2}, Lower: []float64{1, 1}, Median: []float64{y, y}, Upper: []float64{9, 9}}
	}
	inf := math.Inf(1)
	if err := Sweeps(path, Sheet{Y: Ordinate{Linear: true, None: "nothing here"}, Panels: []Panel{
		{Series: []Series{series("absent", inf), series("late", inf), series("early", 3)}, Levels: []Level{{"no level", inf}, {"level", 2}}},
		{Series: []Series{series("absent", math.NaN()), series("late", 4)}},
		{Series: []Series{series("absent", inf)}},
	}}); err != nil {
		t.Fatal(err)
	}
	all, _, _ := written(t, path)
	var names []string
	for _, l := range all {
		if strings.Trim(l.words, "0123456789.") != "" {
			names = append(names, l.words)
		}
	}
	if want := []string{"nothing here", "late", "early", "level"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// A pen gives a name its colour and its dashes, whatever is drawn beside it.
func TestPens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	pens := map[string]Pen{"method 0, some road": {Hue: 3}, "method 1, some road": {Hue: 3, Dashed: true}, "the best there is": {Hue: 5}, "the worst": {Hue: 6}}
	panels := someSweeps(1, 2)
	for range 2 {
		if err := Sweeps(path, Sheet{Y: Ordinate{Percent: true}, Pen: func(name string) Pen { return pens[name] }, Panels: panels}); err != nil {
			t.Fatal(err)
		}
		all := drawnLines(t, path)
		for _, dashes := range []string{"", "5 2"} { // in the panel and in the legend
			if lines := styled(all, "1.2", dashes); len(lines) != 2 || lines[0].color != "#cc79a7" || lines[1].color != "#cc79a7" {
				t.Errorf("%q: %+v", dashes, lines)
			}
		}
		if levels := styled(all, "1", "1 1.6"); len(levels) != 4 || levels[2].color != "#e69f00" || levels[3].color != "#000000" {
			t.Errorf("%+v", levels)
		}
		slices.Reverse(panels[0].Series)
	}
}

// The title of a panel is above the middle of what is drawn in it.
func TestTitlesAreInTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	for _, y := range someOrdinates {
		if err := Sweeps(path, Sheet{Y: y, Panels: someSweeps(4, 3)}); err != nil {
			t.Fatal(err)
		}
		grid := styled(drawnLines(t, path), "0.4", "") // goes across
		all, _, _ := written(t, path)
		found := 0
		for _, l := range all {
			if strings.HasPrefix(l.words, "problem") && slices.ContainsFunc(grid, func(g line) bool { return math.Abs(g.x0+g.x1-l.x0-l.x1) < 2 }) {
				found++
			}
		}
		if found != 4 {
			t.Errorf("%s: %d titles are in the middle", y.Label, found)
		}
	}
}

// No point is moved aside by more than an eighth of a decade.
func TestAside(t *testing.T) {
	for _, n := range []int{1, 2, 8, 30} {
		b := newBoard(Sheet{Y: Ordinate{Percent: true}, Panels: someSweeps(1, n)})
		for _, decade := range []vg.Length{5, 16, 200} {
			first, last := b.aside(b.names[0], decade), b.aside(b.names[n-1], decade)
			if first != -last || last > decade/8*1.0001 || n > 1 && !(last > 0) {
				t.Errorf("%d series, a decade of %v: from %v to %v", n, decade, first, last)
			}
		}
	}
}

// By hand: a linear axis ends at the first number above all values of its panel, whatever is in
// others; a logarithmic one begins at the floor, which says what lies there.
func TestSpans(t *testing.T) {
	panel := func(values ...float64) Panel {
		return Panel{Series: []Series{{Name: "a", X: []float64{1, 2, 3}[:len(values)], Lower: values, Median: values, Upper: values}}}
	}
	linear := Ordinate{Linear: true}
	for want, p := range map[float64]Panel{100: panel(0.014, 97), 20: panel(15.3), 200: panel(173, math.Inf(1)), 0.2: panel(0.18)} {
		low, high, _ := linear.span(p)
		ticks := linear.ticks(low, high)
		if last := ticks[len(ticks)-1].Value; math.Abs(high/1.03-want) > 1e-9*want || math.Abs(last-want) > 1e-9*want || ticks[0].Label != "0" || low > 0 {
			t.Errorf("from %g to %g, the last mark at %g, want %g", low, high, last, want)
		}
	}
	gap := Ordinate{Floor: 0.005}
	low, high, _ := gap.span(panel(-3, 0.1, 2e5))
	ticks := gap.ticks(low, high)
	last := ticks[len(ticks)-1]
	if !(low < 0.005 && low > 0.003) || !(high > 2e5) || last.Value != 0.005 || last.Label != "≤ 0.005" {
		t.Errorf("from %g to %g, %+v", low, high, last)
	}
	for _, tick := range ticks {
		if tick.Label != "" && tick.Value > 0.005 && tick.Value < 0.02 {
			t.Errorf("%s is too close to the floor", tick.Label)
		}
	}
}

// 0 has a place of its own, to the left of all that is above it.
func TestZeroHasItsPlace(t *testing.T) {
	b := newBoard(Sheet{Y: Ordinate{Percent: true}, Panels: someSweeps(1, 1)})
	if !(b.left < b.zero && b.zero < b.from && b.from < 1e-6) || b.right < 1e-3 || b.right > 0.3 { // what is at 0.3 is no number
		t.Errorf("%+v", b)
	}
	only := Sheet{Panels: []Panel{{Series: []Series{{Name: "a", X: []float64{0}, Lower: []float64{1}, Median: []float64{1}, Upper: []float64{1}}}}}}
	if b := newBoard(only); !(b.left < b.zero && b.zero < b.right) {
		t.Errorf("%+v", b)
	}
	if err := Sweeps(filepath.Join(t.TempDir(), "a.svg"), only); err != nil {
		t.Error(err)
	}
	without := []Panel{{Series: []Series{{Name: "a", X: []float64{2, 3}, Lower: []float64{1, 1}, Median: []float64{1, 2}, Upper: []float64{1, 3}}}}}
	if b := newBoard(Sheet{Panels: without}); b.zero != 0 || !(b.left < 2 && b.right > 3) {
		t.Errorf("%+v", b)
	}
}

// Without a series there is nothing to draw.
func TestNoSweeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	hopeless := []Panel{{Series: []Series{{Name: "a", X: []float64{1}, Lower: []float64{1}, Median: []float64{math.NaN()}, Upper: []float64{2}}}}}
	for _, panels := range [][]Panel{nil, {{Title: "empty"}}, hopeless} {
		if err := Sweeps(path, Sheet{Panels: panels}); err == nil {
			t.Error("nothing was drawn without an error")
		}
	}
}
