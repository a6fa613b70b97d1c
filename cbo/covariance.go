package cbo

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// weighed is a noise that is made of the weights of the consensus.
type weighed interface {
	// applyWeighed is Apply; scratch is for particles of as many and dimensions as z has.
	applyWeighed(dst, z *mat.Dense, weights []float64, xi *mat.Dense, scratch *root)
}

// Covariance is D = C^½, the same for all particles: noise of the shape that the particles
// have, so that steps are the same in all coordinates, whatever their scales and turns,
//
//	C = Σ ω_i z^(i)⊗z^(i),   z^(i) = x^(i) − c,
//
// with the weights ω of the consensus (Carrillo, Hoffmann, Stuart and Vaes 2022,
// "Consensus-based sampling"). The default of σ is √2, which is theirs for
// optimisation. Here C^½ is not the symmetric root but Rᵀ, C = RᵀR: Rᵀξ has the same law. R is
// made of the rows √ω_i z^(i), if no more than d of them weigh anything, and then of 0s; else it
// is the factor of Cholesky. It takes O(nd·min(n, d) + d³) time a step.
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
	v.applyWeighed(dst, z, weights, xi, newRoot(n, d))
}

// applyWeighed sets dst to C^½ξ.
func (Covariance) applyWeighed(dst, z *mat.Dense, weights []float64, xi *mat.Dense, scratch *root) {
	r, numbers := scratch.of(z, weights), xi.RawMatrix()
	numbers.Cols = r.Rows
	kernel.Mul(dst.RawMatrix(), 1, numbers, r, 0)
}

// A root has room for R, C = RᵀR, and what it is made of.
type root struct {
	b, bt, c *mat.Dense // n×d, d×n and d×d
	least    []float64  // d
}

func newRoot(n, d int) *root {
	return &root{mat.NewDense(n, d, nil), mat.NewDense(d, n, nil), mat.NewDense(d, d, nil), make([]float64, d)}
}

// of returns R of C = Σ ω_i z^(i)⊗z^(i), without its last rows if these are 0.
func (s *root) of(z *mat.Dense, weights []float64) blas64.General {
	b, bt, c := s.b.RawMatrix(), s.bt.RawMatrix(), s.c.RawMatrix()
	b.Rows = 0
	for i, w := range weights {
		if w == 0 {
			continue // z may be infinite: 0·∞ is NaN
		}
		w = math.Sqrt(w)
		for j, v := range z.RawRowView(i) {
			v *= w
			b.Data[b.Rows*b.Stride+j], bt.Data[j*bt.Stride+b.Rows] = v, v
		}
		b.Rows++
	}
	if b.Rows <= c.Rows {
		return b
	}
	bt.Cols = b.Rows
	kernel.Mul(c, 1, bt, b, 0)
	s.cholesky()
	return c
}

// cholesky sets c to the factor R of c = RᵀR, given its upper triangle. Where the particles
// are in a subspace c is singular: rows of R are 0 then.
func (s *root) cholesky() {
	for j := range s.least {
		s.least[j] = s.c.At(j, j) * singular
	}
	for j, least := range s.least {
		r := s.c.RawRowView(j)
		clear(r[:j])
		if !(r[j] > least) {
			clear(r)
			continue
		}
		scale := 1 / math.Sqrt(r[j])
		for i := j; i < len(r); i++ {
			r[i] *= scale
		}
		for i := j + 1; i < len(r); i++ {
			kernel.AddScaled(s.c.RawRowView(i)[i:], -r[i], r[i:])
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
