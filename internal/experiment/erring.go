package experiment

import (
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// erring makes the true frame with an error:
//
//	W̃ = (I + E)W, rows scaled to length 1, E_ij ∼ N(0, size²).
//
// At a seed E is the same for all sizes, but for its size. With size 0 it is W, to the bit.
func erring(size float64) func(Problem, uint64) (*frame.Frame, error) {
	return func(p Problem, seed uint64) (*frame.Frame, error) {
		known, ok := p.(framed)
		if !ok {
			return nil, errors.New("only a built-in problem knows its true one")
		}
		w := known.Frame()
		if size == 0 {
			return w, nil
		}
		m := w.Components()
		e := mat.NewDense(m, m, nil)
		rng.Seed(seed).Stream("experiment", "error").Norm(e.RawMatrix().Data)
		e.Scale(size, e)
		tilted := mat.DenseCopyOf(w.Matrix())
		kernel.Mul(tilted.RawMatrix(), 1, e.RawMatrix(), w.Matrix().RawMatrix(), 1)
		return frame.New(tilted)
	}
}

// errorOf returns the error of a frame, the root of the mean square of E_ij, i ≠ j,
//
//	E = W·W̃† − I
//
// in the order and with the signs in which the rows fit best: how much component i moves on
// a walk along direction j. It is infinite if W̃ has another number of rows than W, and 0 if
// there is only one row.
func errorOf(truth, found *frame.Frame) float64 {
	c := frame.Compare(truth, found)
	m := truth.Components()
	if found.Components() != m {
		return math.Inf(1)
	}
	if m == 1 {
		return 0
	}
	e := mat.NewDense(m, m, nil)
	kernel.Mul(e.RawMatrix(), 1, truth.Matrix().RawMatrix(), found.Inverse().RawMatrix(), 0)
	sum := 0.0
	for i := range m {
		for j := range m {
			if v := e.At(i, c.Match[j]); i != j {
				sum += float64(v * v)
			}
		}
	}
	return math.Sqrt(sum / float64(m*(m-1)))
}

// sized names a size in a store.
func sized(size float64) string { return fmt.Sprintf("error=%g", size) }
