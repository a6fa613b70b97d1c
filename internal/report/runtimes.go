package report

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Distribution says which share of all (problem, target) pairs a method had solved after
// how many queries. Share[i] holds from Queries[i] on; both ascend.
type Distribution struct {
	Name    string
	Queries []float64 // divided by the dimension
	Share   []float64 // from 0 to 1
	End     float64   // where the budget ends, marked by a cross; what is beyond is simulated; 0: no mark
}

// Runtimes draws empirical runtime distributions together, as COCO does: the share of solved
// pairs over queries divided by the dimension, on a logarithmic scale. Beyond a cross, where
// the budget of a method ends, its line is thin. The names are to the right, those with the
// largest share at the top, and thin lines lead to them.
func Runtimes(path, title string, all []Distribution) error {
	if len(all) == 0 {
		return errors.New("report: there is no distribution to draw")
	}
	for _, d := range all {
		if err := d.check(); err != nil {
			return err
		}
	}
	p := chart(title, "queries / dimension", "share of pairs solved")
	logarithmic(&p.X)
	p.X.Min, p.X.Max = reach(all)
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Tick.Marker = plot.ConstantTicks(tenths)
	grid := levels()
	grid.Vertical = grid.Horizontal
	p.Add(grid)
	var names legend
	for i, d := range all {
		p.Add(ascent{d, stroke(i, 1.3)})
		names.add(d.Name, stroke(i, 0.6))
		names.lead(d.final())
	}
	return names.write(path, title, p)
}

// tenths are the marks of an axis from 0 to 1.
var tenths = []plot.Tick{
	{Value: 0, Label: "0"}, {Value: 0.1}, {Value: 0.2, Label: "0.2"}, {Value: 0.3}, {Value: 0.4, Label: "0.4"}, {Value: 0.5},
	{Value: 0.6, Label: "0.6"}, {Value: 0.7}, {Value: 0.8, Label: "0.8"}, {Value: 0.9}, {Value: 1, Label: "1"},
}

// check says what is wrong with a distribution.
func (d Distribution) check() error {
	if len(d.Queries) != len(d.Share) {
		return fmt.Errorf("report: the distribution of %q has %d numbers of queries and %d shares", d.Name, len(d.Queries), len(d.Share))
	}
	if !finite(d.End) || d.End < 0 {
		return fmt.Errorf("report: the distribution of %q ends at %v", d.Name, d.End)
	}
	for i, q := range d.Queries {
		if s := d.Share[i]; !finite(q) || q < 0 || !(s >= 0 && s <= 1) {
			return fmt.Errorf("report: the distribution of %q has the share %v at %v queries", d.Name, s, q)
		}
	}
	if !slices.IsSorted(d.Queries) || !slices.IsSorted(d.Share) {
		return fmt.Errorf("report: the distribution of %q does not ascend", d.Name)
	}
	return nil
}

// final is the share at the end.
func (d Distribution) final() float64 {
	if len(d.Share) == 0 {
		return 0
	}
	return d.Share[len(d.Share)-1]
}

// at is the share after x queries.
func (d Distribution) at(x float64) float64 {
	i, found := slices.BinarySearch(d.Queries, x)
	for found && i < len(d.Queries) && d.Queries[i] == x {
		i++
	}
	if i == 0 {
		return 0
	}
	return d.Share[i-1]
}

// reach returns the ends of the axis of queries: a factor of ten apart at least, and six
// decades before the end at most.
func reach(all []Distribution) (from, to float64) {
	var seen []float64
	for _, d := range all {
		seen = append(append(seen, d.Queries...), d.End)
	}
	seen = slices.DeleteFunc(seen, func(q float64) bool { return q <= 0 })
	if len(seen) == 0 {
		return 1, 10
	}
	from, to = slices.Min(seen), min(slices.Max(seen), 1e300)
	return max(min(from, to/10), to/1e6, 1e-300), to
}

// An ascent draws a distribution as a line with steps.
type ascent struct {
	Distribution
	line draw.LineStyle
}

// Plot draws the line: up to the end of the budget, the cross there, and the rest thinly.
func (a ascent) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	corner := func(q float64) plotter.XY { return plotter.XY{X: q, Y: a.at(q)} }
	sure, beyond := plotter.XYs{corner(p.X.Min)}, plotter.XYs(nil)
	end := p.X.Max
	if a.End > 0 {
		end = max(p.X.Min, a.End)
		beyond = plotter.XYs{corner(end)}
	}
	for _, q := range a.Queries {
		if q > p.X.Min && q <= end {
			sure = append(sure, corner(q))
		} else if q > end {
			beyond = append(beyond, corner(q))
		}
	}
	sure = append(sure, corner(end))
	thin := a.line
	thin.Width /= 2
	stroked := func(style draw.LineStyle, steps plotter.XYs) {
		line := make([]vg.Point, 0, 2*len(steps))
		for _, s := range stairs(steps) {
			line = append(line, vg.Point{X: x(s.X), Y: y(s.Y)})
		}
		canvas.StrokeLines(style, line)
	}
	if len(beyond) > 0 {
		stroked(thin, append(beyond, corner(p.X.Max)))
	}
	stroked(a.line, sure)
	if a.End > 0 {
		const arm = 3
		cross := draw.LineStyle{Color: a.line.Color, Width: a.line.Width}
		at := vg.Point{X: x(end), Y: y(a.at(end))}
		canvas.StrokeLine2(cross, at.X-arm, at.Y-arm, at.X+arm, at.Y+arm)
		canvas.StrokeLine2(cross, at.X-arm, at.Y+arm, at.X+arm, at.Y-arm)
	}
}
