package identify

import (
	"context"
	"math"
	"strings"

	"github.com/untwist/untwist/certify"
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
