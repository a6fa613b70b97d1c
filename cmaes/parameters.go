package cmaes

import (
	"fmt"
	"math"
)

// Parameters are the constants of a run: the default strategy parameters of the
// tutorial's appendix A, table 1.
type Parameters struct {
	N      int // the dimension n
	Lambda int // the population size λ
	Mu     int // how many parents, μ = ⌊λ/2⌋

	// Weights are the w_i of all λ points, best first. Those of the parents sum to 1,
	// and the others are negative.
	Weights []float64
	// MuEff = 1/Σ w_i² over the parents.
	MuEff float64

	CSigma, DSigma float64 // c_σ, d_σ of the step size
	Cc, C1, CMu    float64 // c_c, c_1, c_μ of the covariance
	ChiN           float64 // E‖N(0, I)‖
}

// DefaultPopulation is λ = 4 + ⌊3 ln n⌋, equation (48).
func DefaultPopulation(n int) int { return 4 + int(3*math.Log(float64(n))) }

// NewParameters returns the constants for dimension n ≥ 1 and population λ ≥ 2. It
// panics if n or λ is smaller.
func NewParameters(n, lambda int) Parameters { return newParameters(n, lambda, 1) }

// newParameters has c_μ multiplied by rate.
func newParameters(n, lambda int, rate float64) Parameters {
	if n < 1 || lambda < 2 {
		panic(fmt.Sprintf("cmaes: parameters for %d dimensions and a population of %d, must be at least 1 and 2", n, lambda))
	}
	d := float64(n)
	p := Parameters{N: n, Lambda: lambda, Mu: lambda / 2, Weights: make([]float64, lambda)}
	// w'_i = ln((λ+1)/2) − ln i, equation (49).
	var sum, squares, negSum, negSquares float64
	for i := range p.Weights {
		w := math.Log(float64(lambda+1)/2) - math.Log(float64(i+1))
		p.Weights[i] = w
		if i < p.Mu {
			sum += w
			squares += float64(w * w)
		} else {
			negSum += w
			negSquares += float64(w * w)
		}
	}
	p.MuEff = sum * sum / squares
	negMuEff := 0.0 // μ_eff⁻, over the points that are not parents
	if negSquares > 0 {
		negMuEff = negSum * negSum / negSquares
	}
	mu := p.MuEff

	p.CSigma = (mu + 2) / (d + mu + 5)                                     // (55)
	p.DSigma = 1 + float64(2*max(0, math.Sqrt((mu-1)/(d+1))-1)) + p.CSigma // (55)
	p.Cc = (4 + mu/d) / (d + 4 + float64(2*mu/d))                          // (56)
	p.C1 = 2 / (float64((d+1.3)*(d+1.3)) + mu)                             // (57)
	p.CMu = min(1-p.C1, rate*2*(0.25+mu-2+1/mu)/(float64((d+2)*(d+2))+mu)) // (58)
	p.ChiN = math.Sqrt(d) * (1 - 1/float64(4*d) + 1/float64(21*d*d))       // below (44)

	// The negative weights sum to the least of three, (50) to (53).
	alpha := min(1+p.C1/p.CMu, 1+float64(2*negMuEff/(mu+2)), (1-p.C1-p.CMu)/float64(d*p.CMu))
	for i := range p.Weights {
		if i < p.Mu {
			p.Weights[i] /= sum
		} else if negSum < 0 {
			p.Weights[i] *= alpha / -negSum
		}
	}
	return p
}
