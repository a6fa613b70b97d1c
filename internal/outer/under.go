package outer

import (
	"context"
	"math"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// An Under is aψ(f). Asking it asks f.
type Under struct {
	objective.Objective // f
	Map                 *Map
	Factor              float64 // a > 0
}

// Of returns aψ of a value of f.
func (u Under) Of(f float64) float64 { return u.Factor * u.Map.Of(f) }

// Evaluate evaluates aψ(f).
func (u Under) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := u.Objective.Evaluate(ctx, points, values)
	for i, v := range values {
		values[i] = u.Of(v)
	}
	return err
}

// Replace puts another map in place of the one there is, with the factor for which both differ
// by the same between two values.
func (u *Under) Replace(by *Map, lo, hi float64) {
	old, now := u.Map.Of(hi)-u.Map.Of(lo), by.Of(hi)-by.Of(lo)
	if a := u.Factor * (old / now); a > 0 && !math.IsInf(a, 1) {
		u.Factor = a
	}
	u.Map = by
}

// Grain returns the grain of ψ(f), where f has a grain and values from lo to hi: ψ′ times
// that of f, at the lower end whatever the value is, and at the upper end as a part of it; where
// there is noise, as a part of how far ψ has come from the lower end.
func (m *Map) Grain(of objective.Grain, lo, hi float64) objective.Grain {
	low, high := m.Slope(lo)*of.Of(lo), m.Slope(hi)*of.Of(hi)
	relative := objective.Rounding.Relative
	if top := m.Of(hi) - m.Of(lo); of.Noisy() && top > 0 {
		return objective.Grain{Relative: max(relative, min(high/top, 1)), Absolute: low}.From(m.Of(lo))
	}
	if top := math.Abs(m.Of(hi)); high > relative*top {
		relative = min(high/top, 1)
	}
	return objective.Grain{Relative: relative, Absolute: low}
}

// Inverse returns φ(v), the value of f at which ψ(f) is v, by bisection. What is NaN or
// infinite stays as it is.
func (m *Map) Inverse(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	lo, hi := m.r-m.s, m.r+m.s
	for step := m.s; m.Of(lo) > v && !math.IsInf(lo, -1); step *= 2 {
		lo -= step
	}
	for step := m.s; m.Of(hi) < v && !math.IsInf(hi, 1); step *= 2 {
		hi += step
	}
	for {
		mid := lo + (float64(hi/2) - float64(lo/2))
		if !(mid > lo && mid < hi) {
			return hi
		}
		if m.Of(mid) < v {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// Range returns the values of f between which the map was found.
func (m *Map) Range() (lo, hi float64) { return m.r - m.s, m.r + m.s }
