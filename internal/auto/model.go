package auto

import (
	"cmp"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A model is f as lines have shown it: Σ_j φ_j(⟨w̃_j, x⟩), up to a constant, with min φ_j = 0,
// so that it is 0 only where all minima meet. Asking it costs nothing.
type model struct {
	w   *mat.Dense
	phi []*table
}

func newModel(w *mat.Dense) *model {
	m := &model{w: w}
	for range w.RawMatrix().Rows {
		m.phi = append(m.phi, &table{})
	}
	return m
}

// at returns the model at the coordinates y = W̃x.
func (m *model) at(y []float64) float64 {
	sum := 0.0
	for j, t := range m.phi {
		sum += t.at(y[j])
	}
	return sum
}

// coordinates returns W̃x.
func (m *model) coordinates(x []float64) []float64 {
	y := make([]float64, len(m.phi))
	kernel.MulVec(y, m.w.RawMatrix(), x)
	return y
}

// transposed returns W̃ᵀ: row k is column k of W̃.
func (m *model) transposed() *mat.Dense { return mat.DenseCopyOf(m.w.T()) }

// profiles returns what is known of each component.
func (m *model) profiles() []frame.Profile {
	out := make([]frame.Profile, len(m.phi))
	for j, t := range m.phi {
		p := &out[j]
		p.Component = j
		least := t.lowest().value
		for i, s := range t.samples {
			p.Y, p.Value = append(p.Y, s.y), append(p.Value, s.value-least)
			lower := func(k int) bool { return k >= 0 && k < len(t.samples) && t.samples[k].value < s.value }
			if !lower(i-1) && !lower(i+1) {
				p.Wells = append(p.Wells, frame.Well{Y: s.y, Value: s.value - least})
			}
		}
		slices.SortStableFunc(p.Wells, func(a, b frame.Well) int { return cmp.Compare(a.Value, b.Value) })
	}
	return out
}
