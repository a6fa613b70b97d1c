package identify

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// mostGathers is how often the box is drawn together at most: then it is a sixteenth as
// wide, and who still fails there fails by chance.
const mostGathers = 4

// gather asks f at some points of the box and returns the values. Where f fails at most of
// them, beyond a wall perhaps, it draws the box together around the mean of those at which
// f is finite, by half and half again, until f is finite at half of them.
func gather(g *sampler) ([]float64, error) {
	var all []float64
	for gathers := 0; ; {
		values, err := tried(g, samples)
		if err != nil {
			return nil, err
		}
		all = append(all, values...)
		failed := 0
		for _, v := range values {
			if !(v < math.Inf(1)) {
				failed++
			}
		}
		if 2*failed <= samples || gathers == mostGathers || len(all) >= attempts*samples {
			return all, nil
		}
		if len(g.finite) == 0 { // perhaps it is in a corner
			if err := corners(g); err != nil {
				return nil, err
			}
		}
		if n := len(g.finite); n > 0 {
			home := make([]float64, g.f.Dim())
			for _, x := range g.finite {
				kernel.AddScaled(home, 1/float64(n), x)
			}
			g.box, g.inner = towards(home, g.box), towards(home, g.inner)
			gathers++
		}
	}
}

// corners asks f at some points of the whole box, and keeps those at which it is finite.
func corners(g *sampler) error {
	points := make([][]float64, samples)
	values, err := g.ask(samples, func(k int, x []float64) {
		points[k] = g.anywhere()
		copy(x, points[k])
	})
	for k, v := range values {
		if kernel.Finite(v) {
			g.finite = append(g.finite, points[k])
		}
	}
	return err
}

// towards returns a box half as wide, drawn together around a point of it.
func towards(home []float64, box objective.Box) objective.Box {
	half := objective.Cube(len(home), 0, 0)
	for k, c := range home {
		half.Lo[k], half.Hi[k] = c+float64((box.Lo[k]-c)/2), c+float64((box.Hi[k]-c)/2)
	}
	return half
}
