package report

import (
	"errors"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Course says how several runs of one method went: the quartiles of their least values
// so far. Each holds from a number of queries on; these numbers ascend.
type Course struct {
	Name                 string
	Queries              []float64
	Lower, Median, Upper []float64
}

// Race draws courses together, on logarithmic scales: the medians as lines, and the range
// between the quartiles as a shade. A dashed line is at the goal, the value at which runs
// may stop. Values below a fifth of the goal are drawn at a fifth. The axis of queries
// begins at from.
func Race(path, title, axis string, courses []Course, goal, from float64) error {
	return race(path, title, axis, courses, goal, from, logarithmic)
}

// RaceLinear is Race with queries on a linear scale, which begins at 0.
func RaceLinear(path, title, axis string, courses []Course, goal float64) error {
	return race(path, title, axis, courses, goal, 0, linear)
}

func race(path, title, axis string, courses []Course, goal, from float64, scale func(*plot.Axis)) error {
	p := chart(title, "queries", axis)
	floor, top, last := max(goal/5, 1e-300), min(goal, 1e300), max(1, 9*from)
	p.Add(levels())
	var lines []plot.Plotter
	var key legend
	for i, c := range courses {
		median, upper := c.stairs(c.Median, from, floor), c.stairs(c.Upper, from, floor)
		if len(median) == 0 {
			continue
		}
		shade, line, end, err := c.draw(i, from, floor)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		p.Add(shade)
		lines = append(lines, line, end)
		key.add(c.Name, line.LineStyle)
		top, last = max(top, median[0].Y), max(last, median[len(median)-1].X)
		if len(upper) > 0 {
			top = max(top, upper[0].Y)
		}
	}
	if len(lines) == 0 {
		return errors.New("report: there is no course to draw")
	}
	aim, err := plotter.NewLine(plotter.XYs{{X: from, Y: max(goal, floor)}, {X: last, Y: max(goal, floor)}})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	aim.Color, aim.Width, aim.Dashes = color.Gray{100}, 0.6, []vg.Length{2, 2}
	p.Add(append(lines, aim)...)
	scale(&p.X)
	logarithmic(&p.Y)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = from, last, floor/1.3, max(min(10*floor, 1e301), 2*top)
	return key.write(path, title, p)
}

// stairs returns the corners of one of the quartiles: nothing before a number of queries,
// and nothing below the floor.
func (c Course) stairs(values []float64, from, floor float64) plotter.XYs {
	var best plotter.XYs
	for i, v := range values {
		if !finite(v) {
			continue
		}
		at := plotter.XY{X: max(from, c.Queries[i]), Y: min(max(v, floor), 1e300)}
		if n := len(best); n > 0 && best[n-1].X == at.X {
			best = best[:n-1]
		}
		best = append(best, at)
	}
	if len(best) == 0 {
		return nil
	}
	return stairs(best)
}

// draw returns what is drawn for the i-th course: the area between the quartiles, the
// median, and a dot at its end.
func (c Course) draw(i int, from, floor float64) (*plotter.Polygon, *plotter.Line, *plotter.Scatter, error) {
	outline, upper := c.stairs(c.Lower, from, floor), c.stairs(c.Upper, from, floor)
	slices.Reverse(upper)
	median := c.stairs(c.Median, from, floor)
	shade, err1 := plotter.NewPolygon(append(outline, upper...))
	line, err2 := plotter.NewLine(median)
	end, err3 := plotter.NewScatter(median[len(median)-1:])
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, nil, err
	}
	hue := hues[i%len(hues)]
	shade.Color, shade.LineStyle.Width = color.NRGBA{hue.R, hue.G, hue.B, 40}, 0
	line.LineStyle = stroke(i, 1.2)
	end.Shape, end.Radius, end.Color = draw.CircleGlyph{}, 2, hue
	return shade, line, end, nil
}
