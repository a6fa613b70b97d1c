package query_test

import (
	"context"
	"errors"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// late answers its second point, which has failed, and then ends.
type late struct{}

func (late) Dim() int { return 1 }
func (f late) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return f.Each(ctx, points, values, func(int, objective.Answer) {})
}
func (late) Each(_ context.Context, _ *mat.Dense, _ []float64, tell func(int, objective.Answer)) error {
	tell(1, objective.Answer{Failure: &objective.Failure{Kind: objective.BadExit}})
	return &objective.PartialError{Spent: 1, Err: errors.New("ended")}
}

// A failure is counted if its query is, although a point before it has no answer.
func TestFailuresOutOfTurn(t *testing.T) {
	meter := query.NewMeter(query.NewGuard(late{}), 10)
	r := query.NewRecord(meter, query.Rules{}, nil)
	if err := r.Evaluate(context.Background(), mat.NewDense(3, 1, nil), make([]float64, 3)); err == nil {
		t.Fatal("no error")
	}
	if counts, _, _ := r.Failures(); meter.Queries() != 1 || counts[objective.BadExit] != 1 {
		t.Errorf("%d queries, failures %v", meter.Queries(), counts)
	}
}
