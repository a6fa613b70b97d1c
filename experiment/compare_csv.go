package experiment

import (
	"strconv"

	"github.com/untwist/untwist/store"
)

// caseColumns are the columns that say which case a line is about.
var caseColumns = []string{"problem", "dim", "mix", "options"}

func (s Setup) columns() []string {
	return []string{s.Problem, strconv.Itoa(s.Dim), s.Mix, s.Options}
}

// csv has a line for each case, method and target. Without runs only their number is there.
func (c Comparison) csv() ([]byte, error) {
	lines := [][]string{append(append([]string{"method"}, caseColumns...),
		"budget", "target", "runs", "successes", "wilson_low", "wilson_high", "ert", "ert_low", "ert_high",
		"queries_lower", "queries_median", "queries_upper", "gap_lower", "gap_median", "gap_upper", "rounds", "own_seconds_per_query")}
	for _, s := range c.Cells {
		for _, g := range s.Goals {
			line := append(append([]string{s.Method}, s.columns()...),
				strconv.Itoa(s.Budget), decimals(&g.Target), strconv.Itoa(s.Runs), strconv.Itoa(g.Successes), decimals(&g.Low), decimals(&g.High),
				g.ERT.csv(), g.ERTLow.csv(), g.ERTHigh.csv(), g.Queries.Lower.csv(), g.Queries.Median.csv(), g.Queries.Upper.csv(),
				s.Gap.Lower.csv(), s.Gap.Median.csv(), s.Gap.Upper.csv(), digits(s.Rounds), decimals(s.Own))
			if s.Runs == 0 {
				clear(line[8:])
			}
			lines = append(lines, line)
		}
	}
	return asCSV(lines)
}

// pairsCSV has a line for each pair of methods on each case.
func (c Comparison) pairsCSV() ([]byte, error) {
	lines := [][]string{append(append([]string{"first", "second"}, caseColumns...),
		"verdict", "p", "p_holm", "ert_ratio", "ert_ratio_low", "ert_ratio_high", "behind")}
	for _, p := range c.Pairs {
		for i, d := range p.Duels {
			line := append(append([]string{p.First, p.Second}, c.Cases[i].columns()...),
				d.Verdict, decimals(d.P), decimals(d.Holm), d.Ratio.csv(), d.RatioLow.csv(), d.RatioHigh.csv(), strconv.FormatBool(d.Behind))
			if d.Verdict == "" {
				clear(line[6:])
			}
			lines = append(lines, line)
		}
	}
	return asCSV(lines)
}

// runsCSV has a line for each run.
func (c Comparison) runsCSV() ([]byte, error) {
	lines := [][]string{append(append([]string{"method"}, caseColumns...), "seed", "budget", "status", "gap", "queries", "reached",
		"rounds", "recovered", "version", "seconds", "own_seconds")}
	err := c.eachRun(func(s Setup, method string, r store.Run) {
		reached, rounds, recovered := &r.Reached, &r.Rounds, &r.Recovered
		if r.Reached == 0 {
			reached = nil
		}
		if r.Rounds == 0 {
			rounds = nil
		}
		if r.Recovered < 0 {
			recovered = nil
		}
		lines = append(lines, append(append([]string{method}, s.columns()...),
			strconv.FormatUint(r.Seed, 10), strconv.Itoa(s.Budget), r.Status, Number(r.Gap).csv(), strconv.Itoa(r.Queries), digits(reached),
			digits(rounds), digits(recovered), r.Version, decimals(&r.Seconds), decimals(&r.Own)))
	})
	if err != nil {
		return nil, err
	}
	return asCSV(lines)
}

// curvesCSV has a line for each sample of each run.
func (c Comparison) curvesCSV() ([]byte, error) {
	lines := [][]string{append(append([]string{"method"}, caseColumns...), "seed", "budget", "version", "queries", "gap")}
	err := c.eachRun(func(s Setup, method string, r store.Run) {
		about := append(append([]string{method}, s.columns()...), strconv.FormatUint(r.Seed, 10), strconv.Itoa(s.Budget), r.Version)
		for _, sample := range r.Curve {
			lines = append(lines, append(about[:len(about):len(about)], strconv.Itoa(sample.Queries), Number(sample.Value).csv()))
		}
	})
	if err != nil {
		return nil, err
	}
	return asCSV(lines)
}

// eachRun calls do for every run, method after method and case after case.
func (c *Comparison) eachRun(do func(s Setup, method string, r store.Run)) error {
	if c.runs == nil {
		return errNoRuns
	}
	for j, m := range c.Methods {
		for i, s := range c.Cases {
			_, runs := c.cell(i, j)
			for _, r := range runs {
				do(s, m.Name, r)
			}
		}
	}
	return nil
}
