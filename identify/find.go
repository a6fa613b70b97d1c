package identify

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/objective"
)

// Find lets an identifier look for coordinates and holds what it returns against the
// contract of Identifier, so that a mistake in an identifier of one's own is named and
// not met later: the Finding is never nil, its frame is one of f, and its blocks are those
// of the frame, single components if it names none.
func Find(ctx context.Context, by Identifier, f objective.Objective, r Request) (*Finding, error) {
	found, err := by.Identify(ctx, f, r)
	if found == nil {
		return Known(nil, nil), err
	}
	if found.Frame == nil || err != nil {
		return found, err
	}
	if d := found.Frame.Dim(); d != f.Dim() {
		return Known(nil, nil), fmt.Errorf("the identifier %s found a frame of %d dimensions, the objective has %d", by.Name(), d, f.Dim())
	}
	if found.Blocks == nil {
		found.Blocks = certify.Singles(found.Frame.Components())
	}
	if err := certify.CheckBlocks(found.Blocks, found.Frame.Components()); err != nil {
		return Known(nil, nil), fmt.Errorf("the identifier %s: %w", by.Name(), err)
	}
	return found, nil
}
