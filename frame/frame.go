// Package frame holds the coordinates in which a function separates.
//
// A Frame is a matrix W̃ of m ≤ d linearly independent rows of length 1,
// together with its pseudo-inverse W̃†. It maps points to coordinates and back,
//
//	y = W̃x,   x = W̃†y,   W̃W̃† = I,
//
// and walking along u_j, the j-th column of W̃†, changes y_j alone. Start with
// New. Batches are matrices with a point, or its coordinates, in each row.
package frame

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/ranks"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Frame is W̃ and W̃†. New, Identity and Axes make one (for dependent rows Pseudo), and it
// can be read from JSON.
// It never changes afterwards. The zero Frame cannot be used.
type Frame struct {
	w    *mat.Dense // m×d, rows of length 1
	pinv *mat.Dense // d×m

	// Their transposes, for products with batches of points.
	wT    *mat.Dense // d×m
	pinvT *mat.Dense // m×d

	dependent bool // Pseudo made it, of rows that are linearly dependent
}

// ErrDependent says that the rows of a matrix do not form a frame because they
// are linearly dependent to working precision.
var ErrDependent = errors.New("the rows are linearly dependent")

// unitTolerance is how far from 1 the length of a row may be before the row is
// rescaled. Rows that were rescaled once are within it, so a frame that is
// written to a file and read again has the same bits.
const unitTolerance = 1e-14

// New makes a frame from the rows of w, scaled to length 1. It returns an error
// if there are more rows than columns, if an entry is not finite or if a row is
// zero, and ErrDependent if the rows are linearly dependent. w is copied.
func New(w mat.Matrix) (*Frame, error) {
	m, d := w.Dims()
	if m < 1 || m > d {
		return nil, fmt.Errorf("frame: %d rows of %d columns, need at least 1 row and no more rows than columns", m, d)
	}
	for j := range m {
		if norm := length(w, j); !(norm > 0) || math.IsInf(norm, 0) {
			return nil, fmt.Errorf("frame: row %d has length %v, need a finite number above 0", j+1, norm)
		}
	}
	f := &Frame{w: unitRows(w)}
	if err := f.invert(); err != nil {
		return nil, err
	}
	f.wT, f.pinvT = mat.DenseCopyOf(f.w.T()), mat.DenseCopyOf(f.pinv.T())
	return f, nil
}

// length returns the length of row j.
func length(w mat.Matrix, j int) float64 { return floats.Norm(mat.Row(nil, j, w), 2) }

// unitRows returns a copy of w with its rows scaled to length 1.
func unitRows(w mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(w)
	for j := range out.RawMatrix().Rows {
		if norm := length(w, j); math.Abs(norm-1) > unitTolerance {
			row := out.RawRowView(j)
			for k := range row {
				row[k] /= norm
			}
		}
	}
	return out
}

// Identity returns the frame with y = x.
func Identity(d int) *Frame { return Axes(d, ranks.First(d)) }

// Axes returns the frame whose coordinates y are the given coordinates of x. These
// must be different numbers from 0 to d-1.
func Axes(d int, coordinates []int) *Frame {
	m := len(coordinates)
	seen := make([]bool, max(0, d))
	for _, k := range coordinates {
		if k < 0 || k >= d || seen[k] {
			panic(fmt.Sprintf("frame: coordinate %d is not one of 0 to %d, or is there twice", k, d-1))
		}
		seen[k] = true
	}
	if m == 0 {
		panic(fmt.Sprintf("frame: no coordinates of %d", d))
	}
	w := mat.NewDense(m, d, nil)
	wT := w
	if !slices.IsSorted(coordinates) || m < d {
		wT = mat.NewDense(d, m, nil)
	}
	for j, k := range coordinates {
		w.Set(j, k, 1)
		wT.Set(k, j, 1)
	}
	return &Frame{w: w, pinv: wT, wT: wT, pinvT: w}
}

// maxCondition is the condition number of W̃ above which its rows count as
// dependent. At that condition only two digits of the coordinates are right.
const maxCondition = 1e14

// invert computes W̃†, whose j-th column is the shortest x with W̃x = e_j. It uses LU
// where W̃ is square, and W̃ᵀ = QR where W̃ has fewer rows than columns. A square W̃ is
// first written as AD, with D a diagonal matrix of powers of two, so W̃⁻¹ = D⁻¹A⁻¹.
// Then parameters whose units differ by many orders of magnitude do not make the rows
// look dependent. The scaling does not change a bit of the result.
func (f *Frame) invert() error {
	m, d := f.w.Dims()
	f.pinv = mat.NewDense(d, m, nil)
	var condition float64
	var err error
	if identity := Identity(m).w; m == d {
		a, unit := equilibrated(f.w)
		var lu mat.LU
		lu.Factorize(a)
		condition, err = lu.Cond(), lu.SolveTo(f.pinv, false, identity)
		for k, u := range unit {
			floats.Scale(1/u, f.pinv.RawRowView(k))
		}
	} else {
		var qr mat.QR
		qr.Factorize(f.w.T())
		condition, err = qr.Cond(), qr.SolveTo(f.pinv, true, identity)
	}
	if err != nil || !(condition <= maxCondition) {
		return fmt.Errorf("frame: %w (condition number %.0e)", ErrDependent, condition)
	}
	return nil
}

