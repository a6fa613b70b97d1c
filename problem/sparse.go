package problem

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A mixing is W, an m×d matrix.
type mixing interface {
	shape() (m, d int)
	// apply sets row i of y to W times row i of x.
	apply(y, x blas64.General)
	// single sets y = Wx, where all products and sums are rounded to float32.
	single(y, x []float64)
	matrix() *mat.Dense
}

// full is a W with all of its entries. It holds the transpose.
type full struct{ t *mat.Dense }

func (w full) shape() (m, d int)         { return w.t.RawMatrix().Cols, w.t.RawMatrix().Rows }
func (w full) matrix() *mat.Dense        { return mat.DenseCopyOf(w.t.T()) }
func (w full) apply(y, x blas64.General) { kernel.Mul(y, 1, x, w.t.RawMatrix(), 0) }

func (w full) single(y, x []float64) {
	for j := range y {
		sum := float32(0)
		for k, v := range x {
			sum += float32(float32(w.t.At(k, j)) * float32(v))
		}
		y[j] = float64(sum)
	}
}

// thin is a W most of whose entries are 0: it holds the others, row by row, in the order of
// columns. A product takes as many steps as there are such entries, and has the bits that the
// full matrix would give.
type thin struct {
	d    int
	rows [][]entry
}

// An entry is a number of a row, and its column.
type entry struct {
	column int
	value  float64
}

func (w thin) shape() (m, d int) { return len(w.rows), w.d }

func (w thin) apply(y, x blas64.General) {
	for i := range y.Rows {
		w.times(rows(y, i, 1).Data, rows(x, i, 1).Data)
	}
}

// times sets y = Wx.
func (w thin) times(y, x []float64) {
	for j, row := range w.rows {
		sum := 0.0
		for _, e := range row {
			sum = math.FMA(x[e.column], e.value, sum)
		}
		y[j] = sum
	}
}

// timesT sets x = Wᵀy.
func (w thin) timesT(x, y []float64) {
	clear(x)
	for j, row := range w.rows {
		for _, e := range row {
			x[e.column] = math.FMA(e.value, y[j], x[e.column])
		}
	}
}

func (w thin) single(y, x []float64) {
	for j, row := range w.rows {
		sum := float32(0)
		for _, e := range row {
			sum += float32(float32(e.value) * float32(x[e.column]))
		}
		y[j] = float64(sum)
	}
}

func (w thin) matrix() *mat.Dense {
	out := mat.NewDense(len(w.rows), w.d, nil)
	for j, row := range w.rows {
		for _, e := range row {
			out.Set(j, e.column, e.value)
		}
	}
	return out
}

// ordered puts the entries of every row into the order of columns, those of one column into one,
// and scales the row to length 1.
func (w thin) ordered() thin {
	for j, row := range w.rows {
		slices.SortStableFunc(row, func(a, b entry) int { return a.column - b.column })
		out, squares := row[:0], 0.0
		for _, e := range row {
			if n := len(out); n > 0 && out[n-1].column == e.column {
				out[n-1].value += e.value
				continue
			}
			out = append(out, e)
		}
		for _, e := range out {
			squares += square(e.value)
		}
		for k := range out {
			out[k].value /= math.Sqrt(squares)
		}
		w.rows[j] = out
	}
	return w
}

// shuffled exchanges the columns at random.
func (w thin) shuffled(r *rng.Stream) thin {
	p := r.Perm(w.d)
	for _, row := range w.rows {
		for k := range row {
			row[k].column = p[row[k].column]
		}
		slices.SortFunc(row, func(a, b entry) int { return a.column - b.column })
	}
	return w
}

// preimage returns an x with Wx = y, the shortest one, by conjugate gradients on WWᵀ, x = Wᵀz. Each
// round solves for what the one before has left over, so that what rounding does to a round does not
// matter.
func (w thin) preimage(y []float64) []float64 {
	const rounds = 4 // each gains many digits, and two are usually enough
	m := len(y)
	x, step := make([]float64, w.d), make([]float64, w.d)
	rest, r, p, q := slices.Clone(y), make([]float64, m), make([]float64, m), make([]float64, m)
	z := make([]float64, m)
	for range rounds {
		copy(r, rest)
		copy(p, r)
		clear(z)
		first := kernel.Dot(r, r)
		for rr, k := first, 0; rr > first*1e-30 && k < 10*m; k++ {
			w.timesT(step, p)
			w.times(q, step)
			alpha := rr / kernel.Dot(p, q)
			kernel.AddScaled(z, alpha, p)
			kernel.AddScaled(r, -alpha, q)
			before := rr
			rr = kernel.Dot(r, r)
			for i := range p {
				p[i] = r[i] + float64(rr/before*p[i])
			}
		}
		w.timesT(step, z)
		kernel.AddScaled(x, 1, step)
		w.times(rest, x)
		for i := range rest {
			rest[i] = y[i] - rest[i]
		}
	}
	return x
}
