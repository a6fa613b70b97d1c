package several

import (
	"math"
	"slices"
)

// sums minimises a function that is a sum over the coordinates under one linear equation,
//
//	f(z) = Σ_i f_i(z_i),  Σ_i a_i·z_i = e,
//
// without a query for most of the search. A grid with a common spacing g in the u_i = |a_i|·z_i is laid
// such that its points keep to the equation. The values at random points of it give the f_i at all nodes,
// but for what the equation hides, by least squares; between nodes they are interpolated, with their kinks.
// The sum of these is minimised on a finer grid by dynamic programming, and f is asked at what comes of it.
// That is repeated on grids nearer to the best point, as far as the budget allows.
//
// Where f turns out to be no such sum, this has cost few queries. It is tried only where nothing else is
// limited, and the bounds are finite.
func (l *limits) sums() error {
	g, ok := l.newGrid()
	if !ok {
		return nil
	}
	l.task.Stage(bySum)
	ok, err := g.separates()
	for ok && err == nil && g.nodes() > 0 && !g.exhausted() {
		if ok, err = g.learn(); err != nil || !ok {
			return err
		}
		z := g.minimise()
		if _, err = l.evaluate([][]float64{l.space.inner(z)}); err == nil {
			g.closer(l.space.outer(l.best.y))
		}
	}
	return err
}

// A grid is one in the coordinates u = |a|·z of an equation.
type grid struct {
	*limits
	a      []float64 // the equation's coefficients
	lo, hi []float64 // of u
	total  float64   // Σ u, with the sign of a taken into u
	g      float64   // spacing
	steps  []int     // nodes of each coordinate, less 1
	sum    int       // Σ of the numbers of nodes that keeps to the equation
	values [][]float64
	share  int // queries for a round
	rounds int
}

const (
	leastNodes = 8  // of a coordinate, on average, so that there is something to interpolate
	oversample = 2  // queries for each node: the system is well conditioned then
	sumRounds  = 5  // of grids, each nearer to the best point
	firstShare = 5  // the first grid, which decides on which side of kinks to be, gets two of so many parts of the budget
	laterShare = 8  // and each of the others one of so many
	finer      = 16 // the fine grid has so many nodes for one
	closeBy    = 3  // the next grid reaches so many nodes around the best point: far enough for what interpolation has missed
	trials     = 8  // of whether f is a sum
)

// newGrid returns the grid of the task, if it is one of those that sums can do.
func (l *limits) newGrid() (*grid, bool) {
	d := l.f.Dim()
	s := l.said
	if len(s.Limits) != 1 || s.Limits[0].Lo != s.Limits[0].Hi || len(l.constraints) > 0 || s.Residuals > 0 || d < 3 {
		return nil, false
	}
	a := s.Limits[0].Coefficients
	g := &grid{limits: l, a: a, total: s.Limits[0].Lo}
	for i, c := range a {
		lo, hi := l.task.Bounds.Lo[i], l.task.Bounds.Hi[i]
		if c == 0 || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			return nil, false
		}
		if lo, hi = c*lo, c*hi; c < 0 {
			lo, hi = hi, lo
		}
		g.lo, g.hi = append(g.lo, lo), append(g.hi, hi)
	}
	g.share = 2 * l.task.Budget / firstShare
	if g.share < oversample*leastNodes*d {
		return nil, false
	}
	return g, g.lay()
}

// lay chooses the spacing: as small as the queries of a round allow, and such that nodes can keep to the
// equation.
func (g *grid) lay() bool {
	room, width := g.total, 0.
	for i := range g.lo {
		room -= g.lo[i]
		width += g.hi[i] - g.lo[i]
	}
	if !(room > 0 && width > room) {
		return false
	}
	nodes := float64(g.share/oversample - 2*len(g.lo))
	g.sum = int(math.Floor(room / (width / nodes)))
	if g.sum < 1 {
		return false
	}
	g.g = room / float64(g.sum)
	g.steps = g.steps[:0]
	capacity := 0
	for i := range g.lo {
		n := int(math.Floor((g.hi[i]-g.lo[i])/g.g*(1+1e-12) + 1e-9))
		g.steps = append(g.steps, n)
		capacity += n
	}
	return capacity >= g.sum
}

func (g *grid) nodes() (n int) {
	for _, k := range g.steps {
		n += k + 1
	}
	return n
}

// exhausted reports whether there are no queries for another round.
func (g *grid) exhausted() bool {
	g.rounds++
	return g.rounds > sumRounds || g.queries+oversample*g.nodes()+1 > g.task.Budget
}

// z returns the point of u.
func (g *grid) z(u []float64) []float64 {
	z := make([]float64, len(u))
	for i, v := range u {
		z[i] = v / g.a[i]
	}
	g.space.mend(z)
	return z
}

// point returns the point of nodes.
func (g *grid) point(k []int) []float64 {
	u := make([]float64, len(k))
	for i, n := range k {
		u[i] = g.lo[i] + float64(n)*g.g
	}
	return g.z(u)
}

// random returns nodes that keep to the equation, of which one may be given (held ≥ 0).
func (g *grid) random(held, node int) []int {
	k := make([]int, len(g.steps))
	left := g.sum
	for i, n := range g.steps {
		if k[i] = g.random1(n + 1); i == held {
			k[i] = node
		}
		left -= k[i]
	}
	for tries := 0; left != 0 && tries < 1000; tries++ { // spread what is missing
		i := g.random1(len(k))
		if i == held {
			continue
		}
		by := left
		if by > 0 {
			by = min(by, g.steps[i]-k[i], 1+g.random1(by))
		} else {
			by = max(by, -k[i], -1-g.random1(-by))
		}
		k[i] += by
		left -= by
	}
	if left != 0 {
		return nil
	}
	return k
}

func (g *grid) random1(n int) int { return g.limits.work.random.IntN(n) }

// separates tests whether f is a sum: whether what a move of two coordinates adds is the same before and
// after a move of two others.
func (g *grid) separates() (bool, error) {
	var points [][]float64
	for range trials {
		base := g.random(-1, 0)
		if base == nil {
			return false, nil
		}
		p := g.limits.work.random.Perm(len(base))
		move := func(k []int, i, j int) []int {
			k = slices.Clone(k)
			by := min(g.steps[i]-k[i], k[j])
			k[i] += by
			k[j] -= by
			return k
		}
		second := p[2]
		third := p[len(p)-1]
		if len(p) < 4 {
			third = p[0]
		}
		a, b := move(base, p[0], p[1]), move(base, second, third)
		for _, k := range [][]int{base, a, b, move(a, second, third)} {
			points = append(points, g.space.inner(g.point(k)))
		}
	}
	places, err := g.evaluate(points)
	if err != nil {
		return false, err
	}
	for i := 0; i < len(places); i += 4 {
		f := [4]float64{places[i].f, places[i+1].f, places[i+2].f, places[i+3].f}
		size := math.Abs(f[1]-f[0]) + math.Abs(f[2]-f[0])
		mixed := math.Abs(f[3] - f[1] - f[2] + f[0])
		if !(mixed <= 1e-6*size+1e-12*math.Abs(f[0])) {
			return false, nil
		}
	}
	return true, nil
}

// closer lays the next grid around a point.
func (g *grid) closer(z []float64) {
	g.share = g.task.Budget / laterShare
	for i, v := range z {
		u := g.a[i] * v
		g.lo[i], g.hi[i] = max(g.lo[i], u-closeBy*g.g), min(g.hi[i], u+closeBy*g.g)
	}
	if !g.lay() {
		g.steps = nil
	}
}
