package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A check is how much each block still couples with all others.
type check struct {
	// residue is |f(x+S_b+S_rest) − f(x+S_b) − f(x+S_rest) + f(x)|, the largest
	// of some designs.
	residue []float64
	// unit is the residue that an error E_bj of 1 in a single pair would make.
	unit []float64
	// floor is the rounding of the residue.
	floor float64
}

// err returns the error of block b as if it were in one pair.
func (k check) err(b int) float64 { return k.residue[b] / k.unit[b] }

// add takes the worse of two checks of the same chart.
func (k *check) add(other check) {
	for b := range k.residue {
		k.residue[b] = max(k.residue[b], other.residue[b])
	}
	k.floor = max(k.floor, other.floor)
}

// check tests each of n blocks against the rest at fresh composed points, for
// 2n + 4 queries each. A point at which f fails on the way is passed over; a
// block that could not be tested at any has an infinite residue.
func (s *surveyor) check(c *chart, points int) (check, error) {
	n := len(c.blocks)
	out := check{residue: make([]float64, n), unit: make([]float64, n)}
	tested := make([]float64, n) // how often
	for failed := 0; points > 0 && failed < attempts; {
		ok, err := s.checkOnce(c, &out, tested)
		if err != nil {
			return out, err
		}
		if ok {
			points--
		} else {
			failed++
		}
	}
	for b := range n {
		out.unit[b] = max(out.unit[b]/tested[b], 1e-300)
		if tested[b] == 0 {
			out.residue[b], out.unit[b] = math.Inf(1), 1
		}
	}
	return out, nil
}

// checkOnce tests each block at one point, and reports whether that could be
// done.
func (s *surveyor) checkOnce(c *chart, out *check, tested []float64) (bool, error) {
	x, _, err := s.place(c)
	if err != nil {
		return false, err
	}
	h := s.steps(c, x)
	all := make([]float64, len(x))
	steps := mat.NewDense(len(c.blocks), len(x), nil) // S_b
	for b, block := range c.blocks {
		for _, i := range block {
			kernel.AddScaled(steps.RawRowView(b), h[i], c.u.RawRowView(i))
		}
		kernel.AddScaled(all, 1, steps.RawRowView(b))
	}
	t := min(1, s.room(x, all)/2)
	far := slices.Clone(x)
	kernel.AddScaled(far, t, all)
	if ok, err := s.finite(far); !ok || err != nil {
		return false, err
	}
	// f(x), f(x+S_all), then f(x+S_b) and f(x+S_all−S_b) for each block.
	values, err := s.ask(2+2*len(c.blocks), func(k int, row []float64) {
		copy(row, x)
		if k%2 == 1 {
			copy(row, far)
		}
		if k >= 2 {
			kernel.AddScaled(row, [2]float64{t, -t}[k%2], steps.RawRowView(k/2-1))
		}
	})
	if err != nil {
		return false, err
	}
	f0, fall := values[0], values[1]
	mean := floats.Dot(h, h) / float64(len(h))
	for b, block := range c.blocks {
		residue := math.Abs((fall - values[2+2*b]) - (values[3+2*b] - f0))
		if math.IsNaN(residue) || math.IsInf(residue, 0) {
			continue
		}
		tested[b]++
		out.residue[b] = max(out.residue[b], residue)
		for _, i := range block {
			out.unit[b] += float64(t * t * c.curvature[i] * math.Abs(h[i]) * math.Sqrt(mean) / float64(len(block)))
		}
	}
	out.floor = max(out.floor, 0x1p-50*max(math.Abs(f0), math.Abs(fall)))
	return true, nil
}

// typical is the median error of a block.
func (k check) typical() float64 { return k.quantile(0.5) }

// worst is the largest error of a block, 0 if it is no more than rounding.
func (k check) worst() float64 {
	worst := 0.0
	for b := range k.residue {
		if !(k.residue[b] <= k.floor) {
			worst = max(worst, k.err(b))
		}
	}
	return worst
}

// quantile returns the error that a part q of the blocks does not exceed.
func (k check) quantile(q float64) float64 {
	e := make([]float64, len(k.residue))
	for b := range e {
		e[b] = k.err(b)
	}
	slices.Sort(e)
	return e[int(math.Ceil(q*float64(len(e)-1)))]
}
