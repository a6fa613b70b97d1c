package strategy

import (
	"math"
	"slices"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/mat"
)

// checks is how many successive checks β is made of. One could hold by chance, where several
// places are in the same valley.
const checks = 3

// check tells by a Hessian that had no part in it, and by all that had, whether the frame holds,
// and sets β accordingly.
func (l *learner) check(h *mat.Dense) {
	if l.frame == nil || len(l.whitened()) < 3 {
		return // any two Hessians diagonalise together
	}
	l.held = append(l.held, max(0, 1-worst(l.seeing(h), l.frame)))
	if len(l.held) < checks {
		return
	}
	beta := 1.0
	for _, held := range l.held[len(l.held)-checks:] {
		beta = float64(beta * held)
	}
	l.blend(beta)
}

// learn whitens T by a Hessian and improves the frame by it.
func (l *learner) learn(h *mat.Dense) {
	base, err := l.seeing(h).Whitened()
	if err != nil {
		return // no curvature anywhere
	}
	l.base = base
	if len(l.whitened()) < 2 {
		return
	}
	j, err := l.joint()
	if err != nil {
		return
	}
	if w, err := frame.New(kernel.Times(j.W, base.Dual)); err == nil {
		l.frame = w
	}
}

// joint diagonalises the whitened Hessians: from the frame where it has held, else from new
// pencils.
func (l *learner) joint() (*jointdiag.Joint, error) {
	if l.beta > 0 {
		return jointdiag.Improve(l.whitened(), kernel.Times(l.frame.Matrix(), mat.DenseCopyOf(l.base.T.T())))
	}
	return jointdiag.Diagonalise(l.whitened(), l.random)
}

// seeing returns T with one more Hessian.
func (l *learner) seeing(h *mat.Dense) hessian.Basis {
	b := l.base
	b.Seen = append(slices.Clip(b.Seen), h)
	return b
}

// whitened returns the Hessians that were taken along whitened directions: all but the first,
// whose errors are large where f curves little.
func (l *learner) whitened() []*mat.Dense { return l.base.Seen[min(1, len(l.base.Seen)):] }

// worst returns the largest r = ρ(W̃⁻ᵀHW̃⁻¹)/ρ(H) of the Hessians seen along whitened directions:
// a frame has to hold at all places.
func worst(b hessian.Basis, w *frame.Frame) float64 {
	b.Seen = b.Seen[1:]
	inFrame, given := offDiagonal(b.InCoordinates(w)), offDiagonal(b.InCoordinates(frame.Identity(w.Dim())))
	largest := 0.0
	for k := range inFrame {
		r := inFrame[k] / given[k]
		if math.IsNaN(r) {
			r = 1 // 0/0: neither is better
		}
		largest = max(largest, r)
	}
	return largest
}

// offDiagonal returns the ρ of some matrices: what part of each is off the diagonal, if component
// i is scaled by σ_i, what all of them have at M_ii.
func offDiagonal(all []*mat.Dense) []float64 {
	d, _ := all[0].Dims()
	sigma := make([]float64, d)
	for i := range d {
		for _, m := range all {
			sigma[i] += float64(m.At(i, i) * m.At(i, i))
		}
		sigma[i] = math.Sqrt(sigma[i])
	}
	rho := make([]float64, len(all))
	for k, m := range all {
		off, whole := 0.0, 0.0
		for i := range d {
			for j := range d {
				v := float64(m.At(i, j)*m.At(i, j)) / (sigma[i] * sigma[j])
				if whole += v; i != j {
					off += v
				}
			}
		}
		rho[k] = off / whole
	}
	return rho
}

// blend sets β, and with it the noise of the particles and where they are kept.
func (l *learner) blend(beta float64) {
	l.beta = beta
	l.noise.Noise, l.domain.Domain = cbo.Anisotropic{}, inside(l.bounds)
	if beta == 0 {
		return
	}
	blended := cbo.Blended{Frame: l.frame, Beta: beta}
	l.noise.Noise = blended
	if clip, ok := l.domain.Domain.(cbo.Clip); ok { // bounds, where there are any, are those of x
		l.domain.Domain = cbo.ClipBlended{Blended: blended, Radius: clip.Radius}
	}
}

// finding is the frame in which particles move.
func (l *learner) finding() *identify.Finding {
	found := identify.Known(l.frame, nil)
	found.Before, found.After = l.base.InFrame(frame.Identity(l.Dim())), l.base.InFrame(l.frame)
	return found
}
