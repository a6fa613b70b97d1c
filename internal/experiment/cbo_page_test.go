package experiment

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/internal/words"
)

// storedRuns reads a -runs.csv file of docs/data: runs by what the columns say, with spaces between, in their order.
func storedRuns(t *testing.T, name string, columns ...string) (order []string, runs map[string][]store.Run) {
	t.Helper()
	file, err := os.Open("../../docs/data/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	runs = map[string][]store.Run{}
	for _, row := range rows[1:] {
		of := func(column string) string { return row[slices.Index(rows[0], column)] }
		key := ""
		for _, c := range columns {
			key += " " + of(c)
		}
		key = key[1:]
		gap, err := strconv.ParseFloat(of("gap"), 64)
		reached, _ := strconv.Atoi(of("reached"))
		if err != nil {
			t.Fatal(err)
		}
		if runs[key] == nil {
			order = append(order, key)
		}
		runs[key] = append(runs[key], store.Run{Gap: gap, Reached: reached})
	}
	return order, runs
}

// one writes one digit.
func one(v float64) string {
	text := fmt.Sprintf("%.1g", v)
	if v >= 1 {
		text = fmt.Sprintf("%.0f", math.Round(v/math.Pow(10, math.Floor(math.Log10(v))))*math.Pow(10, math.Floor(math.Log10(v))))
	}
	return text
}

// three writes three digits.
func three(v float64) string {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(v))-2))
	return words.Thousands(int(math.Round(v/unit) * unit))
}

// The tables of docs/data/cbo.md follow from the runs beside it. With -update they are written.
func TestCBOPage(t *testing.T) {
	for name, file := range map[string]string{"variants": "cbo-variants-runs.csv", "mixed": "cbo-mixed-runs.csv"} {
		order, runs := storedRuns(t, file, "method", "problem")
		var methods, problems []string
		for _, key := range order {
			m, p, _ := strings.Cut(key, " ")
			if !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
			if !slices.Contains(problems, p) {
				problems = append(problems, p)
			}
		}
		table := "| | " + strings.Join(problems, " | ") + " |\n|---" + strings.Repeat("|---:", len(problems)) + "|\n"
		for _, m := range methods {
			table += "| " + m + " |"
			for _, p := range problems {
				gaps := []float64{}
				for _, r := range runs[m+" "+p] {
					gaps = append(gaps, r.Gap)
				}
				slices.Sort(gaps)
				table += " " + one(gaps[(len(gaps)-1)/2]) + " |"
			}
			table += "\n"
		}
		pageHas(t, "../../docs/data/cbo.md", name, table)
	}
	_, runs := storedRuns(t, "cbo-scaling-runs.csv", "problem", "dim", "method")
	table := "| d | anisotropic on g | transformed on f, W known | isotropic on g |\n|---:|---:|---:|---:|\n"
	for _, p := range []string{"rastrigin", "squared-norm"} {
		for i, d := range []int{10, 20, 50, 100, 200, 500, 1000} {
			row := words.Thousands(d)
			if i == 0 {
				row = p + ", " + row
			}
			for _, m := range []string{"anisotropic on g", "transformed on f", "isotropic on g"} {
				row += " | " + scaled(runs[fmt.Sprintf("%s %d %s", p, d, m)])
			}
			table += "| " + row + " |\n"
		}
	}
	pageHas(t, "../../docs/data/cbo.md", "scaling", table)
}

// scaled is the median of the queries of runs, and its interval.
func scaled(runs []store.Run) string {
	var reached []int
	for _, r := range runs {
		if r.Reached > 0 {
			reached = append(reached, r.Reached)
		}
	}
	p := Point{runs: runs}
	p.measure()
	switch {
	case len(runs) == 0:
		return "not run"
	case len(reached) == 0:
		return fmt.Sprintf("none of %d", len(runs))
	case len(runs) == 2:
		slices.SortFunc(reached, cmp.Compare)
		return three(float64(reached[0])) + " and " + three(float64(reached[1]))
	case math.IsNaN(p.QueriesLow):
		return three(p.Queries)
	}
	return fmt.Sprintf("%s (%s–%s)", three(p.Queries), three(p.QueriesLow), three(p.QueriesHigh))
}

// pageHas fails if a page does not have this text between its marks. With -update it is put there.
func pageHas(t *testing.T, path, name, text string) {
	t.Helper()
	if *flags.Update {
		rewrite(t, path, name, text)
	}
	page, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(page), "<!-- "+name+" -->\n"+text+"<!-- end of "+name+" -->\n") {
		t.Errorf("%s does not have %s as it follows from what is stored; -update writes it: %v\n%s", path, name, err, text)
	}
}
