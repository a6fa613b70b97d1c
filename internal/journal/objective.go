package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// An Objective answers queries from a journal as far as it has them, asks another objective
// for the others, and records their answers. It numbers queries from 1 in the order in which
// it is asked. It is a query.Teller.
type Objective struct {
	journal *Journal
	f       objective.Objective
	shelf   shelf
	asked   int // queries whose values were given out
	resumed int
	failed  error // a query diverged: nothing may be asked any more
}

// Wrap returns f with the journal before it. It panics if f has points of another length
// than the journal.
func (j *Journal) Wrap(f objective.Objective) *Objective {
	if f.Dim() != j.header.Dim {
		panic(fmt.Sprintf("journal: an objective of %d numbers, and a journal of %d", f.Dim(), j.header.Dim))
	}
	return &Objective{journal: j, f: f, shelf: shelf{file: j.writer.file, dim: j.header.Dim}}
}

func (o *Objective) Dim() int { return o.f.Dim() }

// Resumed returns how many queries were answered from the record.
func (o *Objective) Resumed() int { return o.resumed }

// Evaluate evaluates the batch.
func (o *Objective) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return o.Each(ctx, points, values, func(int, objective.Answer) {})
}

// Each evaluates the batch. When it returns, the file has all values that it sets.
//
// If a point is not the recorded one, it returns a *DivergedError and sets no value. If the
// objective returns an error, the answers that it told before are kept, and those at the
// front of the batch are known: the error is an *objective.PartialError that says how many.
func (o *Objective) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(i int, a objective.Answer)) error {
	if o.failed != nil {
		return o.failed
	}
	b := &batch{first: o.asked + 1, points: points, known: make([]bool, len(values)), values: values, tell: tell}
	answers, recorded, err := o.recall(b)
	if err != nil {
		o.failed = err
		return err
	}
	for i, a := range answers {
		if b.known[i] {
			values[i] = a.Value
			tell(i, a)
		}
	}
	o.resumed += recorded
	spent := recorded
	if recorded < len(values) {
		var asked int
		asked, err = o.ask(ctx, b)
		spent += asked
	}
	done := b.front()
	o.asked += done
	if err == nil || done == 0 && spent == 0 {
		return err
	}
	return &objective.PartialError{Done: done, Spent: max(done, spent), Err: objective.Cause(err)}
}

// recall returns the answers of a batch that the file has, and how many there are. They are
// known then.
func (o *Objective) recall(b *batch) (answers []objective.Answer, recorded int, err error) {
	w := &o.journal.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	last := b.first + len(b.known) - 1
	stretches := w.index.among(b.first, last)
	if len(stretches) == 0 {
		return nil, 0, nil
	}
	if w.shut {
		return nil, 0, w.closed()
	}
	answers = make([]objective.Answer, len(b.known))
	parted := 0 // the first query whose point is another
	for _, s := range stretches {
		if s.least > last || s.greatest < b.first {
			continue
		}
		leaf, err := o.shelf.leaf(s)
		if err != nil {
			return nil, 0, fmt.Errorf("the journal %s cannot be read at byte %d: %w", w.name, s.at, err)
		}
		for _, p := range leaf.within(b.first, min(last, s.greatest)) {
			i := p.number - b.first
			if b.known[i] {
				return nil, 0, fmt.Errorf("the journal %s has query %d twice: restore it from a copy, or begin a new one", w.name, p.number)
			}
			if !p.page.has(p.row, b.points.RawRowView(i)) && (parted == 0 || p.number < parted) {
				parted = p.number
			}
			b.known[i], answers[i] = true, p.page.answer(p.row)
			recorded++
		}
	}
	if parted > 0 {
		return nil, 0, &DivergedError{w.name, parted}
	}
	return answers, recorded, nil
}

// ask asks the objective for the queries of a batch that are not known yet, and returns how
// many it has evaluated.
func (o *Objective) ask(ctx context.Context, b *batch) (spent int, err error) {
	if o.journal.lock == nil {
		return 0, objective.Stop(ErrEnd)
	}
	w := &o.journal.writer
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	missing, points := b.missing()
	if err := w.begin(len(missing), stop); err != nil {
		return 0, err
	}
	ctx = query.WithNumbers(ctx, func(i int) int { return b.first + missing[i] })
	values := make([]float64, len(missing))
	var mu sync.Mutex
	took := 0
	take := func(i int, a objective.Answer) {
		k := missing[i]
		mu.Lock()
		again := b.known[k]
		if !again {
			b.known[k], b.values[k] = true, a.Value
			took++
		}
		mu.Unlock()
		if !again {
			a = kept(a)
			w.add(b.first+k, points.RawRowView(i), a)
			b.tell(k, a)
		}
	}
	err = query.Each(ctx, o.f, points, values, take)
	if err == nil {
		for i, v := range values {
			take(i, objective.Answer{Value: v}) // if the objective has not told it
		}
	}
	// After an error only what was told is recorded. A point at which the objective has
	// panicked is asked again when the run is resumed.
	spent = took
	if p, ok := err.(*objective.PartialError); ok {
		spent = min(max(spent, p.Spent), len(missing))
	}
	if void, ok := errors.AsType[*objective.VoidError](err); ok {
		for k := range b.known {
			b.known[k] = b.known[k] && b.first+k < void.First
		}
		o.failed = o.journal.Void(void)
		return spent, o.failed
	}
	if failed := w.flush(); failed != nil {
		w.unwritten(func(number int) { b.known[number-b.first] = false })
		return spent, failed
	}
	return spent, err
}

// A batch is points that are to be evaluated.
type batch struct {
	first  int // the number of the first query
	points *mat.Dense
	known  []bool
	values []float64 // of those that are known
	tell   func(i int, a objective.Answer)
}

// front returns how many values at the front are known.
func (b *batch) front() int {
	for i, known := range b.known {
		if !known {
			return i
		}
	}
	return len(b.known)
}

// missing returns which queries are not known yet, and their points.
func (b *batch) missing() ([]int, *mat.Dense) {
	var which []int
	for i, known := range b.known {
		if !known {
			which = append(which, i)
		}
	}
	n, d := b.points.Dims()
	if len(which) == n {
		return which, b.points
	}
	points := mat.NewDense(len(which), d, nil)
	for row, i := range which {
		points.SetRow(row, b.points.RawRowView(i))
	}
	return which, points
}
