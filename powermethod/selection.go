package powermethod

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// alike is |⟨v, w⟩| from which on two directions count as one. (Algorithm 1 selects "the
// biggest linearly independent subset", which among rounded numbers would be any d of
// them. This is what the paper's experiment does.)
const alike = 0.99

// A selection collects directions that differ.
type selection struct {
	d    int
	rows [][]float64
}

// add takes the rows of v whose value in s is at least reject and that are not
// alike to one already there.
func (f *selection) add(v *mat.Dense, s *Subspace, reject float64) {
	n, _ := v.Dims()
	for i := range n {
		row := v.RawRowView(i)
		if f.has(row) || reject > 0 && s.Value(row) < reject {
			continue
		}
		f.rows = append(f.rows, append([]float64(nil), row...))
	}
}

func (f *selection) has(v []float64) bool {
	for _, w := range f.rows {
		if math.Abs(kernel.Dot(v, w)) >= alike {
			return true
		}
	}
	return false
}

// matrix returns at most min(m, d) directions, those with the highest values in s, in
// the order in which they were found.
func (f *selection) matrix(s *Subspace) *mat.Dense {
	n := min(s.Rank(), f.d, len(f.rows))
	values := make([]float64, len(f.rows))
	best := make([]int, len(f.rows))
	for i, row := range f.rows {
		values[i], best[i] = s.Value(row), i
	}
	slices.SortStableFunc(best, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	slices.Sort(best[:n])
	out := mat.NewDense(n, f.d, nil)
	for i, k := range best[:n] {
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
