// Package problem holds test problems with known minima,
//
//	f(x) = g(Wx),
//
// where g is a standard function of m components and W is an m×d mixing matrix,
// both drawn from a seed. Start with New; Catalogue lists the names. A Problem
// is an objective.Objective that is safe for concurrent use.
//
// The four problems and the mixing matrices of Fiedler and Roith,
// "Consensus-based optimization for linearly separable functions", section 4,
// have the settings of the published experiment. The other problems are here so
// that nobody tunes a method to those four. All problems except the squared norm
// and different powers have their minimiser at a random place, so that no method
// profits from a minimum in the middle.
//
// The functions bbob-1 to bbob-24 are those of Hansen, Finck, Ros and Auger, "Real-Parameter
// Black-Box Optimization Benchmarking 2009: Noiseless Functions Definitions". They have
// rotations of their own instead of W. Suite has their names.
package problem

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A Spec says which problem is meant. Two equal Specs give the same problem.
type Spec struct {
	Name       string // one of Names
	Dim        int    // d, at least 1
	Components int    // m ≤ d; 0: d
	Mix        string // one of Mixes; "": the problem's own, mostly "paper"; bbob: "" or "block"
	Block      int    // components in a block of ridge-blocks; 0: 4
	BlockCount int    // 7 or 20 blocks of blocks-elliptic and blocks-rastrigin; 0: 7
	Entries    int    // in a row of a banded or sparse W; 0: 3, and microring's own band
	Permute    bool   // whether the columns of a banded or sparse W are in random order
	Seed       uint64
	Blemishes  // what is not clean; zero: nothing

	// Bounds is a box in which the minimiser has to lie; nil: none. Only
	// microring can place its minimiser.
	Bounds *objective.Box
}

// A Problem is f with its minimum.
type Problem struct {
	spec      Spec
	structure Structure
	domain    objective.Box
	g         function
	w         mixing              // nil: the identity
	frame     func() *frame.Frame // made when it is asked for, where that takes long: d³ steps
	minimiser []float64
	minimum   float64
	coupling  *coupling // part of the clean f; nil: there is none
	spoilers  []spoiler // what makes other values of the clean ones, in order
	scratch   chan *scratch
}

// New draws the problem that spec describes.
func New(spec Spec) (*Problem, error) {
	def, err := spec.complete()
	if err != nil {
		return nil, err
	}
	seed := rng.Seed(spec.Seed)
	m, d := spec.Components, spec.Dim
	p := &Problem{spec: spec, structure: def.structure, scratch: make(chan *scratch, 16)}
	lo, hi := def.domain(m)
	p.domain = objective.Cube(d, lo, hi)
	var w mixing
	if def.mix != "" {
		w = mixings[spec.Mix](spec, seed.Stream("problem", "mix"))
	}
	if w != nil && (spec.Mix != "none" || m < d) {
		p.w = w
	}
	p.g = def.draw(drawing{spec: spec, w: w, domain: p.domain, params: seed.Stream("problem", "parameters")})
	if p.frame, err = p.g.coordinates(spec.Mix, w, d); err != nil {
		return nil, err
	}
	p.minimum = p.atMinimum()
	if p.minimiser = p.g.point; p.minimiser == nil {
		p.minimiser = p.preimage(w)
	}
	if err := p.spoil(seed); err != nil {
		return nil, err
	}
	return p, nil
}

// maxSide is the most rows that a square W may have. maxEntries is the most entries
// that any W may have: they take 800 MB.
const maxSide, maxEntries = 10_000, maxSide * maxSide

// complete checks s and fills in the defaults.
func (s *Spec) complete() (definition, error) {
	def, known := named(s.Name)
	s.Components, s.Block = cmp.Or(s.Components, s.Dim), cmp.Or(s.Block, 4)
	switch {
	case !known:
		return def, objective.BadOption("Name", "unknown problem %q: must be one of %s", s.Name, Choice())
	case s.Dim < 1:
		return def, objective.BadOption("Dim", "%d, must be at least 1", s.Dim)
	case s.Components < 1 || s.Components > s.Dim:
		return def, objective.BadOption("Components", "%d, must be from 1 to the dimension, %d", s.Components, s.Dim)
	case s.Components == s.Dim && s.Dim > maxSide:
		return def, objective.BadOption("Dim", "%d, must be at most %d unless there are fewer components than dimensions", s.Dim, maxSide)
	case s.Dim > maxEntries/s.Components:
		return def, objective.BadOption("Dim", "%d with %d components, must be at most %d: W has a row for each component",
			s.Dim, s.Components, maxEntries/s.Components)
	case s.Block < 1:
		return def, objective.BadOption("Block", "%d, must be at least 1", s.Block)
	}
	if err := s.completeMix(def); err != nil {
		return def, err
	}
	if s.Bounds != nil {
		if err := s.Bounds.Check(s.Dim); err != nil {
			return def, objective.BadOption("Bounds", "%v", err)
		}
	}
	return def, s.Blemishes.complete(s.Components)
}

