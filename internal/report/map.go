package report

import (
	"errors"
	"fmt"

	"github.com/untwist/untwist/identify"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// mapPoints is how many points of an outer map are drawn.
const mapPoints = 200

// OuterMap draws f against the sum that is inside an outer map, over the values between which
// the map was found. The sum is known up to a constant and a factor: it is drawn from 0 to 1.
func OuterMap(path string, m identify.Map) error {
	lo, hi := m.Range()
	least, most := m.Of(lo), m.Of(hi)
	if !(most > least) || !finite(most-least) {
		return errors.New("report: a map that does not rise cannot be drawn")
	}
	points := make(plotter.XYs, mapPoints)
	for k := range points {
		x := float64(k) / (mapPoints - 1)
		points[k] = plotter.XY{X: x, Y: m.Inverse(least + float64(x*(most-least)))}
	}
	title := "outer map: " + m.Name()
	p := chart(title, "sum of the components, from its least to its largest value", "f")
	linear(&p.X)
	linear(&p.Y)
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	line.Color, line.Width = ink, vg.Points(1.5)
	p.Add(levels(), line)
	return save(path, title, []figure{p}, []vg.Length{width})
}
