package cbo

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// weighed is a noise that is made of the weights of the consensus.
type weighed interface {
	// applyWeighed is Apply; root, d×d, is scratch.
	applyWeighed(dst, z *mat.Dense, weights []float64, xi, root *mat.Dense)
}

// Covariance is D = C^½, the same for all particles: noise of the shape that the particles
// have, so that steps are the same in all coordinates, whatever their scales and turns,
//
//	C = Σ ω_i z^(i)⊗z^(i),   z^(i) = x^(i) − c,
//
// with the weights ω of the consensus (Carrillo, Hoffmann, Stuart and Vaes 2022,
// "Consensus-based sampling"). The default of σ is √2, which is theirs for
// optimisation. Here C^½ is the factor L of Cholesky, C = LLᵀ, and not the symmetric root: Lξ
// has the same law. It takes O(nd² + d³) time a step.
type Covariance struct{}

// Width returns d.
func (Covariance) Width(d int) int { return d }

func (Covariance) usual(int) float64 { return math.Sqrt2 }

// Apply sets dst to C^½ξ where all particles weigh the same.
func (v Covariance) Apply(dst, z, xi, _ *mat.Dense) {
	n, d := z.Dims()
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1 / float64(n)
	}
	v.applyWeighed(dst, z, weights, xi, mat.NewDense(d, d, nil))
}

// applyWeighed sets dst to C^½ξ; root, d×d, is scratch.
func (Covariance) applyWeighed(dst, z *mat.Dense, weights []float64, xi, root *mat.Dense) {
	covariance(root, z, weights)
	cholesky(root)
	n, _ := xi.Dims()
	for i := range n {
		kernel.MulVec(dst.RawRowView(i), root.RawMatrix(), xi.RawRowView(i))
	}
}

// covariance sets the lower triangle of c to that of Σ ω_i z^(i)⊗z^(i).
func covariance(c, z *mat.Dense, weights []float64) {
	c.Zero()
	for i, w := range weights {
		if w == 0 {
			continue // z may be infinite: 0·∞ is NaN
		}
		zi := z.RawRowView(i)
		for j, v := range zi {
			kernel.AddScaled(c.RawRowView(j)[:j+1], w*v, zi[:j+1])
		}
	}
}

// cholesky sets c to the factor L of c = LLᵀ, given its lower triangle. Where the particles
// are in a subspace c is singular: columns of L are 0 then.
func cholesky(c *mat.Dense) {
	d, _ := c.Dims()
	for j := range d {
		rj := c.RawRowView(j)
		clear(rj[j+1:])
		pivot := rj[j] - kernel.Dot(rj[:j], rj[:j])
		scale := 0.0
		if pivot > rj[j]*singular {
			scale = 1 / math.Sqrt(pivot)
		}
		for i := j; i < d; i++ {
			ri := c.RawRowView(i)
			ri[j] = scale * (ri[j] - kernel.Dot(ri[:j], rj[:j]))
		}
	}
}

// singular is the part of a variance below which what is left of it is rounding.
const singular = 1e-14

// Sampling returns c as consensus-based sampling of the density exp(−f)/Z: after some steps
// the particles are distributed like it, exactly in the limit of many particles if it is
// Gaussian, else about. With a = exp(−τ),
//
//	x ← c + a(x − c) + √((1−a²)(1+α)) C^½ξ,   α constant,
//
// which is a step with λτ = 1 − a and σ√τ = √((1−a²)(1+α)) (Carrillo, Hoffmann, Stuart and Vaes
// 2022, their β being α and their α being a). τ is 1 unless c has another; particles are not to
// converge, so Stop.Steps or a budget ends the run.
func (c Config) Sampling(alpha float64) Config {
	setDefault(&c.Tau, 1)
	a := math.Exp(-c.Tau)
	c.Alpha, c.Noise = Constant(alpha), Covariance{}
	c.Lambda = (1 - a) / c.Tau
	c.Sigma = Constant(math.Sqrt((1 - float64(a*a)) * (1 + alpha) / c.Tau))
	return c
}
