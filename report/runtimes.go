package report

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
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
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "queries / dimension", "share of pairs solved"
	logarithmic(&p.X, "%g")
	p.X.Min, p.X.Max = reach(all)
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Tick.Marker = plot.ConstantTicks(tenths)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	names := margined{width: 3.4 * vg.Centimeter}
	for i, d := range all {
		p.Add(ascent{d, stroke(i, 1.3)})
		names.add(d.Name, d.final(), stroke(i, 0.6))
	}
	return names.write(path, p)
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
		cross := draw.GlyphStyle{Color: a.line.Color, Radius: 3, Shape: draw.CrossGlyph{}}
		canvas.DrawGlyphNoClip(cross, vg.Point{X: x(end), Y: y(a.at(end))})
	}
}

// margined is the margin to the right of a plot, with a name for the end of each line.
type margined struct {
	width vg.Length
	names []named
}

// A named has the name of a line, and how high on the y axis the line ends.
type named struct {
	name string
	end  float64
	line draw.LineStyle
}

func (m *margined) add(name string, end float64, line draw.LineStyle) {
	m.names = append(m.names, named{name, end, line})
}

// lead is the height of a name, and leader is the room for the lines that lead to names.
const lead, leader = vg.Length(11), vg.Length(24)

// write draws the plot and its margin. The picture grows with the number of names.
func (m *margined) write(path string, p *plot.Plot) error {
	slices.SortStableFunc(m.names, func(a, b named) int { return cmp.Compare(b.end, a.end) })
	style := small(8, draw.XLeft, draw.YCenter)
	style.Color = color.Black
	high := max(height, lead*vg.Length(len(m.names)+1)+1.5*vg.Centimeter)
	return write(path, width+m.width, high, func(canvas draw.Canvas) {
		body := draw.Crop(canvas, margin, -m.width, margin, -margin)
		p.Draw(body)
		data := p.DataCanvas(body)
		_, y := p.Transforms(&data)
		wanted := make([]vg.Length, len(m.names))
		for k, n := range m.names {
			wanted[k] = y(n.end)
		}
		for k, at := range spread(wanted, lead, data.Min.Y, canvas.Max.Y-margin-lead) {
			n, left := m.names[k], data.Max.X+leader
			canvas.StrokeLine2(n.line, data.Max.X, wanted[k], left-2*beside, at)
			canvas.FillText(style, vg.Point{X: left, Y: at}, cut(style, n.name, canvas.Max.X-margin-left))
		}
	})
}

// spread moves heights, which descend, as little as possible, by the sum of squares, so
// that they are a gap apart and between lo and hi. Where there is no room for all, they
// go beyond lo.
func spread(wanted []vg.Length, gap, lo, hi vg.Length) []vg.Length {
	// Without the gaps, z_k = wanted_k + k·gap must descend: the means of the stretches
	// that do not (pool adjacent violators).
	type pool struct {
		sum vg.Length
		n   int
	}
	mean := func(p pool) vg.Length { return p.sum / vg.Length(p.n) }
	var pools []pool
	for k, w := range wanted {
		pools = append(pools, pool{w + vg.Length(k)*gap, 1})
		for n := len(pools); n > 1 && mean(pools[n-2]) < mean(pools[n-1]); n-- {
			pools[n-2].sum += pools[n-1].sum
			pools[n-2].n += pools[n-1].n
			pools = pools[:n-1]
		}
	}
	lowest := lo + vg.Length(len(wanted)-1)*gap
	var placed []vg.Length
	for _, p := range pools {
		z := min(max(mean(p), lowest), hi)
		for range p.n {
			placed = append(placed, z-vg.Length(len(placed))*gap)
		}
	}
	return placed
}
