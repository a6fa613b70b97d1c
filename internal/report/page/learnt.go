package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
)

// A learntView says what the function is like.
type learntView struct {
	Lead      []string // sentences
	Sure      []string // how sure that is
	Rows      []combinationRow
	More      string
	Rise      bool   // the table says how much f changes
	Within    string // a hundredth of the largest change
	Blocks    bool   // the table says which part a combination belongs to
	Parts     []Setting
	MoreParts string
	Alone     string // parameters on which f does not depend
	Together  []string
	Pairs     []Setting
	Spectrum  *picture
	Couplings *picture
	Groups    *groupsView
}

type combinationRow struct {
	Number, Words, Best, Rise, Range, Matters, Block string
	Group                                            bool // its units cancel
}

// mostCombinations is how many combinations a table has, mostParts how many parts are named,
// and mostTogether how many directions in which nothing changes are shown.
const mostCombinations, mostParts, mostTogether = 20, 20, 12

// newLearnt says what was learnt; nil if nothing was looked for.
func newLearnt(p Page, c coordinates) *learntView {
	s := p.Run.Result.Structure
	if s == nil {
		if p.Running || p.Missing != nil {
			return nil
		}
		return &learntView{Lead: []string{"This run did not look for combinations of parameters in which the function is simpler: " + whyNot(p) + "."}}
	}
	v := &learntView{Lead: lead(s), Sure: sure(s), Rise: c.most > 0, Blocks: len(s.Blocks) < len(c.all) && len(c.all) > 0}
	if p.Run.Subject.Maximize {
		v.Lead = append(v.Lead, "The function is maximised. What follows is about its negative: where that is lowest, the function is highest, and its valleys are the function's peaks.")
	}
	v.Within = size(c.most / 100)
	groups := 0
	for _, k := range c.told(mostCombinations) {
		v.Rows = append(v.Rows, c.rowOf(k, p.Run.Result.Point))
		if k.group {
			groups++
		}
	}
	if n := len(c.all) - mostCombinations; n > 0 {
		v.More = "and " + words.Count(n, "more combination", "more combinations") + ", which matter less."
	}
	if groups > 0 {
		v.Lead = append(v.Lead, words.Count(groups, "combination is a dimensionless group", "combinations are dimensionless groups")+": the units of the parameters cancel, so that the value is a number without a unit.")
	}
	if v.Blocks {
		v.Parts, v.MoreParts = c.partsOf(s)
	}
	alone, together := c.tradeOffs(s)
	if len(alone) > 0 {
		v.Alone = "The function does not depend at all on " + list(alone) + "."
	}
	v.Together = together[:min(len(together), mostTogether)]
	for _, pair := range s.Pairs[:min(len(s.Pairs), mostParts)] {
		v.Pairs = append(v.Pairs, Setting{fmt.Sprintf("%d and %d", pair.I+1, pair.J+1), percent(pair.Coupling)})
	}
	if len(s.Spectrum.Values) > 0 {
		v.Spectrum = &picture{chart.Spectrum(string(s.Spectrum.Kind), s.Spectrum.Values).HTML(), spectrumInWords(s)}
	}
	v.Groups = newGroups(p, s)
	if s.Before != nil && s.After != nil {
		v.Couplings = &picture{chart.Pair(chart.Couplings(s.Before, s.After, s.Blocks, report.FreeNames(c.space, s.Dim))),
			"Each cell is a pair, and the bar of colours says how much the two act together. Before: " + beforeInWords(s) + ". After: the combinations that were found; the nearer a pair is to the left end of the bar, the more its two act alone. This was seen at few places, by differences that have errors of their own; the test above is the stronger evidence."}
	}
	return v
}

// whyNot says why a run has not looked for combinations.
func whyNot(p Page) string {
	found := p.Run.Result
	switch {
	case found.Strategy != "auto":
	case found.Fit != nil:
		return "it fitted the residuals, which say more than their sum"
	case len(found.Limits) > 0 || slices.ContainsFunc(found.Outputs, untwist.Measured.Limited):
		return "it kept to limits, which need not be simpler in the same combinations"
	case p.Run.Subject.Parameters.Discrete():
		return "some parameters are integers, have a step or are choices"
	}
	return "its strategy does not, or the budget was too small for that"
}

// rowOf is the row of a combination in the table.
func (c coordinates) rowOf(k combination, best []float64) combinationRow {
	r := combinationRow{Number: words.Thousands(k.index + 1), Words: k.words, Group: k.group, Best: "–", Rise: "–", Range: "–", Matters: "–"}
	if len(best) == len(c.space) {
		y := 0.0
		for i, z := range c.space.Inward(best) {
			y += float64(k.row[i] * z)
		}
		r.Best = k.value(y)
	}
	if k.block >= 0 {
		r.Block = words.Thousands(k.block + 1)
	}
	if !math.IsNaN(k.rise) {
		r.Rise = size(k.rise)
		switch {
		case c.flat(k):
			r.Matters = "flat: hardly at all"
		case c.weak(k):
			r.Matters = "little"
		default:
			r.Matters = "yes"
		}
	}
	if !math.IsNaN(k.lo) {
		lo, hi := k.lo, k.hi
		if k.power < 0 {
			lo, hi = hi, lo
		}
		r.Range = k.value(lo) + " to " + k.value(hi)
		if k.span > 0 {
			r.Range += " (" + percent(min(1, (k.hi-k.lo)/k.span)) + " of its range)"
		}
	}
	return r
}

