package chart

import (
	"bytes"
	"context"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	given "github.com/untwist/untwist/internal/acceptance/flags"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
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
	const path = "../../../docs/untwist.svg"
	f := objective.Func(2, twisted)
	r, err := untwist.Minimize(context.Background(), f, untwist.Options{Start: objective.Cube(2, -6, 6), Budget: 2000})
	if err != nil || r.Structure == nil || r.Structure.Frame == nil || len(r.Profiles) != 2 {
		t.Fatalf("the run has found %v, %v", r, err)
	}
	if best := twisted(r.Point); best > 1e-9 {
		t.Errorf("the best value is %v", best)
	}
	drawn := idea(t, r)
	inOrder(t, drawn)
	picture := []byte(drawn.SVG())
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
func idea(t *testing.T, r untwist.Result) Picture {
	t.Helper()
	of := func(points *mat.Dense, values []float64) error {
		for i := range values {
			values[i] = twisted(points.RawRowView(i))
		}
		return nil
	}
	l := Landscape{Title: "what you have: f(x₁, x₂)", Letter: "x", Lo: -6, Hi: 6, Value: of, Minimiser: [2]float64(r.Point)}
	c, high, err := l.draw()
	if err != nil {
		t.Fatal(err)
	}
	_, left := axis{lo: l.Lo, hi: l.Hi}.left(side)
	frame := box{2 + left, 2 + left + side, 16 + 22, 16 + 22 + side} // of the window, below a title
	x, y := axis{lo: l.Lo, hi: l.Hi, from: frame.x0, to: frame.x1}, axis{lo: l.Lo, hi: l.Hi, from: frame.y1, to: frame.y0}
	for j := range 2 {
		v := make([]float64, 2)
		r.Structure.Frame.Direction(v, j)
		along := func(s float64) [2]float64 {
			return [2]float64{r.Point[0] + float64(s*v[0]), r.Point[1] + float64(s*v[1])}
		}
		from, to := along(-30), along(30)
		c.within(frame, func() {
			c.line("c-curve "+Pen{Hue: j}.line("", 0), point{x.at(from[0]), y.at(from[1])}, point{x.at(to[0]), y.at(to[1])})
		})
	}
	c.star(point{x.at(r.Point[0]), y.at(r.Point[1])})
	var along []Picture
	for j, p := range r.Profiles {
		title := []string{"what Untwist finds: f along one direction …", "… and along the other"}[j]
		picture := Profile(p, title, "position", "")
		picture.body = strings.Replace(picture.body, "c-line", "c-curve "+Pen{Hue: j}.line("", 0), 1)
		along = append(along, picture)
	}
	right := Sheet("", 1, along)
	right.high = max(right.high, high)
	picture := Sheet("", 2, []Picture{c.done(high, ""), right})
	picture.label = "A function of two variables, and the same function along the two coordinates that were found"
	return picture
}
