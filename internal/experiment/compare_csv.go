package experiment

import "strconv"

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

// runsCSV has a line for each run, and curvesCSV one for each sample of each run.
func (c Comparison) runsCSV() ([]byte, error) { return c.listed(runsCSV) }

func (c Comparison) curvesCSV() ([]byte, error) { return c.listed(curvesCSV) }

// listed writes the runs, method after method and case after case.
func (c *Comparison) listed(write func([]listed) ([]byte, error)) ([]byte, error) {
	if c.runs == nil {
		return nil, errNoRuns
	}
	var all []listed
	for j, m := range c.Methods {
		for i, s := range c.Cases {
			_, runs := c.cell(i, j)
			for _, r := range runs {
				all = append(all, listed{s, m.Name, r})
			}
		}
	}
	return write(all)
}
