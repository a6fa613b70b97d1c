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
}

// ask asks for all that is on the queue.
func (s *search) ask() ([]float64, error) {
	values, err := query.Ask(s.ctx, s.f, len(s.queue), func(k int, row []float64) {
		copy(row, s.x)
		kernel.AddScaled(row, s.queue[k].T, s.u.RawRowView(s.queue[k].Line))
	})
	if err != nil {
		return nil, err
	}
	for k, q := range s.queue {
		s.lines[q.Line].add(q.T, values[k])
	}
	s.queue = s.queue[:0]
	for j := range s.lines {
		s.lines[j].sort()
	}
	return values, nil
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
		order := slices.Clone(s.queue)
		if _, err := s.ask(); err != nil {
			return err
		}
		for k, job := range active {
			job.b.tell(s.lines[job.line].at(order[k].T))
		}
		jobs = active
	}
	return nil
}

// jobs returns what is worth refining: the two deepest wells of each line, and others that
// may be the deepest. With curvatures of at most K a minimum is no deeper than K g²/8 below
// the lowest of three points that are up to g apart; K is the largest that the line shows.
func (s *search) jobs() []job {
	var jobs []job
	for j := range s.lines {
		l := &s.lines[j]
		lowest, curvature := l.lowest().value, l.curvature()
		for n, k := range l.wells(s.cfg.Wells) {
			p := l.seen
			gap := max(p[k].t-p[k-1].t, p[k+1].t-p[k].t)
			if n > 1 && p[k].value-float64(curvature*gap*gap/8) > lowest {
				continue
			}
			jobs = append(jobs, job{j, newBrent(p[k-1], p[k], p[k+1], s.cfg.Tolerance*l.r.Step)})
		}
	}
	return jobs
}
