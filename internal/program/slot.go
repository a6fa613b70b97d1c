package program

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A patience says how long we wait for what.
type patience struct {
	silence   time.Duration // for the first answer, before the user is told that there is none
	doubt     time.Duration // for surplus output after the very first answer, at least
	longDoubt time.Duration // and at most
	quiet     time.Duration // for surplus output from time to time, at least: a process may have to wait for a processor
	look      time.Duration // for an answer after the timeout
	leave     time.Duration // for a program to end after its output has ended
	close     time.Duration // for a program to end after its input has ended, at least
	longClose time.Duration // and at most
	grace     time.Duration // for a program to end after it was told to
	rest      time.Duration // for the machine to recover, before a program is started again
}

var ordinary = patience{
	silence: 5 * time.Second, doubt: 50 * time.Millisecond, longDoubt: time.Second, quiet: 10 * time.Millisecond, look: 20 * time.Millisecond, leave: 2 * time.Second,
	close: 2 * time.Second, longClose: time.Minute, grace: 200 * time.Millisecond, rest: time.Second,
}

// limit is how long to wait until something happens: the timeout, if there is one, or until the
// silence is to be noted.
func (p patience) limit(timeout time.Duration, noting bool) (limit time.Duration, limited bool) {
	if noting && (timeout <= 0 || p.silence < timeout) {
		return p.silence, true
	}
	return timeout, timeout > 0
}

// pause waits for so long.
func pause(ctx context.Context, d time.Duration) error {
	ring, stop := alarm(d)
	defer stop()
	select {
	case <-ring:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A base is what every slot needs whose programs talk over pipes.
type base struct {
	config     *Config
	starter    starter
	number     int // of the slot, from 1
	folders    *folders
	experience *experience
	dialect    dialect
	patience   patience
	tired      bool // the machine has failed just now
}

// start starts the program for a job, and nothing if the machine fails: then it may be
// tried again. The error stops the run.
func (b *base) start(ctx context.Context, j *job) (*child, error) {
	if b.tired {
		b.tired = false
		if err := pause(ctx, b.patience.rest); err != nil {
			return nil, err
		}
	}
	command := b.config.Exec
	child, err := newChild(b.starter, guardian.Command{
		Path: command[0], Args: command, Dir: b.config.Dir, Env: environment(b.number, j.query, j.errand+1),
	})
	if err != nil {
		return nil, b.excuse(j, notStarted(command[0], err))
	}
	return child, nil
}

// excuse forgives a job that the machine failed at it, as often as there are retries. Any
// other error is returned as it is.
func (b *base) excuse(j *job, err error) error {
	machine, ok := errors.AsType[*MachineError](err)
	if !ok {
		return err
	}
	j.errand++
	b.tired = true
	if j.errand <= b.config.retries() {
		return nil
	}
	return machine.at(*j)
}

func (b *base) answer(q *queue, j job, r reply, seconds float64, stderr *tail) {
	if r.failure != nil {
		b.folders.failed(j, r.failure, b.config.Exec, stderr.bytes())
	}
	q.tell(j.index, r.answer(seconds))
}

// naive reports whether a breach of the protocol should stop the run, because the program
// has never kept to it.
func (b *base) naive() bool { return !b.experience.answered.Load() && !b.config.KeepGoing }

// epitaph says what the end of a program means for the one point that it was asked. A
// program that ended without a word stops the run if it has never answered.
func (b *base) epitaph(s guardian.State, ours, mute bool, stderr *tail) (failure *objective.Failure, err error) {
	if ours {
		return noNumber("the program stopped reading or writing, and gave no answer"), nil
	}
	failure, machine := ended(s, stderr.bytes())
	switch {
	case failure != nil || machine != nil:
		return failure, machine
	case mute && b.naive():
		return nil, b.dialect.silence()
	}
	return noNumber("the program ended with exit status 0 and gave no answer"), nil
}

// noteSilence tells the user that the program has not answered.
func (b *base) noteSilence(quiet time.Duration) {
	b.note(&b.experience.silent, "the program has not answered for %.2g s; it may be buffering its output "+
		"(flush=True in Python, fflush() in C and gawk, mawk -W interactive), or use --eof if it answers at the end of its input",
		quiet.Seconds())
}

// noteMissing tells the user that the program has left out answers, it seems.
func (b *base) noteMissing(quiet time.Duration, answers, points int) {
	b.note(&b.experience.missing, "the program was given %s and has given %s, and nothing for %.2g s; "+
		"it should answer each, also one that fails (with nan); with --timeout those without an answer fail",
		words.Count(points, "point", "points"), words.Count(answers, "answer", "answers"), quiet.Seconds())
}

// note tells the user something once in a run.
func (b *base) note(once *sync.Once, format string, args ...any) {
	if b.config.Note != nil {
		once.Do(func() { b.config.Note(fmt.Sprintf(format, args...)) })
	}
}

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
