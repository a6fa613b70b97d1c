package acceptance

import (
	"fmt"
	"math"
	"testing"

	"cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	"slices"
)

func middleOf(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

func TestChoicesDraft(t *testing.T) {
	for _, c := range chosenFunctions {
		if c.held {
			continue
		}
		for _, per := range []int{50, 500} {
			var ours, each []float64
			for _, seed := range flags.Seeds(7) {
				budget := per * c.dim()
				r, err := untwist.Minimize(t.Context(), c.objective(), untwist.Options{Parameters: c.space(nil), Budget: budget, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				ours = append(ours, r.Value)
				all := c.combinations()
				best := math.Inf(1)
				for i, fixed := range all {
					share := budget*(i+1)/len(all) - budget*i/len(all)
					if share == 0 {
						continue
					}
					r, err := untwist.Minimize(t.Context(), c.objective(), untwist.Options{Parameters: c.space(fixed), Budget: share, Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					best = min(best, r.Value)
				}
				each = append(each, best)
			}
			o := ranks.Test(ours, each, cmp.Compare[float64])
			fmt.Printf("%-16s %4d·d ours %12.6g [%g] each %12.6g  %+v\n", c.name, per, middleOf(ours), slices.Max(ours)-slices.Min(ours), middleOf(each), o)
		}
	}
}
