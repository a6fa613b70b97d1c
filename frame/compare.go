package frame

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/ranks"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Comparison measures how well one frame recovers another, up to the order
// and the sign of the rows, which no values of f can determine.
type Comparison struct {
	// Match[i] is the row of the estimate that matches row i of the truth, and
	// Sign[i] is the sign that it needs. They are -1 and 0 where there is no match.
	Match []int
	Sign  []float64

	// Distance[i] = ‖w_i − ±w̃_match‖. Where row i has no match it is √2, the
	// greatest distance that unit vectors have up to sign.
	Distance []float64

	// Coupling is the largest |E_ij|, i ≠ j, of E = W·W̃† − I in matched order
	// and sign: how much component i still moves on a walk along u_j. This, not
	// the distance between rows, decides how well f separates. It is +Inf if the
	// frames have different numbers of rows.
	Coupling float64
}

// Compare compares an estimate with the truth. It matches rows one to one, the
// most parallel pair first. It panics if the frames' dimensions differ.
func Compare(truth, estimate *Frame) Comparison {
	sameDim(truth, estimate)
	m, n := truth.Components(), estimate.Components()
	c := Comparison{
		Match: make([]int, m), Sign: make([]float64, m), Distance: make([]float64, m),
		Coupling: math.Inf(1),
	}
	for i := range m {
		c.Match[i], c.Distance[i] = -1, math.Sqrt2
	}
	cosine := mat.NewDense(m, n, nil)
	kernel.MulT(cosine.RawMatrix(), 1, truth.w.RawMatrix(), estimate.w.RawMatrix(), 0)
	taken := make([]bool, n)
	for _, k := range byMagnitude(cosine.RawMatrix().Data) {
		i, j := k/n, k%n
		if c.Match[i] >= 0 || taken[j] {
			continue
		}
		taken[j] = true
		c.Match[i], c.Sign[i] = j, math.Copysign(1, cosine.At(i, j))
		c.Distance[i] = distance(truth.w.RawRowView(i), estimate.w.RawRowView(j), c.Sign[i])
	}
	if m == n {
		c.Coupling = coupling(truth, estimate, c)
	}
	return c
}

// sameDim panics if the frames' dimensions differ.
func sameDim(a, b *Frame) {
	if a.Dim() != b.Dim() {
		panic(fmt.Sprintf("frame: comparing frames of %d and %d dimensions", a.Dim(), b.Dim()))
	}
}

// Error returns the largest distance of a row of the truth from its match.
func (c Comparison) Error() float64 { return slices.Max(append([]float64{0}, c.Distance...)) }

// Recovered returns how many rows of the truth have a match within tolerance.
func (c Comparison) Recovered(tolerance float64) int {
	n := 0
	for _, d := range c.Distance {
		if d <= tolerance {
			n++
		}
	}
	return n
}

// byMagnitude returns the indices of x in descending order of |x|. Indices of equal
// values are in ascending order.
func byMagnitude(x []float64) []int {
	return ranks.Order(len(x), func(a, b int) int { return cmp.Compare(math.Abs(x[b]), math.Abs(x[a])) })
}

func distance(a, b []float64, sign float64) float64 {
	sum := 0.0
	for k := range a {
		diff := a[k] - float64(sign*b[k])
		sum += float64(diff * diff)
	}
	return math.Sqrt(sum)
}

// coupling returns max |E_ij|, i ≠ j, with E = W·W̃† − I.
func coupling(truth, estimate *Frame, c Comparison) float64 {
	e := mat.NewDense(truth.Components(), estimate.Components(), nil)
	kernel.Mul(e.RawMatrix(), 1, truth.w.RawMatrix(), estimate.pinv.RawMatrix(), 0)
	worst := 0.0
	for i := range c.Match {
		for j, match := range c.Match {
			if i != j {
				worst = max(worst, math.Abs(e.At(i, match)))
			}
		}
	}
	return worst
}

// CompareBlocks compares an estimate with the truth where components come in blocks.
// Of a block, only the span of its rows can be determined. A block of the truth
// matches the found block for which W·W̃† is largest. CompareBlocks returns
//
//   - distance: the largest distance of a row of the truth from the span of the block
//     that matches its own;
//   - coupling: the largest |E_ij| between blocks that do not match;
//   - right: whether there are as many blocks, of the same sizes, matched one to one.
//
// If every block has one component, the result agrees with Compare as long as errors
// are small. CompareBlocks panics if the frames' dimensions differ.
func CompareBlocks(truth *Frame, blocks [][]int, estimate *Frame, found [][]int) (distance, coupling float64, right bool) {
	sameDim(truth, estimate)
	e := mat.NewDense(truth.Components(), estimate.Components(), nil)
	kernel.Mul(e.RawMatrix(), 1, truth.w.RawMatrix(), estimate.pinv.RawMatrix(), 0)
	size := func(b, c []int) float64 { // the size of W·W̃† between two blocks
		sum := 0.0
		for _, i := range b {
			for _, j := range c {
				sum += float64(e.At(i, j) * e.At(i, j))
			}
		}
		return sum
	}
	right = len(blocks) == len(found)
	taken := make([]bool, len(found))
	for _, b := range blocks {
		best := 0
		for c := range found {
			if size(b, found[c]) > size(b, found[best]) {
				best = c
			}
		}
		right = right && !taken[best] && len(found[best]) == len(b)
		taken[best] = true
		for c := range found {
			for _, i := range b {
				for _, j := range found[c] {
					if c != best {
						coupling = max(coupling, math.Abs(e.At(i, j)))
					}
				}
			}
		}
		distance = max(distance, estimate.outside(truth, b, found[best]))
	}
	return distance, coupling, right
}

// outside returns the largest distance of the given rows of truth from the span of
// the given rows of f.
func (f *Frame) outside(truth *Frame, rows, span []int) float64 {
	q := mat.NewDense(len(span), f.Dim(), nil)
	for k, j := range span {
		q.SetRow(k, f.w.RawRowView(j))
	}
	kernel.Orthonormalise(q.RawMatrix())
	worst := 0.0
	for _, i := range rows {
		v := slices.Clone(truth.w.RawRowView(i))
		for range 2 { // the second pass removes what rounding left in the first
			for k := range span {
				kernel.AddScaled(v, -kernel.Dot(q.RawRowView(k), v), q.RawRowView(k))
			}
		}
		worst = max(worst, floats.Norm(v, 2))
	}
	return worst
}
