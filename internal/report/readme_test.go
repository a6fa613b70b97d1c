package report

import (
	"bytes"
	"context"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/untwist/untwist"
	given "github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// twisted is the function of README's picture: a sum of two functions of one variable, in skew
// coordinates.
func twisted(x []float64) float64 {
	y1 := float64(0.95*x[0]) + float64(0.31*x[1])
	y2 := float64(-0.55*x[0]) + float64(0.84*x[1])
	return float64(0.25*(y1-1.2)*(y1-1.2)) + float64(3*(1-math.Cos(2.6*(y1-1.2)))) +
		float64(0.3*(y2+0.8)*(y2+0.8)) + float64(2.5*(1-math.Cos(2.2*(y2+0.8))))
}

// The picture of README shows a real run: on the left a function and the two directions that
// were found, on the right the function along each of them.
func TestPictureOfTheReadme(t *testing.T) {
	const path = "../../docs/untwist.svg"
	f := objective.Func(2, twisted)
	r, err := untwist.Minimize(context.Background(), f, untwist.Options{Start: objective.Cube(2, -6, 6), Budget: 2000})
	if err != nil || r.Structure == nil || r.Structure.Frame == nil || len(r.Profiles) != 2 {
		t.Fatalf("the run has found %v, %v", r, err)
	}
	if best := twisted(r.Point); best > 1e-9 {
		t.Errorf("the best value is %v", best)
	}
	drawn := filepath.Join(t.TempDir(), "untwist.svg")
	if err := idea(drawn, r); err != nil {
		t.Fatal(err)
	}
	picture, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if *given.Update {
		if err := os.WriteFile(path, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if committed, err := os.ReadFile(path); err != nil {
		t.Error(err)
	} else if !bytes.Equal(committed, picture) && runtime.GOARCH == "amd64" {
		t.Errorf("%s is another picture; -update writes it anew", path)
	}
}

// idea draws the picture.
func idea(path string, r untwist.Result) error {
	const lo, hi = -6.0, 6.0
	const square, left, gap, top, bottom, panelWide, right, between = 250, 40, 72, 30, 36, 280, 10, 44
	const wide, high = left + square + gap + panelWide + right, top + square + bottom
	ground, err := survey(lo, hi, cellsAcross, func(points *mat.Dense, values []float64) error {
		for i := range values {
			values[i] = twisted(points.RawRowView(i))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return write(path, "A function of two variables, and the same function along the two coordinates that were found", wide, high, func(canvas draw.Canvas) {
		frame := canvas
		frame.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: left + square, Y: bottom + square}}
		ground.draw(frame)
		landscape := Landscape{Title: "what you have: f(x₁, x₂)", Letter: "x", Lo: lo, Hi: hi, Minimiser: [2]float64(r.Point)}
		at := func(x [2]float64) vg.Point {
			return vg.Point{X: frame.X(landscape.part(x[0])), Y: frame.Y(landscape.part(x[1]))}
		}
		along := func(j int, s float64) [2]float64 {
			v := make([]float64, 2)
			r.Structure.Frame.Direction(v, j)
			return [2]float64{r.Point[0] + float64(s*v[0]), r.Point[1] + float64(s*v[1])}
		}
		for j := range 2 {
			sheet{}.stroke(frame, hues[j], 2, [][]vg.Point{{at(along(j, -30)), at(along(j, 30))}})
		}
		landscape.draw(frame, sheet{})
		for j, p := range r.Profiles {
			v := look(p)
			v.title = []string{"what Untwist finds: f along one direction …", "… and along the other"}[j]
			panel := canvas
			const each = (square - between) / 2
			upper := bottom + square - vg.Length(j)*(each+between)
			panel.Rectangle = vg.Rectangle{Min: vg.Point{X: left + square + gap, Y: upper - each}, Max: vg.Point{X: left + square + gap + panelWide, Y: upper}}
			v.draw(panel, 11)
			v.coloured(panel, j)
		}
	})
}

// coloured draws the curve of a view again, in the colour of its direction.
func (v view) coloured(panel draw.Canvas, j int) {
	inner := draw.Crop(panel, 0, 0, 0.4*11, -0.4*11)
	at := func(p plotter.XY) vg.Point {
		return vg.Point{X: inner.X((p.X - v.x0) / (v.x1 - v.x0)), Y: inner.Y((p.Y - v.y0) / (v.y1 - v.y0))}
	}
	var curve []vg.Point
	for _, p := range v.points {
		curve = append(curve, at(p))
	}
	sheet{}.stroke(panel, hues[j], 2.4, [][]vg.Point{curve})
	for i, w := range v.wells {
		if i == 0 {
			sheet{}.star(panel, at(w))
		} else {
			sheet{}.disc(panel, at(w), 3.6, red)
			sheet{}.disc(panel, at(w), 2.6, color.White)
		}
	}
}
