package auto

import (
	"math"

	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A window of a band has a core, whose rows are taken from it, and a margin on either side, in reaches of the
// band: rows that the window cuts off disturb those next to them, and that is forgotten towards the core.
const (
	coreReaches   = 4
	marginReaches = 6
)

// inWindows returns the W that diagonalises Hessians together: of a wide band row by row from windows, which takes
// a time linear in d, and otherwise at once; nil: there is none.
func inWindows(hessians []*mat.Dense, of *interact.Found, random objective.Random) *mat.Dense {
	d, _ := hessians[0].Dims()
	core, margin := coreReaches*of.Reach, marginReaches*of.Reach
	if of.Kind != interact.Band || 2*(core+2*margin) > d {
		return diagonalised(hessians, ranks.First(d), random)
	}
	w, row := mat.NewDense(d, d, nil), 0
	for lo := 0; lo < d; lo += core {
		hi := min(lo+core, d)
		variables, first := window(lo, hi, margin, d, of.Ring)
		part := diagonalised(hessians, variables, random)
		if part == nil {
			return nil
		}
		for j := range variables {
			own := part.RawRowView(j)
			if at := centre(own) - float64(first); !(at >= 0 && at < float64(hi-lo)) {
				continue
			}
			if row == d {
				return nil
			}
			for k, i := range variables {
				w.Set(row, i, own[k])
			}
			row++
		}
	}
	if row < d {
		return nil
	}
	return w
}

// window returns the variables from lo to hi with margins, and at which place lo is, less half a place.
func window(lo, hi, margin, d int, ring bool) (variables []int, first float64) {
	for i := lo - margin; i < hi+margin; i++ {
		switch {
		case i == lo:
			first = float64(len(variables)) - 0.5
			fallthrough
		case i >= 0 && i < d:
			variables = append(variables, i)
		case ring:
			variables = append(variables, (i+d)%d)
		}
	}
	return variables, first
}

// centre is where the entries of a row stand on average, weighted by their squares.
func centre(row []float64) float64 {
	sum, at := 0.0, 0.0
	for k, v := range row {
		sum += square(v)
		at += float64(float64(k) * square(v))
	}
	return at / sum
}

// diagonalised returns the W of what Hessians are for some variables; nil: there is none.
func diagonalised(hessians []*mat.Dense, variables []int, random objective.Random) *mat.Dense {
	n := len(variables)
	parts := make([]*mat.Dense, len(hessians))
	for k, h := range hessians {
		parts[k] = mat.NewDense(n, n, nil)
		for a, i := range variables {
			for b, j := range variables {
				parts[k].Set(a, b, h.At(i, j))
			}
		}
	}
	joint, err := jointdiag.Diagonalise(parts, random)
	if err != nil || math.IsNaN(joint.W.At(0, 0)) {
		return nil
	}
	return joint.W
}
