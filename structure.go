package untwist

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Structure is what was learnt about f: the coordinates in which it separates, and the
// evidence for that.
type Structure struct {
	// Dim is the number of dimensions of f.
	Dim int
	// Frame has the coordinates, as rows of length 1 in the user's own
	// coordinates; nil if none were found.
	Frame *frame.Frame
	// Blocks are the components that f couples, in ascending order. If f is separable,
	// each block has one component.
	Blocks [][]int
	// Map undoes an outer map: it is ψ(f) that separates, and all that is said here about f
	// is said about ψ(f); nil if there is no map.
	Map identify.Map
	// Linear is a component in which f is linear, so that a search could leave it out;
	// -1 if there is none.
	Linear int
	// Quadratic says that f has the same Hessian everywhere. Then any conjugate
	// basis separates it, and the frame is one of many.
	Quadratic   bool
	Certificate certify.Certificate

	// Pairs are the pairs of components that carry the couplings, the strongest first, where
	// f nearly separates: nine tenths of the sum of squares of their mixed differences.
	Pairs []certify.Pair
	// Residual is how far the frame may still be from the truth: the largest
	// error E of a component that the last check has found.
	Residual float64
	// Spectrum is the spectrum of the Hessians, in coordinates scaled by the start box.
	Spectrum identify.Spectrum
	// Before and After are the couplings |H_ij|/√|H_ii H_jj| of sampled Hessians: Before
	// in coordinates scaled by the start box, After in the frame. They are nil on the
	// paper's road, and where the given coordinates were the right ones.
	Before, After *mat.Dense
	// Interactions says which parameters interact, in the coordinates given; nil: nobody has asked.
	Interactions *InteractionGraph
}

// noStructure is what is known before anything has been learnt.
func noStructure(dim int) Structure {
	return Structure{Dim: dim, Linear: -1, Certificate: certify.None()}
}

// structure returns what was found, in the user's coordinates.
func (r *run) structure(found *identify.Finding) (Structure, error) {
	out := Structure{
		Dim: r.scale.Dim(), Blocks: found.Blocks, Map: found.Map, Linear: found.Linear, Quadratic: found.Quadratic,
		Certificate: found.Certificate, Residual: found.Residual,
		Spectrum: found.Spectrum, Before: found.Before, After: found.After,
	}
	if found.Frame == nil {
		return out, nil
	}
	if found.Certificate.Verdict == certify.NearlySeparable {
		out.Pairs = certify.Carriers(found.Pairs)
	}
	if r.users == nil || r.usersOf != found.Frame {
		users, err := unscaled(found.Frame, r.options.Start)
		if err != nil {
			return out, err
		}
		r.users, r.usersOf = users, found.Frame
	}
	out.Frame = r.users
	return out, nil
}

// String says in a sentence what was found.
func (s Structure) String() string {
	if s.Frame == nil && s.Interactions != nil {
		return s.Interactions.String()
	}
	if s.Frame == nil {
		return "no coordinates were found"
	}
	m := s.Frame.Components()
	coordinates := words.Count(m, "rotated coordinate", "rotated coordinates")
	switch {
	case s.Frame.AlongAxes() && m == s.Frame.Dim():
		coordinates = "the coordinates given"
	case s.Frame.AlongAxes():
		coordinates = fmt.Sprintf("%d of the coordinates given", m)
	}
	var text strings.Builder
	switch s.Certificate.Verdict {
	case certify.Separable:
		fmt.Fprintf(&text, "separable in %s", coordinates)
	case certify.Blocks:
		fmt.Fprintf(&text, "separable into %s made up of %s", words.Count(len(s.Blocks), "block", "blocks"), coordinates)
	case certify.NearlySeparable:
		fmt.Fprintf(&text, "nearly separable in %s: couplings are %s of single differences", coordinates, percent(s.Certificate.Coupling))
		if len(s.Pairs) > 0 { // people count from 1
			fmt.Fprintf(&text, ", most between %d and %d", s.Pairs[0].I+1, s.Pairs[0].J+1)
		}
		return text.String()
	case certify.NotSeparable:
		text.WriteString("not separable in any coordinates that were tried")
	default:
		text.WriteString("rough coordinates were found, and could not be certified")
	}
	if v := s.Certificate.Verdict; m < s.Frame.Dim() && (v == certify.Separable || v == certify.Blocks) {
		fmt.Fprintf(&text, " out of %d dimensions", s.Frame.Dim())
	}
	switch {
	case s.Map != nil:
		fmt.Fprintf(&text, " after an outer map, f ≈ %s", s.mapped())
	case s.Quadratic:
		text.WriteString(", a quadratic")
	}
	if s.Linear >= 0 {
		text.WriteString(", linear in one of them")
	}
	if s.Certificate.LeavesOut() {
		text.WriteString(", which leave out directions on which f depends")
	}
	switch c := s.Certificate; {
	case math.IsNaN(c.Coupling):
		text.WriteString(" (f is too large to measure how far they separate it)")
	case c.Splits > 0 && c.Coupling == 0:
		text.WriteString(" (mixed differences are 0)")
	case c.Splits > 0:
		fmt.Fprintf(&text, " (mixed differences are %.0e of single ones)", c.Coupling)
	}
	return text.String()
}

