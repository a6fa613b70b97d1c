package grains

import (
	"math"
	"testing"

	"github.com/untwist/untwist/objective"
)

// By hand: of 0, 0, 0, 1, 0, 0, 0 the differences of order 3 are 1, −3, 3, −1, those of order
// 4 are −4, 6, −4, those of order 5 10, −10 and that of order 6 −20. With (k!)²/(2k)! = 1/20,
// 1/70, 1/252 and 1/924 σ_k² is 20/20/4, 68/70/3, 200/252/2 and 400/924.
func TestTableOfDifferencesByHand(t *testing.T) {
	sigma, least := differences([]float64{0, 0, 0, 1, 0, 0, 0})
	if want := math.Sqrt(200. / 504); math.Abs(sigma-want) > 1e-15 {
		t.Errorf("σ = %v, want %v", sigma, want)
	}
	if want := 0.5; math.Abs(least-want) > 1e-15 {
		t.Errorf("at least %v, want %v", least, want)
	}
	if sigma, least := differences([]float64{3, 5, 9, 15, 23, 33, 45}); sigma != 0 || least != 0 {
		t.Errorf("a parabola has %v and %v", sigma, least)
	}
}

// By hand: variances of 1 and 2¼ where f is 10 and 10, and of 1 and 10,000 where it is 10 and
// 1,000.
func TestFittedByHand(t *testing.T) {
	at := func(f, s float64) []float64 { // seven values of mean f, standard deviation s
		var v []float64
		for _, k := range []float64{-3, -2, -1, 0, 1, 2, 3} {
			v = append(v, f+k*s*math.Sqrt(6./28))
		}
		return v
	}
	if g := fitted(at(10, 1), at(10, 1.5)); math.Abs(g.Absolute-math.Sqrt(3.25/2)) > 1e-12 || g.Relative != objective.Rounding.Relative {
		t.Errorf("%+v", g)
	}
	if g := fitted(at(10, 1), at(1000, 100)); math.Abs(g.Relative-0.1) > 1e-12 || g.Absolute != 0 {
		t.Errorf("%+v", g)
	}
	if g := fitted(at(10, 1), at(11, 100)); g.Absolute < 99 || g.Relative != objective.Rounding.Relative {
		t.Errorf("%+v", g)
	}
}
