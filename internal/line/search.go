package line

import (
	"context"
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
