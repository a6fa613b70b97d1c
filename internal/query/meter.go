package query

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Meter counts queries and enforces a budget. A batch that would overrun the
// budget is evaluated up to the limit; then Evaluate returns ErrBudget. So the
// budget is never exceeded, not even by one query, and a batch that does not fit
// leaves nothing of it unspent. Once the context has ended the Meter evaluates
// nothing more, whether or not the objective checks the context.
type Meter struct {
	wrapped
	numbered bool // f is told the numbers of its queries
	budget   int
	queries  int
}

// NewMeter allows budget queries of f. It panics if budget < 0.
func NewMeter(f objective.Objective, budget int) *Meter {
	if budget < 0 {
		panic(fmt.Sprintf("objective: a budget of %d queries", budget))
	}
	return &Meter{wrapped: wrapped{f}, numbered: numbered(f), budget: budget}
}

// Queries returns how many points have been evaluated.
func (m *Meter) Queries() int { return m.queries }

// Budget returns the most queries that the Meter allows.
func (m *Meter) Budget() int { return m.budget }

// Evaluate evaluates as much of the batch as the budget allows.
func (m *Meter) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return m.Each(ctx, points, values, nobody)
}

// Each evaluates as much of the batch as the budget allows, and tells every answer.
func (m *Meter) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, left := len(values), m.budget-m.queries
	if m.numbered {
		before := m.queries
		ctx = WithNumbers(ctx, func(i int) int { return before + i + 1 })
	}
	if n <= left {
		return m.count(n, Each(ctx, m.f, points, values, tell))
	}
	if left > 0 {
		if err := m.count(left, Each(ctx, m.f, rows(points, 0, left), values[:left], tell)); err != nil {
			return err
		}
	}
	return partial(left, left, objective.ErrBudget)
}

// count adds the queries that a batch of n points has cost, and returns err.
func (m *Meter) count(n int, err error) error {
	_, spent := progress(n, err)
	m.queries += spent
	return err
}