// Combinations says each coordinate in words, by the names of the parameters: "0.6·p - 0.8·q", or
// "k^0.7·d^-0.7" where all are on a logarithmic scale.
func (s Structure) Combinations(parameters []Parameter) []string {
	if s.Frame == nil {
		return nil
	}
	out := make([]string, s.Frame.Components())
	for j := range out {
		out[j] = parameter.Space(parameters).Combination(s.Frame.Matrix().RawRowView(j))
	}
	return out
}

// mapped says in words what f is after an outer map.
func (s Structure) mapped() string {
	what := "sum"
	if s.Quadratic {
		what = "quadratic"
	}
	switch name := s.Map.Name(); name {
	case outer.Some:
		return fmt.Sprintf("an increasing function of a %s", what)
	case outer.PowerLaw:
		return fmt.Sprintf("a %s to the power of %.2g", what, s.Map.Exponent())
	default:
		return fmt.Sprintf("%s of a %s", name, what)
	}
}

// percent returns a part as a percentage of one or two digits.
func percent(part float64) string { return fmt.Sprintf("%.2g %%", 100*part) }

// unscaled turns a frame of scaled coordinates z = (x−c)/half into a frame of x:
// ⟨w, z⟩ = ⟨w/half, x⟩ plus a constant. Rows along a coordinate do not change, and no row
// changes if all coordinates have the same width.
func unscaled(f *frame.Frame, start Box) (*frame.Frame, error) {
	return divided(f, func(k int) float64 { return (start.Hi[k] - start.Lo[k]) / 2 })
}

// scaled turns a frame of x into a frame of scaled coordinates.
func scaled(f *frame.Frame, start Box) (*frame.Frame, error) {
	return divided(f, func(k int) float64 { return 2 / (start.Hi[k] - start.Lo[k]) })
}

// divided returns a frame with the k-th number of every row divided by by(k), and with its
// rows scaled back to length 1. It is f itself, at once, if no row changes.
func divided(f *frame.Frame, by func(k int) float64) (*frame.Frame, error) {
	changed := false
	for i := range f.Components() {
		first := 0.0 // by(k) of the first number that is not 0
		for k, v := range f.Matrix().RawRowView(i) {
			if v == 0 {
				continue
			}
			if first == 0 {
				first = by(k)
			}
			changed = changed || by(k) != first
		}
	}
	if !changed {
		return f, nil
	}
	w := mat.DenseCopyOf(f.Matrix())
	for i := range f.Components() {
		row := w.RawRowView(i)
		for k, v := range row {
			if v != 0 {
				row[k] = v / by(k)
			}
		}
	}
	return frame.New(w)
}

// A Profile is f along a component: f_j up to a constant. After an outer map it is how much f
// itself rises along the component, from the point found.
type Profile = frame.Profile

// A Well is a local minimum along a component.
type Well = frame.Well

// profiles turns profiles into the user's coordinates. With z = (x−c)/half and v = w/half,
// ⟨w, z⟩ = ⟨v, x⟩ − ⟨v, c⟩, and the row of the user's frame is v/‖v‖. So its coordinate is
// ⟨v, x⟩/‖v‖ = (⟨w, z⟩ + ⟨v, c⟩)/‖v‖.
func (r *run) profiles(found *identify.Finding, in []Profile) []Profile {
	start := r.options.Start
	var out []Profile
	for _, p := range in {
		v := slices.Clone(found.Frame.Matrix().RawRowView(p.Component))
		origin := 0.0
		for k := range v {
			v[k] *= 2 / (start.Hi[k] - start.Lo[k])
			origin += float64(v[k] * (start.Lo[k] + float64((start.Hi[k]-start.Lo[k])/2)))
		}
		length := floats.Norm(v, 2)
		place := func(y float64) float64 { return (y + origin) / length }
		p.Y, p.Wells = slices.Clone(p.Y), slices.Clone(p.Wells)
		for i, y := range p.Y {
			p.Y[i] = place(y)
		}
		for i, w := range p.Wells {
			p.Wells[i].Y = place(w.Y)
		}
		out = append(out, p)
	}
	return out
}
