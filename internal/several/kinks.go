package several

import (
	"math"
	"slices"
)

// refine interpolates values at nodes, with so many steps between two of them. Between kinks it takes the
// cubic through the four nearest nodes on the same side. In the cell of a kink both sides are extended, and
// the greater counts where the slope rises, the lesser where it falls. It goes on for some steps beyond the
// last node.
func refine(v []float64, steps, over int) []float64 {
	kinks := kinkCells(v)
	n := len(v)
	out := make([]float64, 0, (n-1)*steps+1)
	for c := range n - 1 {
		left, right := sides(c, n, kinks)
		for k := range steps {
			t := float64(c) + float64(k)/float64(steps)
			if !kinks[c] {
				out = append(out, cubic(v, left, right, c-1, t))
				continue
			}
			from, to := cubic(v, left, c, c-3, t), cubic(v, c+1, right, c+1, t)
			if slope(v, left, c) < -slopeBack(v, c+1, right) {
				out = append(out, max(from, to))
			} else {
				out = append(out, min(from, to))
			}
		}
	}
	out = append(out, v[n-1])
	left, _ := sides(max(n-2, 0), n, kinks)
	for k := 1; k <= over; k++ {
		out = append(out, cubic(v, left, n-1, n-4, float64(n-1)+float64(k)/float64(steps)))
	}
	return out
}

// sides returns the first and the last node that are on the same smooth piece as a cell; of a kink's cell
// that of the pieces on its left and on its right.
func sides(c, n int, kinks []bool) (left, right int) {
	left, right = c, c+1
	for left > 0 && !kinks[left-1] {
		left--
	}
	for right < n-1 && !kinks[right] {
		right++
	}
	return left, right
}

// cubic evaluates at t the polynomial through up to four nodes from first on, moved into lo … hi.
func cubic(v []float64, lo, hi, first int, t float64) (sum float64) {
	first = max(lo, min(first, hi-3))
	last := min(hi, first+3)
	for i := first; i <= last; i++ {
		w := v[i]
		for j := first; j <= last; j++ {
			if j != i {
				w *= (t - float64(j)) / float64(i-j)
			}
		}
		sum += w
	}
	return sum
}

// slope returns the slope at the right end c of a piece that begins at lo, and slopeBack minus that at the
// left end c of one that ends at hi.
func slope(v []float64, lo, c int) float64 {
	if c == lo {
		return 0
	}
	return v[c] - v[c-1]
}

func slopeBack(v []float64, c, hi int) float64 {
	if c == hi {
		return 0
	}
	return v[c] - v[c+1]
}

// kinkCells returns which cells have a kink: the second differences at its two ends, which share the jump
// of the slope, are together far larger than usual, and larger than those of the cells beside it.
func kinkCells(v []float64) []bool {
	n := len(v)
	kinks := make([]bool, max(n-1, 0))
	if n < 5 {
		return kinks
	}
	second := make([]float64, n)
	var sizes []float64
	for i := 1; i < n-1; i++ {
		second[i] = v[i-1] - 2*v[i] + v[i+1]
		sizes = append(sizes, math.Abs(second[i]))
	}
	slices.Sort(sizes)
	usual := sizes[len(sizes)/2]
	jump := func(c int) float64 {
		if c < 0 || c >= n-1 {
			return 0
		}
		return math.Abs(second[c] + second[c+1])
	}
	const far = 4 // times two usual ones: a smooth function has no such cell among its many
	for c := range kinks {
		kinks[c] = jump(c) > 2*far*usual && jump(c) >= jump(c-1) && jump(c) > jump(c+1)
	}
	return kinks
}
