package powermethod

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// alike is |⟨v, w⟩| from which on two directions count as one. (Algorithm 1 selects "the
// biggest linearly independent subset", which among rounded numbers would be any d of
// them. This is what the paper's experiment does.)
const alike = 0.99

// A Selection says which of the limits of the power method become directions. Others than
// those of this package will do as well.
type Selection interface {
	// Of returns which of the limits, a row each in the order of their starts, are kept:
	// their numbers, ascending, at least one and at most d. No two limits are alike.
	Of(limits *mat.Dense, s *Subspace) []int
}

// Highest keeps min(m, d) limits at most, those with the highest values ‖P_𝒲̂(v⊗v)‖_F²,
// since spurious ones have lower values.
type Highest struct{}

// Of selects.
func (Highest) Of(limits *mat.Dense, s *Subspace) []int {
	rows, d := limits.Dims()
	values := make([]float64, rows)
	best := make([]int, rows)
	for i := range best {
		values[i], best[i] = s.Value(limits.RawRowView(i)), i
	}
	slices.SortStableFunc(best, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	best = best[:min(s.Rank(), d, rows)]
	slices.Sort(best)
	return best
}

// AllLimits keeps all limits, and the first d of more, as the authors' published experiment
// does. (Its Algorithm 1 says nothing of more than m.) Where the span has fewer dimensions
// than there are limits, as on the squared norm, these are nearly dependent.
type AllLimits struct{}

// Of selects.
func (AllLimits) Of(limits *mat.Dense, _ *Subspace) []int {
	rows, d := limits.Dims()
	return ranks.First(min(rows, d))
}

// distinct collects limits that differ.
type distinct struct {
	d    int
	rows [][]float64
}

// add takes the rows of v whose value in s is at least reject and that are not
// alike to one already there.
func (f *distinct) add(v *mat.Dense, s *Subspace, reject float64) {
	n, _ := v.Dims()
	for i := range n {
		row := v.RawRowView(i)
		if f.has(row) || reject > 0 && s.Value(row) < reject {
			continue
		}
		f.rows = append(f.rows, append([]float64(nil), row...))
	}
}

func (f *distinct) has(v []float64) bool {
	for _, w := range f.rows {
		if math.Abs(kernel.Dot(v, w)) >= alike {
			return true
		}
	}
	return false
}

// matrix returns the limits that are selected, in the order in which they were found.
func (f *distinct) matrix(s *Subspace, by Selection) *mat.Dense {
	limits := mat.NewDense(len(f.rows), f.d, slices.Concat(f.rows...))
	kept := by.Of(limits, s)
	out := mat.NewDense(len(kept), f.d, nil)
	for i, k := range kept {
		out.SetRow(i, f.rows[k])
	}
	return out
}

// Complete adds random rows, orthonormal and orthogonal to those of w, until
// there are m: what the paper's experiment does where the method has found too
// few.
func Complete(w *mat.Dense, m int, random objective.Random) *mat.Dense {
	n, d := w.Dims()
	out := mat.NewDense(max(m, n), d, nil)
	out.Copy(w)
	basis := mat.DenseCopyOf(out)
	for i := n; i < m; i++ {
		row := basis.RawRowView(i)
		for k := range row {
			row[k] = random.NormFloat64()
		}
	}
	kernel.Orthonormalise(basis.RawMatrix())
	for i := n; i < m; i++ {
		out.SetRow(i, basis.RawRowView(i))
	}
	return out
}
