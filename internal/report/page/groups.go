package page

import (
	"math"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
)

// A groupsView says which parameters have to do with which.
type groupsView struct {
	Lead    []string
	Rows    []groupRow
	More    string
	Picture *picture
}

type groupRow struct{ Size, Names, Effect string }

// newGroups says which parameters interact; nil if nobody has asked.
func newGroups(p Page, s *untwist.Structure) *groupsView {
	g := s.Interactions
	if g == nil {
		return nil
	}
	names := report.FreeNames(p.space(), s.Dim)
	v := &groupsView{Lead: groupsLead(g)}
	order := ranks.Order(len(g.Groups), func(a, b int) int { return len(g.Groups[b]) - len(g.Groups[a]) })
	for n, k := range order {
		if n == mostParts {
			v.More = "and " + words.Count(len(order)-n, "more group", "more groups") + "."
			break
		}
		effect := "–"
		if k < len(g.Effects) {
			effect = size(g.Effects[k])
		}
		v.Rows = append(v.Rows, groupRow{words.Thousands(len(g.Groups[k])), members(names, g.Groups[k]), effect})
	}
	if n := len(g.Alone); n > 0 && len(g.Changes) == n {
		most := 0.0
		for _, c := range g.Changes {
			most = math.Max(most, c)
		}
		v.Rows = append(v.Rows, groupRow{words.Thousands(n) + " alone", members(names, g.Alone), "each at most " + size(most)})
	}
	if n := len(g.Unseen); n > 0 {
		v.Rows = append(v.Rows, groupRow{words.Thousands(n) + " unseen", members(names, g.Unseen), "too little to tell"})
	}
	if len(g.Groups) > 0 && g.Kind != "dense" {
		v.Picture = &picture{chart.Interactions(s.Dim, g.Groups, g.Pairs, g.Kind == "band", names).HTML(),
			"Each row and each column is a parameter, and a filled cell says that the two act together. A frame is a group, which has nothing to do with the others."}
	}
	return v
}

// members names the parameters of a group, as many as there is room for.
func members(names []string, group []int) string {
	all := report.Named(names, group)
	if n := len(all) - mostNumbers; n > 0 {
		all = append(all[:mostNumbers], words.Thousands(n)+" more")
	}
	return list(all)
}

// groupsLead says in sentences what was found.
func groupsLead(g *untwist.InteractionGraph) []string {
	all := []string{"Two parameters have nothing to do with each other if what the function does along one does not depend on where the other is. This was tested by moving groups of parameters one by one and together, with " +
		words.Count(g.Queries, "query", "queries") + ": " + g.String() + "."}
	switch {
	case g.Kind == "dense", g.Kind == "undecided", math.IsInf(g.Margin, 1):
	default:
		all = append(all, "The weakest effect that counts is "+size(g.Margin)+" times the largest that rounding or noise may have.")
	}
	return all
}
