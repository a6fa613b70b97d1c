package problem

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/objective"
)

// Blemishes make a problem more like those that people have. They are applied in the order
// of the fields. With v = f − min f, s the standard deviation of f over the domain (for the
// noise after a map: of the mapped function) and m components:
type Blemishes struct {
	Single bool // f is computed in single precision; not with Coupling

	Coupling     float64 // D: plus D·s times a coupling of standard deviation 1; not with Map
	CouplingKind string  // "sines" or "products"; "": sines

	Map string // "sqrt", "log", "square", "exp" or "rms": √(1+v/s), log(1+v/s), (v/s)², exp(v/s), √(v/m)

	Noise         float64 // S: plus S·s·ξ, where ξ is Gaussian and depends on the seed and the number of the query alone
	NoiseRelative float64 // S: times 1+S·ξ, where ξ is another such number

	ScaleValue float64 // A: times A; 0: times 1
	Offset     float64 // B: plus B

	Digits int // N: rounded to N significant digits; 0: not rounded

	Failing       float64  // P: NaN at a share P of points, by a hash of the point
	FailingBeyond *float64 // T: NaN where ⟨n, x−x*⟩ > T widths of the domain, n a random direction
}

// mostDigits is how many significant digits tell all float64 apart.
const mostDigits = 17

// complete checks the blemishes of a problem of m components, and writes them in the one
// way in which they are compared.
func (b *Blemishes) complete(m int) error {
	atLeast0 := func(option string, v float64) error {
		if !(v >= 0) || math.IsInf(v, 1) {
			return objective.BadOption(option, "%v, must be a number of at least 0", v)
		}
		return nil
	}
	for _, c := range []struct {
		option string
		value  float64
	}{{"Coupling", b.Coupling}, {"Noise", b.Noise}, {"NoiseRelative", b.NoiseRelative}, {"ScaleValue", b.ScaleValue}} {
		if err := atLeast0(c.option, c.value); err != nil {
			return err
		}
	}
	if err := b.completeCoupling(m); err != nil {
		return err
	}
	if b.Map != "" && outerMaps[b.Map] == nil {
		return objective.BadOption("Map", "unknown map %q: must be one of %s", b.Map, strings.Join(Maps(), ", "))
	}
	if b.ScaleValue == 1 {
		b.ScaleValue = 0
	}
	switch {
	case math.IsNaN(b.Offset) || math.IsInf(b.Offset, 0):
		return objective.BadOption("Offset", "%v, must be finite", b.Offset)
	case b.Digits < 0 || b.Digits > mostDigits:
		return objective.BadOption("Digits", "%d, must be from 1 to %d", b.Digits, mostDigits)
	case !(b.Failing >= 0 && b.Failing < 1):
		return objective.BadOption("Failing", "%v, must be at least 0 and below 1", b.Failing)
	}
	if b.FailingBeyond != nil {
		b.FailingBeyond = new(*b.FailingBeyond)
		return atLeast0("FailingBeyond", *b.FailingBeyond)
	}
	return nil
}

// completeCoupling checks the coupling of m components.
func (b *Blemishes) completeCoupling(m int) error {
	if b.CouplingKind != "" && couplingKinds[b.CouplingKind] == nil {
		return objective.BadOption("CouplingKind", "unknown kind %q: must be one of %s", b.CouplingKind, strings.Join(CouplingKinds(), ", "))
	}
	switch {
	case b.Coupling == 0 && b.CouplingKind != "":
		return objective.BadOption("CouplingKind", "%q needs a coupling above 0", b.CouplingKind)
	case b.Coupling == 0:
		return nil
	case b.Single:
		return objective.BadOption("Single", "cannot be combined with a coupling")
	case m < 2:
		return objective.BadOption("Coupling", "needs at least 2 components, and there is 1")
	case b.Map != "":
		return objective.BadOption("Map", "%q cannot be combined with a coupling", b.Map)
	case b.CouplingKind == "":
		b.CouplingKind = CouplingKinds()[0]
	}
	return nil
}

// String returns the blemishes as the flags of the program are called, in the order in
// which they are applied: "map=sqrt noise=1e-06". Equal blemishes have equal texts. No
// blemishes are "".
func (b Blemishes) String() string {
	var parts []string
	say := func(name string, v float64, given bool) {
		if given {
			parts = append(parts, name+"="+strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	if b.Single {
		parts = append(parts, "single")
	}
	if say("coupling", b.Coupling, b.Coupling != 0); b.Coupling != 0 {
		kind := b.CouplingKind
		kind = cmp.Or(kind, CouplingKinds()[0])
		parts = append(parts, "coupling-kind="+kind)
	}
	if b.Map != "" {
		parts = append(parts, "map="+b.Map)
	}
	say("noise", b.Noise, b.Noise != 0)
	say("noise-relative", b.NoiseRelative, b.NoiseRelative != 0)
	say("scale-value", b.ScaleValue, b.ScaleValue != 0 && b.ScaleValue != 1)
	say("offset", b.Offset, b.Offset != 0)
	if b.Digits != 0 {
		parts = append(parts, fmt.Sprintf("digits=%d", b.Digits))
	}
	say("failing", b.Failing, b.Failing != 0)
	if b.FailingBeyond != nil {
		say("failing-beyond", *b.FailingBeyond, true)
	}
	return strings.Join(parts, " ")
}

// Maps returns the names of the maps.
func Maps() []string { return slices.Clone(mapOrder) }

// CouplingKinds returns the names of the kinds of coupling, the default first.
func CouplingKinds() []string { return []string{"sines", "products"} }
