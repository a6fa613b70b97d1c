// Package line minimises a function along many lines from one point at the same
// time,
//
//	min over t of f(x + t u_j)   for each j,
//
// globally over a range: a grid, its wells, and Brent's method in the deepest of
// them. If f separates along the u_j, all minima together are that of f. Start
// with Minimize.
package line

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Range says where to look along a line.
type Range struct {
	Lo, Hi float64 // at first, Lo < Hi
	Step   float64 // the width of the grid: less than that of a well
	// Least and Most limit where it may be widened to; infinite: no limit.
	Least, Most float64
}

// A Profile is what f looks like along a line.
type Profile struct {
	T, Value []float64 // all that was seen, ascending
	Wells    []Well    // the deepest first, two of them refined, the others as parabolas have them
	// Open says that f still falls at an end of the range.
	Open bool
}

// A Well is a local minimum.
type Well struct{ T, Value float64 }

// Config says how to look.
type Config struct {
	// Wells is how many wells of each line are refined at most: two, and others that may
	// be the deepest; 0: 3.
	Wells int
	// Tolerance is how well a minimum is known, in steps of the grid; 0: 1e-3.
	Tolerance float64
	// Explorer looks along the lines first; nil: a grid over each range, which is
	// widened. Wells and Tolerance are for what follows.
	Explorer Explorer
	// Widen is how often a range is doubled while the minimum is at its end; 0: 20.
	Widen int
}

func (c Config) complete() Config {
	if c.Wells == 0 {
		c.Wells = 3
	}
	if c.Tolerance == 0 {
		c.Tolerance = 1e-3
	}
	if c.Widen == 0 {
		c.Widen = 20
	}
	return c
}

const (
	most   = 400 // points of a grid
	rounds = 40  // of Brent's method
)

// Minimize looks along the rows of directions from x, where f is f0. Each round
// of all lines is one batch.
func Minimize(ctx context.Context, f objective.Objective, x []float64, f0 float64, directions *mat.Dense, ranges []Range, cfg Config) ([]Profile, error) {
	s := &search{ctx: ctx, f: f, x: x, u: directions, cfg: cfg.complete(), lines: make([]lineState, len(ranges))}
	for j, r := range ranges {
		s.lines[j] = lineState{r: r, points: []Well{{0, f0}}}
	}
	if err := s.explore(ranges); err != nil {
		return nil, err
	}
	if err := s.refine(); err != nil {
		return nil, err
	}
	out := make([]Profile, len(ranges))
	for j := range out {
		out[j] = s.lines[j].profile()
	}
	return out, nil
}

// A search goes along all lines.
type search struct {
	ctx   context.Context
	f     objective.Objective
	x     []float64
	u     *mat.Dense
	cfg   Config
	lines []lineState
	queue []Query
}

// A lineState is what is known of a line.
type lineState struct {
	r      Range
	points []Well // all seen
	open   bool
}

// ask asks for all that is on the queue.
func (s *search) ask() ([]float64, error) {
	values, err := objective.Ask(s.ctx, s.f, len(s.queue), func(k int, row []float64) {
		copy(row, s.x)
		kernel.AddScaled(row, s.queue[k].T, s.u.RawRowView(s.queue[k].Line))
	})
	if err != nil {
		return nil, err
	}
	for k, q := range s.queue {
		v := values[k]
		if math.IsNaN(v) {
			v = math.Inf(1)
		}
		s.lines[q.Line].points = append(s.lines[q.Line].points, Well{q.T, v})
	}
	s.queue = s.queue[:0]
	for j := range s.lines {
		slices.SortFunc(s.lines[j].points, func(a, b Well) int { return cmp.Compare(a.T, b.T) })
	}
	return values, nil
}

// lowest returns the lowest point seen, of equals the one closest to x: a plateau does
// not lead away.
func (l *lineState) lowest() Well {
	return slices.MinFunc(l.points, func(a, b Well) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(math.Abs(a.T), math.Abs(b.T)))
	})
}

// refine advances Brent's method in the deepest wells of all lines together.
func (s *search) refine() error {
	type job struct {
		j int
		b *brent
	}
	var jobs []job
	for j := range s.lines {
		l := &s.lines[j]
		lowest := l.lowest().Value
		for n, k := range l.wells(s.cfg.Wells) {
			p := l.points
			deepest := vertex(p[k-1], p[k], p[k+1]).Value
			if n > 1 && deepest-(p[k].Value-deepest) > lowest {
				continue // even if it is twice as deep as it looks
			}
			jobs = append(jobs, job{j, newBrent(p[k-1].T, p[k].T, p[k+1].T, p[k].Value, s.cfg.Tolerance*l.r.Step)})
		}
	}
	for range rounds {
		var active []job
		for _, job := range jobs {
			if t, more := job.b.next(); more {
				active = append(active, job)
				s.queue = append(s.queue, Query{job.j, t})
			}
		}
		if len(active) == 0 {
			return nil
		}
		order := slices.Clone(s.queue)
		if _, err := s.ask(); err != nil {
			return err
		}
		for k, job := range active {
			job.b.tell(s.lines[job.j].at(order[k].T))
		}
		jobs = active
	}
	return nil
}

// at returns the value seen at t.
func (l *lineState) at(t float64) float64 {
	k, _ := slices.BinarySearchFunc(l.points, t, func(w Well, t float64) int { return cmp.Compare(w.T, t) })
	return l.points[k].Value
}

// wells returns the deepest interior local minima.
func (l *lineState) wells(n int) []int {
	var all []int
	for k := 1; k+1 < len(l.points); k++ {
		if p := l.points; p[k].Value <= p[k-1].Value && p[k].Value < p[k+1].Value {
			all = append(all, k)
		}
	}
	depth := func(k int) float64 { return vertex(l.points[k-1], l.points[k], l.points[k+1]).Value }
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(depth(a), depth(b)) })
	return all[:min(n, len(all))]
}

// profile is what was seen. Of wells closer together than the grid is wide, which
// rounding makes of one, only the deepest counts.
func (l *lineState) profile() Profile {
	p := Profile{Open: l.open, Wells: []Well{l.lowest()}}
	for _, w := range l.points {
		p.T, p.Value = append(p.T, w.T), append(p.Value, w.Value)
	}
	for _, k := range l.wells(len(l.points)) {
		w := vertex(l.points[k-1], l.points[k], l.points[k+1])
		if !slices.ContainsFunc(p.Wells, func(deeper Well) bool { return math.Abs(w.T-deeper.T) < l.r.Step }) {
			p.Wells = append(p.Wells, Well{w.T, max(w.Value, p.Wells[0].Value)})
		}
	}
	slices.SortStableFunc(p.Wells, func(a, b Well) int { return cmp.Compare(a.Value, b.Value) })
	return p
}

// vertex returns the lowest point of the parabola through three points, of which the
// middle one is no higher than the others.
func vertex(a, b, c Well) Well {
	left, right := (b.Value-a.Value)/(b.T-a.T), (c.Value-b.Value)/(c.T-b.T)
	bend := (right - left) / (c.T - a.T) // half of the second derivative
	if !(bend > 0) || math.IsInf(bend, 1) {
		return b
	}
	slope := left + float64(bend*(b.T-a.T)) // at b
	return Well{b.T - slope/(2*bend), b.Value - float64(slope*slope)/(4*bend)}
}