// equilibrated returns A and the diagonal of D with AD = w. The diagonal consists of
// powers of two, and the largest entry of each column of A is between 1 and 2.
func equilibrated(w *mat.Dense) (a *mat.Dense, unit []float64) {
	rows, cols := w.Dims()
	a, unit = mat.DenseCopyOf(w), make([]float64, cols)
	for k := range cols {
		largest := 0.0
		for i := range rows {
			largest = max(largest, math.Abs(w.At(i, k)))
		}
		unit[k] = 1
		if largest > 0 {
			unit[k] = math.Ldexp(1, math.Ilogb(largest))
		}
		for i := range rows {
			a.Set(i, k, a.At(i, k)/unit[k])
		}
	}
	return a, unit
}

// Components returns m, the number of coordinates y_j.
func (f *Frame) Components() int {
	if f.w == nil { // a Frame{} that nobody has made
		return 0
	}
	m, _ := f.w.Dims()
	return m
}

// Dim returns d, the number of coordinates of a point.
func (f *Frame) Dim() int {
	if f.w == nil {
		return 0
	}
	_, d := f.w.Dims()
	return d
}

// AlongAxes reports whether every row is along a coordinate axis.
func (f *Frame) AlongAxes() bool {
	for j := range f.Components() {
		if n := slices.IndexFunc(f.w.RawRowView(j), func(v float64) bool { return v != 0 && v != 1 }); n >= 0 {
			return false
		}
	}
	return true
}

// Matrix returns W̃. It must not be changed.
func (f *Frame) Matrix() *mat.Dense { return f.w }

// Inverse returns W̃†. It must not be changed.
func (f *Frame) Inverse() *mat.Dense { return f.pinv }

// Directions returns the transpose of W̃†. Row j is u_j, the direction in which y_j
// grows at rate 1 and no other coordinate changes. It must not be changed.
func (f *Frame) Directions() *mat.Dense { return f.pinvT }

// Coordinates sets each row of dst (n×m) to y = W̃x for a row x of points (n×d).
// dst must not overlap points.
func (f *Frame) Coordinates(dst, points *mat.Dense) {
	kernel.Mul(dst.RawMatrix(), 1, points.RawMatrix(), f.wT.RawMatrix(), 0)
}

// Points sets each row of dst (n×d) to x = W̃†y for a row y of coordinates (n×m).
// dst must not overlap coordinates.
func (f *Frame) Points(dst, coordinates *mat.Dense) {
	kernel.Mul(dst.RawMatrix(), 1, coordinates.RawMatrix(), f.pinvT.RawMatrix(), 0)
}

// Move adds αW̃†y to each row of points (n×d) for a row y of coordinates (n×m).
func (f *Frame) Move(points *mat.Dense, alpha float64, coordinates *mat.Dense) {
	kernel.Mul(points.RawMatrix(), alpha, coordinates.RawMatrix(), f.pinvT.RawMatrix(), 1)
}

// Direction sets dst to u_j, the j-th column of W̃†: the direction in which
// y_j grows at rate 1 and no other coordinate changes.
func (f *Frame) Direction(dst []float64, j int) {
	mat.Col(dst, j, f.pinv)
}

// leastSingular is the part of the largest singular value at or below which others count as
// zero in Pseudo: the default of numpy.linalg.pinv, which the paper's experiment uses.
const leastSingular = 1e-15

// Pseudo makes a frame as New does. But where New returns ErrDependent, it takes the
// pseudo-inverse without the singular values that are zero to working precision,
//
//	W̃† = Σ_{σ_i > 1e-15 σ_1} v_i u_iᵀ/σ_i,   W̃ = Σ_i σ_i u_i v_iᵀ.
//
// Then W̃W̃† is not I: walking along u_j changes other coordinates too. This is for
// comparisons with the paper's experiment, which does so.
func Pseudo(w mat.Matrix) (*Frame, error) {
	f, err := New(w)
	if err == nil || !errors.Is(err, ErrDependent) {
		return f, err
	}
	f = &Frame{w: unitRows(w), dependent: true}
	var svd mat.SVD
	if !svd.Factorize(f.w, mat.SVDThin) {
		return nil, err
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	sigma := svd.Values(nil)
	n := len(sigma)
	for i, s := range sigma {
		by := 0.0
		if s > leastSingular*sigma[0] {
			by = 1 / s
		}
		for k := range v.RawMatrix().Rows {
			v.Set(k, i, v.At(k, i)*by)
		}
	}
	f.pinv = new(mat.Dense)
	f.pinv.Mul(v.Slice(0, v.RawMatrix().Rows, 0, n), u.Slice(0, u.RawMatrix().Rows, 0, n).T())
	if math.IsNaN(mat.Sum(f.pinv)) {
		return nil, err
	}
	f.wT, f.pinvT = mat.DenseCopyOf(f.w.T()), mat.DenseCopyOf(f.pinv.T())
	return f, nil
}

// A Profile is what f looks like along a component of a frame.
type Profile struct {
	// Component is which it is, from 0.
	Component int
	// Y is how far along the line f was asked, ascending, and Value f there.
	Y, Value []float64
	// Wells are the local minima, the deepest first. The deepest are as exact as
	// a search refines them, the others as parabolas through their points have them.
	Wells []Well
	// Open says that f still falls at an end of the range.
	Open bool
}

// A Well is a local minimum along a line.
type Well struct{ Y, Value float64 }
