package strategy

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// A candidate is another well of a component, t along it from where the search is.
type candidate struct {
	k      int // of s.singles
	t      float64
	higher float64 // than f there
}

// leap looks at wells that may be deeper than they seem. Two components whose curvatures
// were alike at all points of a survey may be mixed in its frame: walking along one moves
// the other, so that every well of it seems higher than it is. Then differences between
// wells do not add up:
//
//	|f(x+S) − f(x+S−t_k u_k) − f(x+t_k u_k) + f(x)|,   S = Σ t_k u_k,
//
// one well t_k for each component, is not small beside the height of the well. In such
// wells it takes Newton steps of all components.
func (s *sweeper) leap(x []float64, fx float64, all []candidate) error {
	lowest := lowestOfEach(all)
	there := slices.Clone(x)
	for _, c := range lowest {
		kernel.AddScaled(there, c.t, s.u.RawRowView(s.singles[c.k]))
	}
	if len(lowest) < 2 || s.task.Bounds.Outside(there) >= 0 {
		return nil
	}
	values, err := objective.Ask(s.ctx, s.f, 1+len(lowest), func(i int, row []float64) {
		if copy(row, there); i > 0 {
			kernel.AddScaled(row, -lowest[i-1].t, s.u.RawRowView(s.singles[lowest[i-1].k]))
		}
	})
	if err != nil {
		return err
	}
	var doubtful []candidate
	for i, c := range lowest {
		if residue := math.Abs((values[0] - values[1+i]) - c.higher); c.higher < 2*residue {
			doubtful = append(doubtful, c)
		}
	}
	slices.SortStableFunc(doubtful, func(a, b candidate) int { return cmp.Compare(a.higher, b.higher) })
	for _, c := range doubtful[:min(mostLeaps, len(doubtful))] {
		well := objective.Best{Point: slices.Clone(x), Value: fx + c.higher}
		kernel.AddScaled(well.Point, c.t, s.u.RawRowView(s.singles[c.k]))
		for range 3 {
			if well, err = s.newton(well, 50); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostLeaps is how many wells are looked at by Newton steps.
const mostLeaps = 10

// lowestOfEach returns the lowest candidate of each component.
func lowestOfEach(all []candidate) []candidate {
	var lowest []candidate
	for _, c := range all {
		last := len(lowest) - 1
		switch {
		case math.IsNaN(c.higher) || math.IsInf(c.higher, 0):
		case last < 0 || lowest[last].k != c.k:
			lowest = append(lowest, c)
		case c.higher < lowest[last].higher:
			lowest[last] = c
		}
	}
	return lowest
}
