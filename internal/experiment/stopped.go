package experiment

import (
	"context"
	"errors"
	"fmt"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// A stopped road ends after so many queries, with the best frame that it has by then. If it
// has none, these are the coordinates as given.
type stopped struct {
	road    identify.Identifier
	queries int
}

// Name names the road and where it ends.
func (s stopped) Name() string { return fmt.Sprintf("%s-%d", s.road.Name(), s.queries) }

// Identify goes the road up to its end.
func (s stopped) Identify(ctx context.Context, f objective.Objective, r identify.Request) (*identify.Finding, error) {
	found := identify.Known(nil, nil)
	if s.queries > 0 {
		var err error
		meter := query.NewMeter(f, s.queries)
		found, err = identify.Find(ctx, s.road, meter, r)
		over := errors.Is(err, objective.ErrBudget) && meter.Queries() == s.queries
		if err != nil && !over && !errors.Is(err, identify.ErrSmallBudget) {
			return found, err
		}
	}
	if found.Frame == nil {
		found = identify.Known(frame.Identity(f.Dim()), nil)
	}
	return found, nil
}
