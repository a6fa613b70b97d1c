package experiment

import (
	"slices"
	"strconv"

	"github.com/untwist/untwist/internal/store"
)

// caseColumns are the columns that say which case a line is about.
var caseColumns = []string{"problem", "dim", "mix", "options"}

func (s Setup) columns() []string {
	return []string{s.Problem, strconv.Itoa(s.Dim), s.Mix, s.Options}
}

// A listed run stands in the list of all runs of an experiment.
type listed struct {
	of     Setup
	method string // its name
	run    store.Run
}

// columns say which run a line is about.
func (l listed) columns() []string {
	return append(append([]string{l.method}, l.of.columns()...), strconv.FormatUint(l.run.Seed, 10), strconv.Itoa(l.of.Budget))
}

var listedColumns = append(append([]string{"method"}, caseColumns...), "seed", "budget")

// runColumns are the columns of what a run came to, and outcome what is in them.
var runColumns = []string{"status", "gap", "queries", "reached", "rounds", "recovered", "version", "seconds", "own_seconds"}

func (l listed) outcome() []string {
	r := l.run
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
	return []string{r.Status, Number(r.Gap).csv(), strconv.Itoa(r.Queries), digits(reached),
		digits(rounds), digits(recovered), r.Version, decimals(&r.Seconds), decimals(&r.Own)}
}

// runsCSV has a line for each run.
func runsCSV(all []listed) ([]byte, error) {
	lines := [][]string{slices.Concat(listedColumns, runColumns)}
	for _, l := range all {
		lines = append(lines, slices.Concat(l.columns(), l.outcome()))
	}
	return asCSV(lines)
}

// curvesCSV has a line for each sample of each run.
func curvesCSV(all []listed) ([]byte, error) {
	lines := [][]string{append(listedColumns[:len(listedColumns):len(listedColumns)], "version", "queries", "gap")}
	for _, l := range all {
		about := append(l.columns(), l.run.Version)
		for _, sample := range l.run.Curve {
			lines = append(lines, append(about[:len(about):len(about)], strconv.Itoa(sample.Queries), Number(sample.Value).csv()))
		}
	}
	return asCSV(lines)
}
