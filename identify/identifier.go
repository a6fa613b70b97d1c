package identify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
)

// An Identifier is a way from queries to a frame. Survey and Paper are the two of this
// package; one from elsewhere is used like them.
type Identifier interface {
	// Name returns the name by which users know it.
	Name() string
	// Identify looks for coordinates in which f separates. Known makes a Finding of a
	// frame. The Finding is never nil.
	// If f ends the search by an error, a spent budget for one, what has been found
	// so far comes with the error, and Finding.Frame is nil if there was none yet.
	Identify(ctx context.Context, f objective.Objective, r Request) (*Finding, error)
}

// A Request says where to look. Its zero value looks in [-1, 1]^d.
type Request struct {
	// Box is where to sample. Default [-1, 1]^d.
	Box objective.Box
	// Bounds limit what is asked. Sides may be infinite. Default: no limit.
	Bounds objective.Box
	// Seed determines all randomness.
	Seed uint64
	// Grain is how exact the values of f are, as grains.Measure finds it out.
	// Default objective.Rounding.
	Grain objective.Grain
	// Stage, if not nil, is told what is being done from now on.
	Stage func(objective.Stage)
}

// complete puts the defaults in and returns an *objective.OptionError if a field is bad.
func (r *Request) complete(d int) error {
	if r.Box.IsZero() {
		r.Box = objective.Cube(d, -1, 1)
	}
	if r.Bounds.IsZero() {
		r.Bounds = unbounded(d)
	}
	if r.Grain == (objective.Grain{}) {
		r.Grain = objective.Rounding
	}
	if r.Stage == nil {
		r.Stage = func(objective.Stage) {}
	}
	return certify.CheckBox(r.Box, r.Bounds, d)
}

// unbounded is no limit.
func unbounded(d int) objective.Box { return objective.Cube(d, math.Inf(-1), math.Inf(1)) }

// bounded reports whether anything limits what may be asked.
func (r Request) bounded() bool {
	for k := range r.Bounds.Lo {
		if !math.IsInf(r.Bounds.Lo[k], -1) || !math.IsInf(r.Bounds.Hi[k], 1) {
			return true
		}
	}
	return false
}

// identifiers are the identifiers that have a name, the default first.
var identifiers = []Identifier{Survey{}, Paper{}, allLimits}

// Names returns the names of all identifiers, the default first.
func Names() []string {
	var names []string
	for _, by := range identifiers {
		names = append(names, by.Name())
	}
	return names
}

// Named returns the identifier of that name, otherwise with its default settings.
func Named(name string) (Identifier, error) {
	for _, by := range identifiers {
		if by.Name() == name {
			return by, nil
		}
	}
	return nil, objective.BadOption("Identifier", "unknown identifier %q: must be one of %s", name, strings.Join(Names(), ", "))
}

// The stages of identifiers, as Request.Stage is told of them.
var (
	firstLook   = objective.Stage{Name: "first look", Purpose: objective.ToFind}
	hessians    = objective.Stage{Name: "hessians", Purpose: objective.ToFind}
	powerMethod = objective.Stage{Name: "power method", Purpose: objective.ToFind}
	certificate = objective.Stage{Name: "certificate", Purpose: objective.ToCheck}
	scales      = objective.Stage{Name: "scales", Purpose: objective.AlongThem}
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

// check returns an error if a finding with a frame is none of a function of d dimensions.
func (f *Finding) check(d int) error {
	m := f.Frame.Components()
	_, ours := f.Map.(*outer.Map) // one that Survey finds
	switch {
	case f.Frame.Dim() != d:
		return fmt.Errorf("it found a frame of %d dimensions, the objective has %d", f.Frame.Dim(), d)
	case f.Map != nil && !ours:
		return fmt.Errorf("it found a map of type %T: only those that Survey finds can be undone", f.Map)
	case f.Linear < -1 || f.Linear >= m:
		return fmt.Errorf("it found f linear in component %d of 0 to %d (-1: in none)", f.Linear, m-1)
	}
	return certify.CheckBlocks(f.Blocks, m)
}
