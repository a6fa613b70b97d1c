package program

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A job is one point that has to be evaluated.
type job struct {
	index  int       // in its batch
	query  int       // its number in the run, from 1
	point  []float64 // all parameters, fixed ones too; belongs to the batch, is not changed
	errand int       // how often the machine has failed at it so far
}

// remove takes out the first job, or that of a query. It says whether there is one.
func remove(jobs *[]job, query int) (job, bool) {
	i := slices.IndexFunc(*jobs, func(j job) bool { return query == 0 || j.query == query })
	if i < 0 {
		return job{}, false
	}
	j := (*jobs)[i]
	copy((*jobs)[1:], (*jobs)[:i])
	*jobs = (*jobs)[1:]
	return j, true
}

// A slot is one process at a time: it takes jobs off a queue until none is left, and
// answers every job that it has taken. It returns an error only where the run has to stop.
// An error that comes from ctx may leave jobs unanswered.
type slot interface {
	serve(ctx context.Context, q *queue) error
	// close ends the slot's process, if it keeps one.
	close() error
}

// A queue holds the jobs of one batch. Its methods may be called by several slots at once.
type queue struct {
	mu    sync.Mutex
	jobs  []job
	next  int
	slots int
	tell  func(i int, a objective.Answer)
}

// newQueue puts a batch into a queue for so many slots.
func newQueue(ctx context.Context, points *mat.Dense, slots int, tell func(int, objective.Answer)) *queue {
	n, _ := points.Dims()
	q := &queue{slots: slots, tell: tell}
	for i := range n {
		q.jobs = append(q.jobs, job{index: i, query: query.NumberOf(ctx, i), point: points.RawRowView(i)})
	}
	return q
}

// take returns the next jobs, at most most, and none when the queue is empty. No slot takes
// more than its share of what is left, so that all slots finish at about the same time.
func (q *queue) take(most int) []job {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := len(q.jobs) - q.next
	n := max(min(most, (left+q.slots-1)/q.slots), 0)
	taken := q.jobs[q.next : q.next+n]
	q.next += n
	return taken
}

// run lets all slots serve the queue and returns the error with which one of them has
// stopped the run. The others are then told to stop by their context. That answers cannot be
// trusted is more important than all else.
func (q *queue) run(ctx context.Context, slots []slot) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	all := make([]error, len(slots))
	for i, s := range slots {
		wait.Go(func() {
			if all[i] = s.serve(ctx, q); all[i] != nil {
				cancel(all[i])
			}
		})
	}
	wait.Wait()
	if void, ok := errors.AsType[*objective.VoidError](errors.Join(all...)); ok {
		return void
	}
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
