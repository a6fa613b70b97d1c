package jointdiag

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// pencils is how many starts there are to choose from. One may have two eigenvalues that
// are close, and then bad eigenvectors.
const pencils = 5

// start sets W̃ to the best of a few pencils.
func (j *Joint) start(random objective.Random) error {
	least := math.Inf(1)
	var best *mat.Dense
	for range pencils {
		if j.W = j.pencil(random); j.W == nil || !j.transform() {
			continue
		}
		if off := j.off(); off < least {
			least, best = off, mat.DenseCopyOf(j.W)
		}
	}
	if j.W = best; best == nil || !j.transform() {
		return ErrSingular
	}
	return nil
}

// pencil returns the left eigenvectors of B⁻¹A for random combinations A and B
// of the H_k: B⁻¹A = W⁻¹(D_B⁻¹D_A)W. Of complex pairs it takes the real span.
// It returns nil if B is singular to working precision.
func (j *Joint) pencil(random objective.Random) *mat.Dense {
	d, _ := j.hessians[0].Dims()
	a, b := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for _, h := range j.hessians {
		kernel.AddScaled(a.RawMatrix().Data, random.NormFloat64(), h.RawMatrix().Data)
		kernel.AddScaled(b.RawMatrix().Data, random.NormFloat64(), h.RawMatrix().Data)
	}
	var quotient mat.Dense
	if err := quotient.Solve(b, a); err != nil { // singular, or nearly so
		return nil
	}
	var eigen mat.Eigen
	if !eigen.Factorize(mat.DenseCopyOf(quotient.T()), mat.EigenRight) {
		return nil
	}
	values := eigen.Values(nil)
	var vectors mat.CDense
	eigen.VectorsTo(&vectors)
	w := mat.NewDense(d, d, nil)
	for i := 0; i < d; i++ {
		paired := imag(values[i]) != 0 && i+1 < d
		for k := range d {
			v := vectors.At(k, i)
			w.Set(i, k, real(v))
			if paired {
				w.Set(i+1, k, imag(v))
			}
		}
		if paired {
			i++
		}
	}
	return w
}

// Pencil returns the W̃ of one random pencil of K ≥ 2 matrices, without sweeps; nil if it is singular. Where H_k are of
// blocks each row lies in one of them.
func Pencil(hessians []*mat.Dense, random objective.Random) *mat.Dense {
	j, err := begin(hessians)
	if err != nil {
		return nil
	}
	return j.pencil(random)
}

// Blocks returns the connected components of the graph of all pairs i, j whose coupling
// is above a threshold. The members of each ascend, and so do the first members of all.
func Blocks(couplings *mat.Dense, threshold float64) [][]int {
	m, _ := couplings.Dims()
	root := make([]int, m) // leads from each, step by step, to the first of its block
	for i := range root {
		root[i] = i
	}
	top := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	for i := range m {
		for j, c := range couplings.RawRowView(i) {
			if i != j && c > threshold {
				a, b := top(i), top(j)
				root[max(a, b)] = min(a, b)
			}
		}
	}
	at := make([]int, m) // the number of the block of which each is the first
	var blocks [][]int
	for i := range m {
		r := top(i)
		if r == i { // the first of its block
			at[i] = len(blocks)
			blocks = append(blocks, nil)
		}
		blocks[at[r]] = append(blocks[at[r]], i)
	}
	return blocks
}
