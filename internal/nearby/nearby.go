// Package nearby asks again, next to them, for points at which a function has failed.
//
// A simulator that fails here and there fails by chance: it is likely to
// succeed right beside a point at which it has failed, where f is the same but for
// rounding. So a failure need not cost more than another query, whatever the algorithm
// wanted to know. An Objective does that for all that is asked of it. Start with New.
package nearby

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// attempts is how often a point is asked again in all: where half of all points fail,
	// one in 256 has failed by then.
	attempts = 8
	// leastHelp is the share of failed points for which asking again must have helped to be
	// worth it: beyond a wall it never does.
	leastHelp = 0.2
	// vainShare is the share of all queries by which those in vain may outnumber the others.
	vainShare = 0.05
	// atFirst is how many points are asked again together before it is known whether that
	// helps; then atFirst more for each that it has helped.
	atFirst = 7
)

// parts are how far away it asks again, as parts of the way to the origin: first as far as
// rounding x does, and then, where that has not helped because f does not see so small a
// difference, further.
var parts = [...]float64{0x1p-52, 0x1p-42, 0x1p-32}

// An Objective is a function that is asked again where it fails. A point x is asked for at
//
//	(1 − kδ)x,   k = 1, …, 8,
//
// which is within any bounds that have x and the origin inside. Nothing is asked again
// before f has been finite somewhere.
type Objective struct {
	f      objective.Objective
	finite bool // f has been finite somewhere
	asked  int  // points so far
	record [len(parts)]record
}

// A record says how often asking again at some distance has helped.
type record struct{ tried, helped int }

// worth reports whether it is worth going on, as if two tries more had helped and two had
// not: seven in vain are enough to give up.
func (r record) worth() bool {
	return float64(r.helped+2) >= leastHelp*float64(r.tried+4)
}

// New returns f, asked again where it fails; f itself if it is such a function already.
func New(f objective.Objective) objective.Objective {
	if _, already := f.(interface{ AsksAgain() }); already {
		return f
	}
	return &Objective{f: f}
}

// AsksAgain says that it asks again.
func (o *Objective) AsksAgain() {}

// Dim returns the dimension of f.
func (o *Objective) Dim() int { return o.f.Dim() }

// Evaluate evaluates f, and where it has failed f next to it, for as long as that is worth
// it.
func (o *Objective) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := o.f.Evaluate(ctx, points, values); err != nil {
		return err
	}
	o.asked += len(values)
	var queue []failure
	for i, v := range values {
		if ok(v) {
			o.finite = true
		} else {
			queue = append(queue, failure{i, 1})
		}
	}
	for len(queue) > 0 && o.finite {
		far, n := o.next()
		if n <= 0 {
			return nil
		}
		n = min(n, len(queue))
		now := queue[:n]
		again, err := query.Ask(ctx, o.f, n, func(k int, x []float64) {
			copy(x, points.RawRowView(now[k].row))
			floats.Scale(1-float64(float64(now[k].attempt)*parts[far]), x)
		})
		if err != nil { // the batch itself is done
			return &objective.PartialError{Done: len(values), Spent: len(values), Err: objective.Cause(err)}
		}
		queue = queue[n:]
		for k, v := range again {
			o.record[far].tried++
			if ok(v) {
				o.record[far].helped++
				values[now[k].row] = v
			} else if next := now[k].attempt + 1; next <= attempts {
				queue = append(queue, failure{now[k].row, next})
			}
		}
	}
	return nil
}

// next returns how far away to ask again, and for how many points at most; 0: it is not
// worth it.
func (o *Objective) next() (far, most int) {
	far = slices.IndexFunc(o.record[:], record.worth)
	if far < 0 {
		return far, 0
	}
	most = 1 + int(vainShare*float64(o.asked))
	for _, r := range o.record {
		most += r.helped - (r.tried - r.helped)
	}
	return far, min(most, atFirst*(1+o.record[far].helped))
}

// A failure is a row of a batch at which f has failed, and how often it will have been asked
// again the next time.
type failure struct{ row, attempt int }

// ok reports whether f has not failed.
func ok(v float64) bool { return v < math.Inf(1) }
