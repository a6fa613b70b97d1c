package line

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A search goes along all lines.
type search struct {
	ctx   context.Context
	f     objective.Objective
	x     []float64
	u     *mat.Dense // row j is u_j
	cfg   Config
	lines []track
	queue []Query

	explored bool // grids have been asked for
}

// ask asks for all that is on the queue, and for the point where the lowest points of all lines meet.
func (s *search) ask() error {
	var first [][]float64 // should f end within the batch
	if there := s.meeting(); there != nil {
		first = append(first, there)
	}
	values, err := query.Ask(s.ctx, s.f, len(first)+len(s.queue), func(k int, row []float64) {
		if k < len(first) {
			copy(row, first[k])
			return
		}
		q := s.queue[k-len(first)]
		copy(row, s.x)
		kernel.AddScaled(row, q.T, s.u.RawRowView(q.Line))
	})
	if err != nil {
		return err
	}
	if s.explored {
		s.cfg.Meet = objective.Box{}
	}
	for k, q := range s.queue {
		s.lines[q.Line].add(q.T, values[len(first)+k])
	}
	s.queue = s.queue[:0]
	for j := range s.lines {
		s.lines[j].sort()
	}
	return nil
}

// meeting returns the point where the lowest points of all lines meet; nil: it is x, or not asked for.
func (s *search) meeting() []float64 {
	if s.cfg.Meet.Lo == nil || len(s.lines) == 1 {
		return nil
	}
	there, moved := slices.Clone(s.x), false
	for j := range s.lines {
		if t := s.lines[j].lowest().t; t != 0 {
			kernel.AddScaled(there, t, s.u.RawRowView(j))
			moved = true
		}
	}
	if !moved {
		return nil
	}
	for k, v := range there {
		there[k] = min(max(v, s.cfg.Meet.Lo[k]), s.cfg.Meet.Hi[k])
	}
	return there
}

// rounds is how often Brent's method asks at most. Golden sections alone shrink a
// bracket to 4e-9 of itself by then.
const rounds = 40

// A job is Brent's method in a well of a line.
type job struct {
	line int
	b    *brent
}

// refine advances Brent's method in the deepest wells of all lines together.
func (s *search) refine() error {
	jobs := s.jobs()
	for range rounds {
		var active []job
		for _, job := range jobs {
			if t, more := job.b.next(); more {
				active = append(active, job)
				s.queue = append(s.queue, Query{job.line, t})
			}
		}
		if len(active) == 0 {
			return nil
		}
		if err := s.ask(); err != nil {
			return err
		}
		for _, job := range active {
			job.b.tell(s.lines[job.line].at(job.b.u))
		}
		jobs = active
	}
	return nil
}

// jobs returns what is worth refining: the two deepest wells of each line, and others that
// may be the deepest.
func (s *search) jobs() []job {
	var jobs []job
	for j := range s.lines {
		l := &s.lines[j]
		lowest := l.lowest().value
		for n, k := range l.wells(s.cfg.Wells) {
			if _, bottom := l.bottom(k); n <= 1 || !(bottom > lowest) {
				jobs = append(jobs, job{j, newBrent(l.seen[k-1], l.seen[k], l.seen[k+1], s.cfg.Tolerance*l.r.Step)})
			}
		}
	}
	return jobs
}

// A Query is the point x + T u of a line.
type Query struct {
	Line int // which line, from 0
	T    float64
}

// Coarsest is the stride of the first points of a grid that is asked for from coarse to fine.
const Coarsest = 4

// Due reports whether point k of a grid, 0 ≤ k ≤ n, belongs to those of a stride, and to none of a longer one: two at either
// end, and every Coarsest-th, are of the longest. Stride 0 has all.
func Due(k, n, stride int) bool {
	first := k%Coarsest == 0 || k < 2 || k > n-2
	switch stride {
	case 0:
		return true
	case Coarsest:
		return first
	}
	return !first && k%stride == 0 && k%(2*stride) != 0
}

// explore looks along all lines for the first time.
func (s *search) explore() error {
	stride := 0
	if s.cfg.Meet.Lo != nil {
		stride = Coarsest
	}
	for ; ; stride /= 2 {
		for j, l := range s.lines {
			s.plan(j, l.r.Lo, l.r.Hi, mostPoints, stride)
		}
		if err := s.ask(); err != nil {
			return err
		}
		if stride <= 1 {
			s.explored = true
			return s.widen()
		}
	}
}

const (
	// mostPoints is how many points a grid has at most, so that a step that is far
	// too small does not spend the budget on one line.
	mostPoints = 400
	// fineRounds is how often a range is doubled with as fine a grid as before:
	// until it is eight times as wide.
	fineRounds = 3
	// coarsePoints is how many points a grid has at most from then on, when all
	// that is asked is where f stops falling.
	coarsePoints = 16
)

// sameAs is how near to x a point of a grid is taken for x, in steps of the grid. Two
// samples in one place would hide a well that is beside them.
const sameAs = 1e-3

// plan puts the points of a grid that are of a stride on the queue, without x, where f is known.
func (s *search) plan(j int, lo, hi float64, most, stride int) {
	step := s.lines[j].r.Step
	n := min(most, max(2, int(math.Ceil((hi-lo)/step))))
	for k := range n + 1 {
		if t := lo + (hi-lo)*float64(k)/float64(n); Due(k, n, stride) && (math.Abs(t) > sameAs*step || k == 0 || k == n) {
			s.queue = append(s.queue, Query{j, t})
		}
	}
}

// widen doubles ranges whose lowest point is at an end, the first few times with as
// fine a grid as before, and then with a few points.
func (s *search) widen() error {
	for round := range s.cfg.Widen {
		for j := range s.lines {
			l := &s.lines[j]
			lowest := l.lowest()
			width := l.r.Hi - l.r.Lo
			l.open = false
			if lowest.t <= l.r.Lo && l.r.Lo > l.r.Least {
				lo := max(l.r.Least, l.r.Lo-width)
				s.plan(j, lo, l.r.Lo-min(l.r.Step, (l.r.Lo-lo)/2), atMost(round), 0)
				l.r.Lo, l.open = lo, true
			} else if lowest.t >= l.r.Hi && l.r.Hi < l.r.Most {
				hi := min(l.r.Most, l.r.Hi+width)
				s.plan(j, l.r.Hi+min(l.r.Step, (hi-l.r.Hi)/2), hi, atMost(round), 0)
				l.r.Hi, l.open = hi, true
			}
		}
		if len(s.queue) == 0 {
			return nil
		}
		if err := s.ask(); err != nil {
			return err
		}
	}
	return nil
}

// atMost is how many points a widening may have.
func atMost(round int) int {
	if round < fineRounds {
		return mostPoints
	}
	return coarsePoints
}
