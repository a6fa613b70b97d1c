package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/untwist/untwist/problem"
)

// name returns a name that says what the grid is, "bbob-d10-d40-auto-cmaes-1000d-15seeds" for
// example: short, the same whenever it is asked for, and good for files on any system. What
// does not fit into it (many problems, settings of methods, targets of one's own) goes into a
// few hexadecimal digits at its end, so that another grid has another name.
func (g Grid) name() string {
	n := naming{whole: true}
	problems := unique(g.Cases, func(c Case) string { return c.Problem })
	dims := unique(g.Cases, func(c Case) string { return fmt.Sprintf("d%d", c.Dim) })
	mixes := unique(g.Cases, ownMix)
	options := unique(g.Cases, func(c Case) string { return c.Options })
	n.list(suites(problems), 3, "problems")
	n.list(dims, 4, "dims")
	n.list(mixes, 3, "mixes")
	if k := slices.Index(options, ""); k >= 0 && len(options) > 1 {
		options[k], n.whole = "clean", false
	}
	n.list(options, 2, "options")
	n.list(unique(g.Methods, func(m Method) string { return m.Name }), 4, "methods")
	n.add(strings.NewReplacer("*", "", "^", "p", "/", "by").Replace(g.Budget.String()))
	n.add(counted(g.Runs, "seed"))
	n.addIf(g.Seed > 0, "from-%d", g.Seed)
	n.whole = n.whole && slices.Equal(g.Targets, DefaultTargets()) && !strings.ContainsAny(string(g.Budget), "()+-")
	var all strings.Builder
	for _, c := range g.Cases {
		fmt.Fprintf(&all, "%s\n", c.Key())
		n.whole = n.whole && !strings.HasSuffix(c.Problem, ".toml")
	}
	for _, m := range g.Methods {
		fmt.Fprintf(&all, "%s\n", m.Key())
		n.whole = n.whole && m.Settings == ""
	}
	product := len(problems) * len(dims) * len(mixes) * len(options) // with every problem in every dimension, and so on
	if fmt.Fprintf(&all, "%v", g.Targets); !n.whole || len(g.Cases) != product {
		n.sum(all.String())
	}
	return strings.Join(n.parts, "-")
}

// ownMix returns the mix of a case, "" if it is the one that its problem has by default.
func ownMix(c Case) string {
	if slices.ContainsFunc(problem.Catalogue(), func(e problem.Entry) bool { return e.Name == c.Problem && e.Mix == c.Mix }) {
		return ""
	}
	return c.Mix
}

// counted returns a number of things as one word: 15seeds.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d%s", n, noun)
}

// A naming is a name in the making.
type naming struct {
	parts []string
	whole bool // everything is in it
}

var special = regexp.MustCompile(`[^a-zA-Z0-9._=-]`)

// add adds a text, with nothing in it that is special in the name of a file.
func (n *naming) add(text string) {
	safe := special.ReplaceAllString(strings.ReplaceAll(text, " ", "-"), "")
	n.whole = n.whole && len(safe) == len(text)
	if len(safe) > 40 {
		safe, n.whole = safe[:40], false
	}
	if safe != "" {
		n.parts = append(n.parts, safe)
	}
}

// addIf adds a text if something is so.
func (n *naming) addIf(so bool, format string, values ...any) {
	if so {
		n.add(fmt.Sprintf(format, values...))
	}
}

// sum adds a few digits that are others for another text.
func (n *naming) sum(text string) {
	sum := sha256.Sum256([]byte(text))
	n.add(hex.EncodeToString(sum[:3]))
}

// list adds texts, or how many there are if they are too many.
func (n *naming) list(all []string, most int, noun string) {
	if len(all) > most {
		n.add(fmt.Sprintf("%d%s", len(all), noun))
		n.whole = false
		return
	}
	for _, text := range all {
		n.add(text)
	}
	n.whole = n.whole && (len(all) == 1 || !slices.Contains(all, ""))
}

// unique returns the different texts of a list, in their order.
func unique[T any](list []T, text func(T) string) (all []string) {
	known := map[string]bool{}
	for _, v := range list {
		if t := text(v); !known[t] {
			known[t] = true
			all = append(all, t)
		}
	}
	return all
}

// suites returns the name of the suite that consists of these problems, or else the problems.
func suites(problems []string) []string {
	sorted := slices.Sorted(slices.Values(problems))
	for _, name := range problem.Suites() {
		if all, err := problem.Suite(name); err == nil && len(all) > 1 && slices.Equal(slices.Sorted(slices.Values(all)), sorted) {
			return []string{name}
		}
	}
	return problems
}
