package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/words"
)

// A graphForm is the JSON object of what interacts, by names.
type graphForm struct {
	Kind    string     `json:"kind"`
	Groups  [][]string `json:"groups"`
	Alone   []string   `json:"alone"`
	Unseen  []string   `json:"unseen"`
	Band    int        `json:"band"` // 0: there is none
	Edges   int        `json:"edges"`
	Margin  number     `json:"margin"` // null: no two interact
	Queries int        `json:"queries"`
}

func newGraphForm(s Subject, found *untwist.Structure) *graphForm {
	if found == nil || found.Interactions == nil {
		return nil
	}
	g, names := found.Interactions, FreeNames(s.Parameters, found.Dim)
	form := &graphForm{
		Kind: g.Kind, Groups: [][]string{}, Alone: Named(names, g.Alone), Unseen: Named(names, g.Unseen),
		Band: g.Band, Edges: g.Edges, Margin: number(g.Margin), Queries: g.Queries,
	}
	for _, group := range g.Groups {
		form.Groups = append(form.Groups, Named(names, group))
	}
	return form
}

// FreeNames returns the names of the parameters that are searched: x1, x2, … where they have none.
func FreeNames(space parameter.Space, dim int) (names []string) {
	if len(space) == 0 {
		space = parameter.Plain(dim)
	}
	for _, i := range space.Free() {
		names = append(names, space[i].Name)
	}
	return names
}

// Named returns the names of some parameters.
func Named(names []string, of []int) []string {
	out := make([]string, 0, len(of))
	for _, i := range of {
		if i < len(names) {
			out = append(out, names[i])
		}
	}
	return out
}

// mostGroups is how many groups are told in words, and mostMembers how many names of each.
const mostGroups, mostMembers = 10, 8

// groupLines returns the groups of parameters that interact, the largest first, a line each.
func groupLines(s Subject, found untwist.Structure) string {
	g, names := found.Interactions, FreeNames(s.Parameters, found.Dim)
	groups := slices.Clone(g.Groups)
	slices.SortStableFunc(groups, func(a, b []int) int { return len(b) - len(a) })
	var out strings.Builder
	for k, group := range groups {
		if k == mostGroups {
			fmt.Fprintf(&out, "  and %s more\n", words.Thousands(len(groups)-k))
			break
		}
		members := Named(names, group)
		more := ""
		if n := len(members) - mostMembers; n > 0 {
			members, more = members[:mostMembers], ", …"
		}
		fmt.Fprintf(&out, "  %s: %s%s\n", words.Thousands(len(group)), strings.Join(members, ", "), more)
	}
	return out.String()
}
