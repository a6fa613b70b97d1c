package hessian

import (
	"math"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A Region is where points are sampled.
type Region interface {
	// Draw sets x to a random point of the region.
	Draw(x []float64, stream *rng.Stream)
}

// Ball is the uniform distribution on a ball, the μ of the paper's experiment.
type Ball struct {
	Centre []float64 // nil: 0
	Radius float64
}

// Draw sets x to Centre + Radius·u^(1/d)·v, u uniform on [0, 1] and v on the
// unit sphere.
func (b Ball) Draw(x []float64, stream *rng.Stream) {
	stream.Norm(x)
	sum := 0.0
	for _, v := range x {
		sum += float64(v * v)
	}
	length := b.Radius * math.Pow(stream.Float64(), 1/float64(len(x))) / math.Sqrt(sum)
	for i := range x {
		x[i] = float64(x[i] * length)
		if b.Centre != nil {
			x[i] += b.Centre[i]
		}
	}
}

// Box is the uniform distribution on a box.
type Box struct{ objective.Box }

// Draw sets x to a uniform point of the box.
func (b Box) Draw(x []float64, stream *rng.Stream) { stream.Uniform(x, b.Lo, b.Hi) }
