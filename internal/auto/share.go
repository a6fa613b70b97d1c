package auto

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"
)

// errShare ends a part of a run that has had its share of the budget.
var errShare = errors.New("auto: this part of the search has had its share of the budget")

// A share is f for a part of a run that may ask for so many queries and not for more. A
// batch that would go beyond is not asked.
type share struct {
	*watched
	most, spent int
	// beyond is called before a batch of n queries that goes beyond what the part
	// usually takes. Its error ends the part.
	usual  int
	beyond func(ctx context.Context, n int) error // nil: none
}

// Evaluate evaluates f.
func (s *share) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, _ := points.Dims()
	if s.spent+n > s.most {
		return errShare
	}
	if s.beyond != nil && s.spent+n > s.usual {
		if err := s.beyond(ctx, n); err != nil {
			return err
		}
	}
	before := s.queries
	err := s.watched.Evaluate(ctx, points, values)
	s.spent += s.queries - before // more than n where f has failed
	return err
}
