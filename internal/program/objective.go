package program

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// An Objective is a program. New makes one, and Close ends it.
//
// A point that fails has the value +Inf, and its answer says why. An error of Each ends the
// run: the program cannot be used, or the machine failed (see MachineError).
type Objective struct {
	recipe *recipe
	life   context.Context // ends with Close
	end    context.CancelCauseFunc

	mu       sync.Mutex // one batch at a time
	guardian *guardian.Guardian
	folders  *folders
	slots    []slot
	void     *objective.VoidError // nil: all answers can be trusted, as far as is known
}

var (
	_ query.Teller        = (*Objective)(nil)
	_ objective.Described = (*Objective)(nil)
)

// New returns the objective of a program. It checks everything that can be checked before
// the first query; if a setting is wrong, the error is an *objective.OptionError. Nothing
// is started before the first batch.
func New(c Config) (*Objective, error) {
	r, err := newRecipe(c)
	if err != nil {
		return nil, err
	}
	o := &Objective{recipe: r, folders: newFolders(r)}
	o.life, o.end = context.WithCancelCause(context.Background())
	return o, nil
}

// Dim returns the number of parameters.
func (o *Objective) Dim() int { return len(o.recipe.Names) }

// Evaluate asks the program for the values of a batch of points.
func (o *Objective) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return o.Each(ctx, points, values, func(int, objective.Answer) {})
}

// Each does what Evaluate does, and tells every answer as soon as it is known. Only one
// batch is evaluated at a time.
func (o *Objective) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	n, d := points.Dims()
	if d != o.Dim() || n != len(values) {
		return fmt.Errorf("%d points of %d coordinates and room for %d values were given to a program with %d parameters", n, d, len(values), o.Dim())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(o.life, func() { cancel(context.Cause(o.life)) })()

	b := &batchAnswers{values: values, known: make([]bool, n), tell: tell, folders: o.folders}
	err := context.Cause(ctx)
	if err == nil {
		err = o.start()
	}
	if err == nil {
		slots := o.slots[:min(len(o.slots), n)]
		err = newQueue(ctx, points, len(slots), b.take).run(ctx, slots)
	}
	if err != nil {
		return query.Unfinished(b.known, o.widened(err))
	}
	return nil
}

// start starts the guardian and makes the slots, at the first batch.
func (o *Objective) start() error {
	if o.guardian != nil {
		return nil
	}
	if err := o.life.Err(); err != nil {
		return context.Cause(o.life)
	}
	root, err := o.folders.open()
	if err != nil {
		return err
	}
	if o.guardian, err = guardian.Start(root); err != nil {
		return errors.Join(fmt.Errorf("the process that watches over the program could not be started: %w", err), o.folders.close())
	}
	o.slots = o.recipe.slots(o.guardian, o.folders)
	return nil
}

func (r *recipe) slots(g starter, f *folders) (all []slot) {
	var (
		learnt = &experience{}
		begun  = &atomic.Bool{}
	)
	for i := range r.Procs {
		number := max(r.FirstProc, 1) + i
		c := caller{recipe: r, starter: g, number: number, folders: f, begun: begun}
		switch r.Protocol {
		case Once:
			all = append(all, &once{c})
		case Batch:
			all = append(all, &batch{c})
		default:
			all = append(all, newKept(&r.Config, g, number, f, learnt))
		}
	}
	return all
}

var errClosed = errors.New("the program's objective was closed")

// Close ends the program and everything that it has started, also in the middle of a
// batch, and removes the work folders that are not kept. It may be called again.
func (o *Objective) Close() error {
	o.end(errClosed)
	o.mu.Lock()
	defer o.mu.Unlock()
	all := closeSlots(o.slots)
	o.slots = nil
	if o.guardian != nil {
		all = append(all, o.guardian.Close())
		o.guardian = nil
	}
	return errors.Join(append(all, o.folders.close())...)
}

// closeSlots closes all slots at once, since a program may take a while to end.
func closeSlots(slots []slot) []error {
	all := make([]error, len(slots))
	var wait sync.WaitGroup
	for i, s := range slots {
		wait.Go(func() { all[i] = s.close() })
	}
	wait.Wait()
	return all
}

// Kept returns how many folders of failed points are kept, and the folder that they are
// in. Nobody removes it but the user.
func (o *Objective) Kept() (folder string, n int) { return o.folders.keeps() }

// batchAnswers are the answers of a batch, as they come.
type batchAnswers struct {
	mu      sync.Mutex
	values  []float64
	known   []bool
	worked  bool // some point of the batch has succeeded
	tell    func(int, objective.Answer)
	folders *folders
}

func (b *batchAnswers) take(i int, a objective.Answer) {
	b.mu.Lock()
	b.values[i], b.known[i] = a.Value, true
	first := a.Failure == nil && !b.worked
	b.worked = b.worked || first
	b.mu.Unlock()
	if first {
		b.folders.succeeded()
	}
	b.tell(i, a)
}
