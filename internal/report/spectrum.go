package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"github.com/untwist/untwist/identify"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mostDots is how many values have a dot each. More are drawn as a line alone.
const mostDots = 200

// Spectrum draws values, which must descend, on a logarithmic scale against their
// number. Values below 1e-16 of the largest are drawn at that height.
func Spectrum(path, title, axis string, values []float64) error {
	if len(values) == 0 || !(values[0] > 0) || math.IsInf(values[0], 0) {
		return errors.New("report: a spectrum without a largest value above 0 cannot be drawn")
	}
	points := make(plotter.XYs, len(values))
	for i, v := range values {
		points[i] = plotter.XY{X: float64(i + 1), Y: max(v, 1e-16*values[0])}
	}
	p := chart(title, "number", axis)
	whole(&p.X)
	logarithmic(&p.Y)
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	line.Color = color.Gray{160}
	dots.Shape, dots.Radius, dots.Color = draw.CircleGlyph{}, vg.Points(2), ink
	p.Add(levels(), line)
	if len(values) <= mostDots {
		p.Add(dots)
	} else {
		line.Color = ink
	}
	p.X.Min, p.X.Max = 0.5, float64(len(values))+0.5
	p.Y.Min, p.Y.Max = points[len(points)-1].Y/3, points[0].Y*3 // never an empty range
	return save(path, title, []figure{p}, []vg.Length{width})
}

// spectrumAxis returns the label for the numbers of a spectrum.
func spectrumAxis(kind identify.Kind) string {
	if kind == identify.SingularValues {
		return "singular value"
	}
	return "|eigenvalue|"
}
