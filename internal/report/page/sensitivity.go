package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/internal/words"
)

// A sensitivityView says how much each parameter matters.
type sensitivityView struct {
	Lead []string
	Bars *picture
	Rows []sensitivityRow
	More string

	Through bool // the table says through which combinations a parameter acts
}

type sensitivityRow struct{ Name, Total, Error, Through string }

// mostSensitive is how many parameters are shown, the most important first, and leastThrough the
// part of a parameter's sensitivity from which a combination is named.
const mostSensitive, leastThrough = 25, 0.1

// newSensitivity says how much each parameter matters; nil if nobody has asked.
func newSensitivity(p Page, c coordinates) *sensitivityView {
	if p.Run.Sensitivity == nil {
		return nil
	}
	s := *p.Run.Sensitivity
	if !s.OK() {
		return &sensitivityView{Lead: []string{"How much each parameter matters is not known: " + s.Reason + "."}}
	}
	all := report.RankedIndices(&s)
	if len(all) > 0 && !slices.ContainsFunc(all, func(i sensitivity.Index) bool { return i.Total > i.Error }) {
		return &sensitivityView{Lead: []string{fmt.Sprintf("How much each parameter matters is not known well enough: no sensitivity is larger than its error. The largest is %s ± %s.",
			percent(all[0].Total), percent(all[0].Error))}}
	}
	v := &sensitivityView{Lead: []string{
		"If all parameters were drawn at random, each from its whole range (its limits, or where the search was told to begin), the function would vary. The sensitivity of a parameter is the share of that variance which remains, on average, when all other parameters are held fixed and only this one varies (its total Sobol’ index). It speaks of the whole range, not of the neighbourhood of the best point. Parameters of one combination act together, so the shares may add up to more than 100 %.",
		fmt.Sprintf("The function would be %s on average, with a standard deviation of %s.", size(s.Mean), size(math.Sqrt(s.Variance))),
	}}
	if s.HeldOut > 0 {
		by := ""
		if s.Terms > 0 {
			by = fmt.Sprintf(" by a polynomial of %s that was fitted to them, since the function is not known to split into single combinations", words.Count(s.Terms, "term", "terms"))
		}
		v.Lead[1] += fmt.Sprintf(" This was computed from the queries of the run%s, without new ones. At %s that were not used for that, what it predicts was off by %s of the variance.",
			by, words.Count(s.HeldOut, "query", "queries"), percent(max(0, 1-s.Explained)))
	}
	if n := len(all) - mostSensitive; n > 0 {
		v.More = "and " + words.Count(n, "more parameter", "more parameters") + ", each with a sensitivity of " + percent(all[mostSensitive].Total) + " or less."
		all = all[:mostSensitive]
	}
	var bars []chart.Bar
	if s.Terms > 0 {
		for _, i := range all {
			bars = append(bars, chart.Bar{Name: i.Name, Error: i.Error, Parts: []chart.Part{{Share: i.Total}}})
			v.Rows = append(v.Rows, sensitivityRow{Name: i.Name, Total: percent(i.Total), Error: percent(i.Error)})
		}
		v.Bars = &picture{chart.Bars(bars, "sensitivity", "").HTML(), "A long bar is a parameter that matters, and the line at its end is the error (95 %)."}
		return v
	}
	v.Through = true
	blocks := blocksOf(p.Run.Result.Structure)
	for _, i := range all {
		bars = append(bars, barOf(i))
		v.Rows = append(v.Rows, sensitivityRow{i.Name, percent(i.Total), percent(i.Error), c.through(i, blocks)})
	}
	each := "combination"
	if len(blocks) < len(c.all) {
		each = "part"
	}
	v.Bars = &picture{chart.Bars(bars, "sensitivity", each).HTML(), "A long bar is a parameter that matters; its colours are the " + each + "s through which it acts, in proportion, and the line at its end is the error (95 %)."}
	return v
}

// barOf is the bar of a parameter. It is as long as its index, and its parts have the proportions
// of what goes through each block.
func barOf(i sensitivity.Index) chart.Bar {
	sum := 0.0
	for _, share := range i.Through {
		sum += max(0, share)
	}
	bar := chart.Bar{Name: i.Name, Error: i.Error}
	for b, share := range i.Through {
		if share > 0 {
			bar.Parts = append(bar.Parts, chart.Part{Component: b, Share: share / sum * i.Total})
		}
	}
	return bar
}

// blocksOf returns the blocks, each component by itself if there are none.
func blocksOf(s *untwist.Structure) [][]int {
	if len(s.Blocks) > 0 || s.Frame == nil {
		return s.Blocks
	}
	all := make([][]int, s.Frame.Components())
	for j := range all {
		all[j] = []int{j}
	}
	return all
}

// through says through which combinations or parts a parameter acts.
func (c coordinates) through(i sensitivity.Index, blocks [][]int) string {
	var all []string
	for _, b := range ranks.Order(len(i.Through), func(a, b int) int { return cmp.Compare(i.Through[b], i.Through[a]) }) {
		if i.Through[b] <= 0 || i.Through[b] < leastThrough*i.Total || len(all) == 3 {
			break
		}
		name := fmt.Sprintf("part %d", b+1)
		if b < len(blocks) && len(blocks[b]) == 1 {
			name = fmt.Sprintf("combination %d", blocks[b][0]+1)
		}
		all = append(all, name+" ("+percent(i.Through[b])+")")
	}
	if len(all) == 0 {
		return "–"
	}
	return list(all)
}
