package page

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// mostRegions is how many ranges with many failures are told of.
const mostRegions = 3

// regions returns for each parameter the lower or upper end of its range that tells failures
// best from other queries, if it tells them well: in which at least a third of all failures
// are, at least five of them, and at least three times as large a share of the queries as
// elsewhere.
func (w *Watch) regions() []Region {
	var all []Region
	for k, counts := range w.counts {
		best, score := Region{}, 0.0
		for cut := 1; cut < cells; cut++ {
			for _, upper := range []bool{false, true} {
				r := Region{Parameter: w.free[k]}
				for c, n := range counts {
					if (c >= cut) == upper {
						r.Queries, r.Failed = r.Queries+n.queries, r.Failed+n.failed
					} else {
						r.Else, r.FailedElse = r.Else+n.queries, r.FailedElse+n.failed
					}
				}
				if s := r.contrast(); s > score {
					r.Lo, r.Hi = math.Inf(-1), math.Inf(1)
					edge := w.outward(k, float64(cut)/cells)
					if upper {
						r.Lo = edge
					} else {
						r.Hi = edge
					}
					best, score = r, s
				}
			}
		}
		if score > 0 {
			all = append(all, best)
		}
	}
	slices.SortStableFunc(all, func(a, b Region) int { return cmp.Compare(b.contrast(), a.contrast()) })
	all = slices.DeleteFunc(all, func(r Region) bool { return r.contrast() < 0.9*all[0].contrast() }) // they go with it
	return all[:min(len(all), mostRegions)]
}

// contrast says how well a region tells failures from other queries: the difference between
// the part of all failures and the part of all others that it holds. It is 0 if it does not.
func (r Region) contrast() float64 {
	failed, fine := r.Failed+r.FailedElse, r.Queries+r.Else-r.Failed-r.FailedElse
	if r.Failed < 5 || 3*r.Failed < failed || fine == 0 || r.Queries == 0 || r.Else == 0 ||
		float64(r.Failed)*float64(r.Else) < 3*float64(r.FailedElse)*float64(r.Queries) {
		return 0
	}
	return float64(r.Failed)/float64(failed) - float64(r.Queries-r.Failed)/float64(fine)
}

// outward returns the value of the k-th free parameter at a part of its range.
func (w *Watch) outward(k int, part float64) float64 {
	z := w.lo[k] + float64(part*(w.hi[k]-w.lo[k]))
	if w.space[w.free[k]].Log {
		return kernel.ExpOf(z)
	}
	return z
}
