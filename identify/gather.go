package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// attempts is how often a point at which f is finite is looked for: where half of all
// points fail, one search in a million finds none.
const attempts = 20

// mostGathers is how often the box is drawn together at most: then it is a sixteenth as
// wide, and who still fails there fails by chance.
const mostGathers = 4

// gather asks f at some points of the box and returns the values. Where f fails at most of
// them, beyond a wall perhaps, it draws the box together around the mean of those at which
// f is finite, by half and half again, until f is finite at half of them.
func gather(g *sampler) ([]float64, error) {
	var all []float64
	for gathers := 0; ; {
		values, err := tried(g, g.inner)
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
			if _, err := tried(g, g.box); err != nil {
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

// tried draws so many points of a box, keeps those at which f is finite, and returns the values at all.
func tried(g *sampler, box objective.Box) ([]float64, error) {
	points := make([][]float64, samples)
	values, err := g.ask(samples, func(k int, x []float64) {
		box.Draw(x, g.random)
		points[k] = slices.Clone(x)
	})
	for k, v := range values {
		if kernel.Finite(v) {
			g.finite = append(g.finite, points[k])
		}
	}
	return values, err
}

// towards returns a box half as wide, drawn together around a point of it.
func towards(home []float64, box objective.Box) objective.Box {
	half := objective.Cube(len(home), 0, 0)
	for k, c := range home {
		half.Lo[k], half.Hi[k] = c+float64((box.Lo[k]-c)/2), c+float64((box.Hi[k]-c)/2)
	}
	return half
}
