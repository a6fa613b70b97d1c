package outer

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A law is a family of powers, given by parameters: those to start from near a map, and the map, nil if there is none.
type law struct {
	start func(near *Map) []float64
	made  func(r, s float64, x []float64) *Map
}

// laws are the families that Fitted tries, the simplest first: the powers that have names
// of f itself, any power of f, e^{γt}, the powers that have names, and all powers.
func laws() []law {
	ofF := func(p float64) law {
		return law{func(*Map) []float64 { return nil }, func(r, s float64, _ []float64) *Map { return fromPole(r, s, 0, p) }}
	}
	// By how far the pole is below all values: ln((lo − pole)/2s), with lo = r − s, so that κ = s/(r − pole) = 1/(1 + 2eˣ).
	named := func(p float64) law {
		return law{func(near *Map) []float64 {
			return []float64{math.Log((1/max(near.kappa, 0.5) - 1) / 2)}
		}, func(r, s float64, x []float64) *Map {
			kappa := 1 / (1 + float64(2*math.Exp(x[0])))
			return Power(r, s, (p-1)*kappa, kappa)
		}}
	}
	return []law{
		ofF(2), ofF(0.5), ofF(0),
		{func(near *Map) []float64 { return []float64{near.raisedTo()} }, func(r, s float64, x []float64) *Map { return fromPole(r, s, 0, x[0]) }},
		{func(near *Map) []float64 { return []float64{near.gamma} }, func(r, s float64, x []float64) *Map { return Power(r, s, x[0], 0) }},
		named(2), named(0.5), named(0),
		{func(near *Map) []float64 { return []float64{near.gamma, near.kappa} }, func(r, s float64, x []float64) *Map {
			return Power(r, s, x[0], min(max(x[1], -nearest), nearest))
		}},
	}
}

// raisedTo returns p = ω/κ, or 1 where that is not a number of ordinary size.
func (m *Map) raisedTo() float64 {
	if p := (m.kappa + m.gamma) / m.kappa; math.Abs(p) < mostGamma {
		return p
	}
	return 1
}

// fromPole returns the power p of f − pole; nil if values of f are on both sides of it.
func fromPole(r, s, pole, p float64) *Map {
	kappa := s / (r - pole)
	if !(math.Abs(kappa) <= 1) {
		return nil
	}
	return Power(r, s, (p-1)*kappa, kappa)
}

// fitted returns the best map of a family that is reached from several starts, and what it leaves, per square and number; nil: there is none.
func (l law) fitted(e *evidence) (best *Map, least float64) {
	starts := []*Map{Power(e.r, e.s, 1, 0), Power(e.r, e.s, -1, 0)}
	for _, kappa := range []float64{0.5, 0.9, 1 - 1e-5} {
		for _, p := range []float64{2, 0.5, 0} {
			starts = append(starts, Power(e.r, e.s, (p-1)*kappa, kappa))
		}
	}
	least = math.Inf(1)
	for _, start := range starts {
		from := l.start(start)
		x, left := Descend(from, func(x []float64) []float64 { return e.residuals(l.made(e.r, e.s, x)) })
		if there := floats.Norm(left, 2) / math.Sqrt(float64(len(left))); left != nil && there < least {
			best, least = l.made(e.r, e.s, x), there
		}
		if len(from) == 0 {
			break
		}
	}
	return best, least
}

const (
	mostSteps = 40
	halvings  = mostSteps / 2 // of a step
	slight    = 1e-6          // the change of a parameter for a derivative
	by        = 4             // the factor of damping
)

// Descend goes the way of Gauss and Newton, with damping, from some parameters to those that leave the least sum of squares of
// residuals (nil: they are none there), and returns these, too.
func Descend(x []float64, residuals func(x []float64) []float64) (best, left []float64) {
	now := residuals(x)
	damping := 1e-3
	for step := 0; now != nil && step < mostSteps && len(x) > 0; step++ {
		slopes := make([][]float64, len(x))
		for i := range x {
			moved := slices.Clone(x)
			moved[i] -= math.Copysign(slight, moved[i]) // away from the pole
			if slopes[i] = residuals(moved); slopes[i] == nil {
				break
			}
			kernel.AddScaled(slopes[i], -1, now)
			floats.Scale(1/(moved[i]-x[i]), slopes[i])
		}
		if slopes[len(x)-1] == nil {
			break
		}
		before := kernel.Dot(now, now)
		for range halvings {
			next := slices.Clone(x)
			kernel.AddScaled(next, -1, damped(slopes, now, damping))
			if there := residuals(next); there != nil && kernel.Dot(there, there) < before {
				x, now = next, there
				damping /= by
				break
			}
			damping *= by
		}
		if kernel.Dot(now, now) > before*(1-1e-9) {
			break
		}
	}
	return x, now
}

// damped returns the solution of (JᵀJ + λ diag JᵀJ)y = Jᵀr for some columns of J; 0 if there is
// none.
func damped(columns [][]float64, r []float64, lambda float64) []float64 {
	n := len(columns)
	square, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range columns {
		for j := range i + 1 {
			square.SetSym(i, j, kernel.Dot(a, columns[j]))
		}
		square.SetSym(i, i, float64(square.At(i, i)*(1+lambda))+math.SmallestNonzeroFloat64)
		right.SetVec(i, kernel.Dot(a, r))
	}
	y := mat.NewVecDense(n, nil)
	var c mat.Cholesky
	if !c.Factorize(square) || c.SolveVecTo(y, right) != nil && !kernel.Finite(mat.Norm(y, 2)) {
		return make([]float64, n)
	}
	return y.RawVector().Data
}
