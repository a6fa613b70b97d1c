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

// check compares the frame with the coordinates given by a Hessian that had no part in it,
// and sets β accordingly.
func (l *learner) check(h *mat.Dense) {
	if l.frame == nil || len(l.whitened()) < 3 {
		return // any two Hessians diagonalise together
	}
	r := offDiagonal(l.seeing(h), l.frame) / offDiagonal(l.seeing(h), frame.Identity(l.Dim()))
	if math.IsNaN(r) {
		r = 1 // 0/0: in both coordinates nothing is off the diagonal
	}
	l.blend(max(0, 1-max(r, l.last)))
	l.last = r
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

// offDiagonal returns ρ of the last Hessian seen, in the coordinates of a frame: what part of it
// is off the diagonal, if each component is scaled by what it has on the diagonal in all Hessians.
func offDiagonal(b hessian.Basis, w *frame.Frame) float64 {
	all := b.InCoordinates(w)
	last := all[len(all)-1]
	d, _ := last.Dims()
	sigma := make([]float64, d)
	for i := range d {
		for _, m := range all {
			sigma[i] += float64(m.At(i, i) * m.At(i, i))
		}
		sigma[i] = math.Sqrt(sigma[i])
	}
	off, whole := 0.0, 0.0
	for i := range d {
		for j := range d {
			v := float64(last.At(i, j)*last.At(i, j)) / (sigma[i] * sigma[j])
			if whole += v; i != j {
				off += v
			}
		}
	}
	return off / whole
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
