package identify

import (
	"context"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// Judge certifies a frame that is known from elsewhere, with its blocks (nil: all
// of one component), and measures what Survey.Measures asks for. It looks for no
// other; as with Identify the Finding is never nil, and random numbers come from
// the stream ("identify", "survey").
func (s Survey) Judge(ctx context.Context, f objective.Objective, given *frame.Frame, blocks [][]int, seed rng.Seed) (*Finding, error) {
	r := s.road(ctx, f, seed)
	if blocks == nil {
		blocks = singles(given.Components())
	}
	r.stage("first look")
	if err := r.rescale(); err != nil {
		return r.finding, err
	}
	if err := r.conclude(given, blocks); err != nil {
		return r.finding, err
	}
	r.stage("scales")
	return r.finding, r.scaleAsGiven()
}