// Complete fills in the defaults, and returns an *objective.OptionError if a field is bad. New
// does the same before it draws the problem, which takes longer.
func (s *Spec) Complete() error {
	_, err := s.complete()
	return err
}

// Spec returns the completed description of the problem.
func (p *Problem) Spec() Spec { return p.spec }

// Description returns the Spec, with its blemishes in words: a record of one problem is not
// taken for that of another.
func (p *Problem) Description() any {
	s := p.spec
	about := description{Name: s.Name, Dim: s.Dim, Components: s.Components, Mix: s.Mix, Block: s.Block, Seed: s.Seed, Bounds: s.Bounds}
	if s.BlockCount != 0 {
		about.BlockCount = &s.BlockCount
	}
	if s.Entries != 0 {
		about.Entries = &s.Entries
	}
	if s.Permute {
		about.Permute = &s.Permute
	}
	if s.Blemishes != (Blemishes{}) {
		about.Options = new(s.Blemishes.String())
	}
	return about
}

// A description is a Spec in a journal.
type description struct {
	Name                string
	Dim, Components     int
	Mix                 string
	Block               int
	Seed                uint64
	BlockCount, Entries *int    // nil: they are 0
	Permute             *bool   // nil: false
	Options             *string // the blemishes; nil: there are none
	Bounds              *objective.Box
}

// Dim returns d.
func (p *Problem) Dim() int { return p.spec.Dim }

// Domain returns the box in which the search usually starts. The minimisers of
// mixed problems may lie far outside.
func (p *Problem) Domain() objective.Box { return p.domain }

// Minimum returns f(x*), the least value of the clean f. It is NaN where nobody knows it:
// with a coupling.
func (p *Problem) Minimum() float64 { return p.minimum }

// Minimiser returns x*, up to rounding. Where m < d there are many minimisers. It
// returns the shortest, unless the problem has drawn another.
func (p *Problem) Minimiser() []float64 { return append([]float64(nil), p.minimiser...) }

// Frame returns the frame of the true W. A bbob function has no W: its frame has the
// coordinates that Blocks means. If all are one block and no outer map separates them, they
// are those after its first rotation, or before the cosines of bbob-24.
func (p *Problem) Frame() *frame.Frame { return p.frame() }

// Blocks returns the blocks of components that f couples. Where f is separable each
// component is a block; where f is not separable all components are one block.
func (p *Problem) Blocks() [][]int { return p.g.blocks }

// Structure says which components f couples.
func (p *Problem) Structure() Structure { return p.structure }

// Layout returns what BlockCount, Entries and Permute say, as the flags of the program are called:
// "entries=5 permute". It is "" where all of them are 0.
func (s Spec) Layout() string {
	var parts []string
	if s.BlockCount != 0 {
		parts = append(parts, fmt.Sprintf("blocks=%d", s.BlockCount))
	}
	if s.Entries != 0 {
		parts = append(parts, fmt.Sprintf("entries=%d", s.Entries))
	}
	if s.Permute {
		parts = append(parts, "permute")
	}
	return strings.Join(parts, " ")
}

func (p *Problem) String() string { return p.spec.String() }

func (s Spec) String() string {
	text := fmt.Sprintf("%s, %d dimensions, %d components", s.Name, s.Dim, s.Components)
	if s.Mix != "" {
		text += ", mix " + s.Mix
	}
	if layout := s.Layout(); layout != "" {
		text += ", " + layout
	}
	text += fmt.Sprintf(", seed %d", s.Seed)
	if options := s.Blemishes.String(); options != "" {
		text += ", " + options
	}
	return text
}
