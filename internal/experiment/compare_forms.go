package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/words"
)

// Text returns the comparison for a terminal: a table for each dimension, then the verdicts,
// where the first method is behind, a summary, and what the figures mean.
func (c Comparison) Text() string { return c.document(terminal).text() }

// document returns all tables and what they mean.
func (c *Comparison) document(f form) document { return document{c.legend(f), c.sheets(f)} }

// sheets returns all tables in their order.
func (c *Comparison) sheets(f form) (all []sheet) {
	all = lists.Map(c.blocks(), func(b block) sheet { return c.standings(b, f) })
	if len(c.against()) == 0 {
		return all
	}
	for k := range c.against() {
		all = append(all, c.verdicts(k))
	}
	if losses := c.losses(); len(losses.lines) > 1 {
		all = append(all, losses)
	}
	return append(all, c.summary())
}

// legend says what the figures mean.
func (c *Comparison) legend(f form) string {
	least := words.Figure(c.Targets[len(c.Targets)-1])
	text := fmt.Sprintf(`Success: runs that reached %s, of all. ERT(t): the queries of all runs, up to t or to
		their end if they missed it, divided by the number of runs that reached t; ∞ if none did. Final gap: how far the
		point that a run returned is above the minimum; the median. Numbers have three digits. These are %s of %s runs, %s.`,
		least, words.Thousands(c.Done), words.Thousands(c.Total), seeds(c.Seed, c.Runs))
	if f.wide {
		text += ` 95%: Wilson's interval of the rate of success, in percent, and the bootstrap interval of the last ERT. Rounds: how
			many batches a run asked for one after another; the median. Own s/query: the seconds that the method itself took for a query.`
	}
	if slices.ContainsFunc(c.Cases, func(s Setup) bool { return !s.Known }) {
		text += " Where nobody knows the minimum, targets and gaps are values."
	}
	if len(c.against()) == 0 {
		return wrapped(text, legendWidth)
	}
	verdicts := fmt.Sprintf(`Verdicts are about %s. Runs are ordered by their queries up to %s, and after them those
		that missed it by their final gaps. p: the exact Wilcoxon–Mann–Whitney test of this order, two-sided. Better or
		worse: p, after Holm's correction for the number of cases, is at most %g. ERT ratio: the ERT(%s) of %s divided by
		that of the other method, and its 95%% bootstrap interval; 0 or ∞ if only one of them ever reached it, empty if
		neither did. Behind: fewer successes, or more than %g times the ERT, or worse if neither has a success.`,
		c.Methods[0].Name, least, significance, least, c.Methods[0].Name, behindBy)
	text = wrapped(text, legendWidth) + "\n\n" + wrapped(verdicts, legendWidth)
	if most, cases := c.extent(); cases > 0 && tooFew(most, cases) {
		text += "\n\n" + wrapped(fmt.Sprintf(`With %s of each method and %s, p can never be small enough: every verdict is
			"equal", whatever the difference. There have to be at least %d runs.`,
			words.Count(most, "run", "runs"), words.Count(cases, "case", "cases"), enough(cases)), legendWidth)
	}
	return text
}

// extent returns the most runs of a method on a case so far, and the least number of cases over
// which the p-values of a pair are corrected.
func (c *Comparison) extent() (runs, cases int) {
	for _, cell := range c.Cells {
		runs = max(runs, cell.Runs)
	}
	cases = len(c.Cases)
	for _, p := range c.against() {
		cases = min(cases, p.Better+p.Equal+p.Worse)
	}
	return runs, cases
}

// legendWidth is how wide the lines of a legend are.
const legendWidth = 98

// tooFew reports whether no verdict other than "equal" is possible: the least p of n runs against
// n is 2 / C(2n, n), and Holm's method multiplies the least p by the number of cases.
func tooFew(n, cases int) bool {
	return math.Log(2*float64(cases))-logChoose(2*n, n) > math.Log(significance)+1e-9
}

// enough returns the least number of runs of each method with which another verdict than "equal"
// is possible.
func enough(cases int) int {
	n := 1
	for tooFew(n, cases) {
		n++
	}
	return n
}

// Write writes the comparison to a folder: the tables as NAME.md and NAME.tex, all measures as
// NAME.csv and NAME.json, the verdicts on all pairs as NAME-pairs.csv, every run as
// NAME-runs.csv, and how each went as NAME-curves.csv. NAME is that of the grid. Times are in
// the last columns. Everything else is the same, however often the grid was stopped. Write
// returns the files that it wrote.
func (c Comparison) Write(dir string) (files []string, err error) {
	return writeFiles(filepath.Join(dir, c.Name), append(c.forms(), runFiles(c.listed)...)...)
}

// forms are the files that need no single run.
func (c Comparison) forms() []file {
	tex := c.document(inTeX)
	tex.legend += "\n\n" + `The tables need \usepackage{booktabs}.`
	return []file{
		{".md", c.document(markup).markdown}, {".tex", tex.latex}, {".csv", inCSV(c.csv)}, {".json", inJSON(c)}, {"-pairs.csv", inCSV(c.pairsCSV)},
	}
}

// runFiles are a file with every run, and one with how each went.
func runFiles(all func() []listed) []file {
	return []file{
		{"-runs.csv", inCSV(func() [][]string { return runsCSV(all()) })},
		{"-curves.csv", inCSV(func() [][]string { return curvesCSV(all()) })},
	}
}

// A file is one of several to be written: what its name ends in, and its text.
type file struct {
	ending string
	text   func() ([]byte, error)
}

// writeFiles writes files whose names begin alike, and returns those that it wrote.
func writeFiles(name string, all ...file) (files []string, err error) {
	for _, f := range all {
		data, err := f.text()
		if err == nil {
			err = atomicfile.Write(name+f.ending, data)
		}
		if err != nil {
			return files, err
		}
		files = append(files, name+f.ending)
	}
	return files, nil
}

// inJSON returns a value as one object.
func inJSON(v any) func() ([]byte, error) {
	return func() ([]byte, error) {
		data, err := json.MarshalIndent(v, "", "  ")
		return append(data, '\n'), err
	}
}

// seeds names consecutive seeds.
func seeds(first uint64, runs int) string {
	if runs > 1 {
		return fmt.Sprintf("seeds %d to %d", first, first+uint64(runs)-1)
	}
	return fmt.Sprintf("seed %d", first)
}
