package identify

import (
	"context"
	"errors"
	"fmt"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
)

// A Checker is an Identifier that can say before the first query what is wrong with its
// settings, or with a request. Survey and Paper do.
type Checker interface {
	// Check returns an *objective.OptionError if it cannot look as it is asked to at a
	// function of d dimensions.
	Check(d int, r Request) error
}

// Find lets an identifier look for coordinates and holds what it returns against the
// contract of Identifier, so that a mistake in an identifier of one's own is named and
// not met later: the Finding is never nil, its frame is one of f, and its blocks are those
// of the frame, single components if it names none. The identifier gets the request with its
// defaults in place.
func Find(ctx context.Context, by Identifier, f objective.Objective, r Request) (*Finding, error) {
	if err := r.complete(f.Dim()); err != nil {
		return Known(nil, nil), err
	}
	found, err := by.Identify(ctx, f, r)
	if found == nil {
		found = Known(nil, nil)
	}
	if found.Frame == nil {
		return found, err
	}
	if found.Blocks == nil {
		found.Blocks = certify.Singles(found.Frame.Components())
	}
	if wrong := found.check(f.Dim()); wrong != nil {
		return Known(nil, nil), errors.Join(err, fmt.Errorf("the identifier %s: %w", by.Name(), wrong))
	}
	return found, err
}

// ours reports whether a map is one that Survey finds.
func ours(m Map) bool {
	_, found := m.(*outer.Map)
	return found
}

// check returns an error if a finding with a frame is none of a function of d dimensions.
func (f *Finding) check(d int) error {
	m := f.Frame.Components()
	switch {
	case f.Frame.Dim() != d:
		return fmt.Errorf("it found a frame of %d dimensions, the objective has %d", f.Frame.Dim(), d)
	case f.Map != nil && !ours(f.Map):
		return fmt.Errorf("it found a map of type %T: only those that Survey finds can be undone", f.Map)
	case f.Linear < -1 || f.Linear >= m:
		return fmt.Errorf("it found f linear in component %d of 0 to %d (-1: in none)", f.Linear, m-1)
	}
	return certify.CheckBlocks(f.Blocks, m)
}
