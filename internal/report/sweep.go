package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A Series says how a quantity depends on X, which is above 0 and ascends: the quartiles over
// several runs at each X.
type Series struct {
	Name                 string
	X                    []float64
	Lower, Median, Upper []float64
}

// Sweep draws series together: the medians as points joined by lines, and the range between
// the quartiles as a shade. x is on a logarithmic scale. So is y if no median is below 0;
// values below floor are then drawn at floor. Values that are not finite are left out.
func Sweep(path, title, x, y string, all []Series, floor float64) error {
	p := chart(title, x, y)
	p.Add(levels())
	var lines []plot.Plotter
	var key legend
	raised := positive(all)
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, s := range all {
		s = s.above(floor, raised)
		if len(s.X) == 0 {
			continue
		}
		shade, line, dots, err := s.draw(i)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		p.Add(shade)
		lines = append(lines, line, dots)
		key.add(s.Name, line.LineStyle)
		left, right = min(left, s.X[0]), max(right, s.X[len(s.X)-1])
		low, high = min(low, slices.Min(s.Lower)), max(high, slices.Max(s.Upper))
	}
	if len(lines) == 0 {
		return errors.New("report: there is no series to draw")
	}
	p.Add(lines...)
	logarithmic(&p.X)
	p.X.Min, p.X.Max = left/1.3, max(right, 2*left)*1.3
	if raised {
		logarithmic(&p.Y)
		p.Y.Min, p.Y.Max = low/1.5, max(high, 10*low)*1.5
	} else {
		room := max(high-low, 1e-9*(1+math.Abs(high))) / 20
		p.Y.Min, p.Y.Max = low-room, high+room
	}
	return key.write(path, title, p)
}

// positive reports whether no finite median is below 0.
func positive(all []Series) bool {
	for _, s := range all {
		for _, v := range s.Median {
			if finite(v) && v < 0 {
				return false
			}
		}
	}
	return true
}

// above returns the points of a series at which all quartiles are finite; with raised, none
// is below the floor.
func (s Series) above(floor float64, raised bool) Series {
	out := Series{Name: s.Name}
	for i, x := range s.X {
		l, m, u := s.Lower[i], s.Median[i], s.Upper[i]
		if !finite(l) || !finite(m) || !finite(u) || !(x > 0) {
			continue
		}
		if raised {
			l, m, u = max(l, floor), max(m, floor), max(u, floor)
		}
		out.X = append(out.X, x)
		out.Lower, out.Median, out.Upper = append(out.Lower, l), append(out.Median, m), append(out.Upper, u)
	}
	return out
}

// points joins X and values.
func (s Series) points(values []float64) plotter.XYs {
	out := make(plotter.XYs, len(s.X))
	for i, x := range s.X {
		out[i] = plotter.XY{X: x, Y: values[i]}
	}
	return out
}

// draw returns what is drawn for the i-th series: the area between the quartiles, the line of
// the medians, and its dots.
func (s Series) draw(i int) (*plotter.Polygon, *plotter.Line, *plotter.Scatter, error) {
	back := s.points(s.Upper)
	slices.Reverse(back)
	shade, err1 := plotter.NewPolygon(append(s.points(s.Lower), back...))
	line, err2 := plotter.NewLine(s.points(s.Median))
	dots, err3 := plotter.NewScatter(s.points(s.Median))
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, nil, err
	}
	hue := hues[i%len(hues)]
	shade.Color, shade.LineStyle.Width = color.NRGBA{hue.R, hue.G, hue.B, 30}, 0
	line.LineStyle = stroke(i, 1.2)
	dots.Shape, dots.Radius, dots.Color = draw.CircleGlyph{}, 1.8, hue
	return shade, line, dots, nil
}
