package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/words"
)

// Write writes the table to a folder: as table1.csv, table1.json, table1.md and
// table1.tex, and every run as runs.csv. Times are in columns of their own, the last; all
// else is the same whenever and however often the grid was stopped.
func (t Table) Write(dir string) error {
	for _, file := range []struct {
		name string
		text func() ([]byte, error)
	}{{"table1.csv", t.csv}, {"table1.json", t.json}, {"table1.md", t.markdown}, {"table1.tex", t.latex}, {"runs.csv", t.runsCSV}} {
		data, err := file.text()
		if err == nil {
			err = atomicfile.Write(filepath.Join(dir, file.name), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Text is the table for a terminal, a line for each cell.
func (t Table) Text() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for i, line := range t.details() {
		if i == 0 {
			for k := range line {
				line[k] = strings.ToUpper(line[k])
			}
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush()
	return out.String() + "\n" + t.legend() + "\n"
}

// markdown is the table as the paper has it, and below it a line for each cell.
func (t Table) markdown() ([]byte, error) {
	overview := t.overview(func(m method) string { return m.Title })
	return []byte(t.legend() + "\n\n" + markdown(overview) + "\n" + markdown(t.details())), nil
}

// latex is the same in LaTeX, without any package.
func (t Table) latex() ([]byte, error) {
	legend := "% " + strings.ReplaceAll(t.legend(), "\n", "\n% ") + "\n"
	overview := t.overview(func(m method) string { return m.TeX })
	return []byte(legend + latex(overview) + "\n" + latex(t.details())), nil
}

// legend says what the figures are.
func (t Table) legend() string {
	g := t.Grid
	seeds := fmt.Sprintf("seed %d", g.Seed)
	if g.Runs > 1 {
		seeds = fmt.Sprintf("seeds %d to %d", g.Seed, g.Seed+uint64(g.Runs)-1)
	}
	text := fmt.Sprintf(`Success is a gap of at most %g within %s queries; d = %d, mix %s, %s; %s of %s runs.
95%%: Wilson's interval of the rate of success, in percent. Recovered: percent of the rows of W found to %g.
Queries: up to the first success, those for finding coordinates included; of the successful runs the median (of
two the lower). Seconds: the mean of a run, finding coordinates included.`,
		g.Gap, words.Thousands(g.Budget), g.Dim, g.Mix, seeds, words.Thousands(t.Done), words.Thousands(t.Total), recovery)
	if slices.ContainsFunc(t.Cells, func(c Cell) bool { return c.Paper != nil }) {
		text += "\nPaper: its figures in percent of 100 runs at d = 100 with 5,000,000 queries; p: Fisher's exact test against them,"
		text += "\nwhere the settings are the same."
	}
	return text
}

// overview has a line for each method and for each problem the rate of success, with
// the percentage of recovered rows in brackets, and that of the paper.
func (t Table) overview(title func(method) string) [][]string {
	lines := [][]string{{"method"}}
	for _, p := range t.Grid.Problems {
		lines[0] = append(lines[0], p, "paper")
	}
	for i := range t.Grid.Methods {
		line := []string{title(t.Grid.method(i))}
		for k := range t.Grid.Problems {
			c := t.Cells[i*len(t.Grid.Problems)+k]
			line = append(line, fmt.Sprintf("%d/%d%s", c.Successes, c.Runs, brackets(c.Recovered)), whole(c.Paper)+brackets(c.PapersRecovered))
		}
		lines = append(lines, line)
	}
	return lines
}

// brackets is a number in brackets, or nothing.
func brackets[T int | float64](v *T) string {
	if v == nil {
		return ""
	}
	return " (" + percent(float64(*v)) + ")"
}

// percent is a number with two decimals, if it needs them.
func percent(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64) }

// whole is a number, or a sign that there is none.
func whole(v *int) string {
	if v == nil {
		return "–"
	}
	return words.Thousands(*v)
}

// details has a line for each cell.
func (t Table) details() [][]string {
	lines := [][]string{{"method", "problem", "success", "95%", "paper", "p", "recovered", "queries", "seconds"}}
	for _, c := range t.Cells {
		recovered, p := "–", "–"
		if c.Recovered != nil {
			recovered = percent(*c.Recovered)
		}
		if c.P != nil {
			p = fmt.Sprintf("%.2g", *c.P)
		}
		lines = append(lines, []string{
			c.Method, c.Problem, fmt.Sprintf("%d/%d", c.Successes, c.Runs), fmt.Sprintf("%.0f–%.0f", 100*c.Low, 100*c.High),
			whole(c.Paper) + brackets(c.PapersRecovered), p, recovered, whole(c.Queries), fmt.Sprintf("%.2f", c.Seconds),
		})
	}
	return lines
}

// markdown is a table of which the first line is the head.
func markdown(lines [][]string) string {
	var out strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintf(&out, "|%s\n", strings.Repeat("---|", len(line)))
		}
	}
	return out.String()
}

// latex is such a table in LaTeX. Titles of methods may hold formulas.
func latex(lines [][]string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\\begin{tabular}{%s}\n\\hline\n", strings.Repeat("l", len(lines[0])))
	for i, line := range lines {
		fmt.Fprintf(&out, "%s \\\\\n", strings.NewReplacer("%", `\%`, "–", "--").Replace(strings.Join(line, " & ")))
		if i == 0 {
			out.WriteString("\\hline\n")
		}
	}
	out.WriteString("\\hline\n\\end{tabular}\n")
	return out.String()
}

// json is the table as one object.
func (t Table) json() ([]byte, error) {
	data, err := json.MarshalIndent(t, "", "  ")
	return append(data, '\n'), err
}

// csv has a line for each cell.
func (t Table) csv() ([]byte, error) {
	lines := [][]string{{
		"method", "problem", "successes", "runs", "wilson_low", "wilson_high", "paper", "fisher_p",
		"recovered", "paper_recovered", "median_queries", "seconds",
	}}
	for _, c := range t.Cells {
		lines = append(lines, []string{
			c.Method, c.Problem, strconv.Itoa(c.Successes), strconv.Itoa(c.Runs), decimals(&c.Low), decimals(&c.High),
			digits(c.Paper), decimals(c.P), decimals(c.Recovered), digits(c.PapersRecovered), digits(c.Queries), decimals(&c.Seconds),
		})
	}
	return asCSV(lines)
}

// runsCSV has a line for each run.
func (t Table) runsCSV() ([]byte, error) {
	lines := [][]string{{"method", "problem", "seed", "status", "gap", "queries", "reached", "recovered", "seconds"}}
	for _, r := range t.runs {
		recovered, reached := &r.Recovered, &r.Reached
		if r.Recovered < 0 {
			recovered = nil
		}
		if r.Reached == 0 {
			reached = nil
		}
		lines = append(lines, []string{
			r.Method, r.Problem, strconv.FormatUint(r.Seed, 10), r.Status, decimals(&r.Gap),
			strconv.Itoa(r.Queries), digits(reached), digits(recovered), decimals(&r.Seconds),
		})
	}
	return asCSV(lines)
}

func asCSV(lines [][]string) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	err := w.WriteAll(lines)
	return out.Bytes(), err
}

// digits is a number, or nothing.
func digits(v *int) string {
	if v == nil {
		return ""
	}
	return strconv.Itoa(*v)
}

// decimals is a number to the last bit, or nothing.
func decimals(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