// partsOf names the parameters of each part of f, the largest parts first.
func (c coordinates) partsOf(s *untwist.Structure) (all []Setting, more string) {
	order := ranks.Order(len(s.Blocks), func(a, b int) int { return len(s.Blocks[b]) - len(s.Blocks[a]) })
	free := c.space.Free()
	for n, b := range order {
		if n == mostParts {
			return all, "and " + words.Count(len(order)-n, "more part", "more parts") + "."
		}
		weight := make([]float64, len(free))
		most := 0.0
		for _, j := range s.Blocks[b] {
			for i, w := range s.Frame.Matrix().RawRowView(j) {
				if !c.start.IsZero() {
					w *= c.start.Hi[i] - c.start.Lo[i]
				}
				weight[i] = max(weight[i], math.Abs(w))
				most = max(most, weight[i])
			}
		}
		var names []string
		for i, w := range weight {
			if w >= most/100 {
				names = append(names, c.space[free[i]].Name)
			}
		}
		if len(names) > mostNumbers {
			names = append(names[:mostNumbers], words.Thousands(len(names)-mostNumbers)+" more")
		}
		all = append(all, Setting{fmt.Sprintf("Part %d", b+1), list(names)})
	}
	return all, ""
}

// lead says in sentences what was found.
func lead(s *untwist.Structure) []string {
	switch {
	case s.Frame == nil && s.Interactions != nil:
		return []string{"This run looked for parameters that act together, and for no combinations of them."}
	case s.Frame == nil:
		return []string{"No combinations of the parameters were found in which the function becomes simpler."}
	case s.Certificate.Verdict == certify.NotSeparable:
		return []string{"Combinations of parameters were tried, and in none of them does the function split into parts: how one parameter acts depends on the values of the others, in any coordinates that were tried. So there is no table of combinations here."}
	case !report.Certified(s):
		return []string{"Rough combinations were found, but no test has confirmed them. So they are not shown: the function may not split into parts, or the budget or the noise did not allow to tell (the notes below may say more)."}
	}
	m, d := s.Frame.Components(), s.Frame.Dim()
	all := []string{"A combination is a weighted sum of parameters; where these have a logarithmic scale it is a product of powers of them. What the function does along one combination does not depend on where the others are."}
	switch {
	case s.Frame.AlongAxes() && s.Certificate.Verdict == certify.Separable:
		all[0] = "Each parameter acts alone: what the function does along one does not depend on where the others are."
	case s.Certificate.Verdict == certify.Blocks:
		all[0] = "The function is a sum of parts. What one part does does not depend on the parameters, or combinations of them, that belong to other parts; within a part they act together."
	}
	if m < d {
		all = append(all, fmt.Sprintf("There are %s for %s: all other changes of the parameters leave the function as it is.",
			words.Count(m, "combination", "combinations"), words.Count(d, "parameter", "parameters")))
		if s.Certificate.LeavesOut() {
			all[len(all)-1] = fmt.Sprintf("There are %s for %s, but the function does change in the directions that they leave out.",
				words.Count(m, "combination", "combinations"), words.Count(d, "parameter", "parameters"))
		}
	}
	if s.Quadratic {
		all = append(all, "The function is a quadratic. Then these combinations are one choice of many that are equally good.")
	}
	if s.Map != nil {
		all = append(all, "It is not the function itself that is such a sum, but a function of it: "+s.Map.Name()+".")
	}
	if s.Linear >= 0 {
		all = append(all, fmt.Sprintf("The function is linear in combination %d.", s.Linear+1))
	}
	return all
}

// sure says in sentences how sure that is.
func sure(s *untwist.Structure) (all []string) {
	c := s.Certificate
	if s.Frame == nil || c.Splits == 0 {
		return nil
	}
	what := "combinations"
	if c.Verdict == certify.Blocks {
		what = "parts"
	}
	all = append(all, fmt.Sprintf("Whether they act separately was tested at %s. The %s were split at random into two groups: first one group was changed, then the other, then both. What both did together differed from the sum of what each did by %s of it.",
		words.Count(c.Splits, "random place", "random places"), what, percent(c.Coupling)))
	switch c.Verdict {
	case certify.Separable, certify.Blocks:
		all = append(all, fmt.Sprintf("If two of them acted together, a test would notice it when they fall into different groups, which has a probability of one half; that none of %s tests notices it has a probability of %s.",
			words.Thousands(c.Splits), words.Number(math.Exp2(-float64(c.Splits)), 1)))
	}
	if c.Most > 0 {
		all = append(all, fmt.Sprintf("The values have noise: with a confidence of 95 %% that difference is between %s and %s.", percent(c.Least), percent(c.Most)))
	}
	if report.Certified(s) && s.Frame.Components() < s.Frame.Dim() {
		all = append(all, fmt.Sprintf("Changes of the parameters that move none of the combinations changed the function by %s of what other changes do.", percent(c.Beyond)))
	}
	if report.Certified(s) && s.Residual > 0 && !math.IsInf(s.Residual, 0) {
		all = append(all, fmt.Sprintf("The weights of the parameters in the combinations (the powers, in products) are right to about %s, relative to the largest.", words.Number(s.Residual, 1)))
	}
	return all
}

// spectrumInWords says how to read the spectrum.
func spectrumInWords(s *untwist.Structure) string {
	text := "Each point says how strongly the function curves in one direction, the strongest first"
	if n := s.Dim - len(s.Spectrum.Values); n > 0 {
		return fmt.Sprintf("%s. %s, in which it does not curve, are left out.", text, words.Count(n, "direction", "directions"))
	}
	return text + ": a drop by many powers of ten separates directions that matter from those that do not."
}

// beforeInWords says what the couplings before are those of.
func beforeInWords(s *untwist.Structure) string {
	if n, _ := s.Before.Dims(); n < s.Dim {
		return "directions that span what matters, as the run first had them"
	}
	return "the parameters as given"
}
