package identify

import "github.com/untwist/untwist/internal/kernel"

// draw draws a point.
func (g *sampler) draw() []float64 {
	x := make([]float64, g.f.Dim())
	g.inner.Draw(x, g.random)
	return x
}

// attempts is how often a point at which f is finite is looked for: where half of all
// points fail, one search in a million finds none.
const attempts = 20

// ahead is how many points are tried at once at least, so that a survey seldom waits for
// them: with those of the unit they are as many as most surveys need.
const ahead = 2 * samples

// points draws n points at which f is finite. Each costs a query, which is little where
// thousands depend on it. Points are tried ahead of their use, and each is used once.
func (g *sampler) points(n int) ([][]float64, error) {
	for failed := 0; len(g.finite) < n; {
		before := len(g.finite)
		more := max(ahead, n-before)
		if _, err := tried(g, more); err != nil {
			return nil, err
		}
		if failed += more; len(g.finite) > before {
			failed = 0
		}
		if failed >= attempts {
			return nil, ErrNotFinite
		}
	}
	points := g.finite[:n:n]
	g.finite = g.finite[n:]
	return points, nil
}

// point draws a point at which f is finite.
func (g *sampler) point() ([]float64, error) {
	points, err := g.points(1)
	if err != nil {
		return nil, err
	}
	return points[0], nil
}

// tried draws n points, keeps those at which f is finite, and returns the values at all.
func tried(g *sampler, n int) ([]float64, error) {
	points := make([][]float64, n)
	for k := range points {
		points[k] = g.draw()
	}
	values, err := g.ask(n, func(k int, x []float64) { copy(x, points[k]) })
	if err != nil {
		return nil, err
	}
	for k, v := range values {
		if kernel.Finite(v) {
			g.finite = append(g.finite, points[k])
		}
	}
	return values, nil
}
