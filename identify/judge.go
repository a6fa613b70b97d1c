package identify

import (
	"context"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
)

// Judge certifies a frame that is known from elsewhere, with its blocks (nil: all
// of one component), after an outer map if f has one, and measures what Survey.Measures asks
// for. It looks for no other; as with Identify the Finding is never nil, and random numbers come from
// the stream ("identify", "survey").
func (s Survey) Judge(ctx context.Context, f objective.Objective, given *frame.Frame, blocks [][]int, r Request) (*Finding, error) {
	w, err := s.begin(ctx, f, r)
	if err != nil {
		return Known(nil, nil), err
	}
	if given == nil || given.Dim() != f.Dim() {
		return Known(nil, nil), objective.BadOption("Frame", "is nil, or has another number of coordinates than f, which has %d", f.Dim())
	}
	if blocks == nil {
		blocks = certify.Singles(given.Components())
	}
	if err := certify.CheckBlocks(blocks, given.Components()); err != nil {
		return Known(nil, nil), err
	}
	w.stage(firstLook)
	if err := w.g.rescale(); err != nil {
		return Known(nil, nil), err
	}
	found := Known(given, blocks)
	if err := w.certify(found, s.Slack); err != nil {
		return found, err
	}
	if found.Certificate.Verdict == certify.NotSeparable {
		var err error
		if found, err = w.under(found); err != nil {
			return found, err
		}
	}
	if found.Certificate.Verdict == certify.NotSeparable {
		if err := w.givenNearly(found); err != nil {
			return found, err
		}
	}
	w.stage(scales)
	return found, w.lengths(found)
}
