package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/needs"
	"github.com/untwist/untwist/internal/store"
)

// written returns the files of a comparison by their names.
func written(t *testing.T, c Comparison) map[string]string {
	t.Helper()
	dir := t.TempDir()
	files, err := c.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil || filepath.Dir(path) != dir {
			t.Fatal(path, err)
		}
		texts[filepath.Base(path)] = string(data)
	}
	return texts
}

// The small grid in all forms. What is not there is empty; times are last.
func TestFormsOfAComparison(t *testing.T) {
	g, runs := byHand()
	g.Methods[0].TeX = `\textbf{ours}`
	c := compared(t, g, runs)
	texts := written(t, c)
	texts["text"] = c.Text()
	for name, lines := range map[string][]string{
		"text": {
			"d = 2, 100 queries\nPROBLEM  METHOD  SUCCESS  ERT(1)  ERT(0.1)  FINAL GAP",
			"bowl     ours        2/3      75        80        0.1",
			"         theirs      0/3     115         ∞        0.7",
			"d = 4, mix paper, map=sqrt, 100 queries",
			"comb     ours        0/1       ∞         ∞          7\n         theirs      0/0",
			"bowl d=2                             0       0.4       0.4    equal",
			"comb d=4 mix=paper map=sqrt",
			"theirs   d = 2                            0      1      0",
			"         all                              0      1      0",
		},
		"small.md": {
			"**d = 2, 100 queries**",
			"| problem | method | success | 95% | ERT(1) | ERT(0.1) | 95% | final gap | rounds | own s/query |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
			`|  | the\_others | 0/3 | 0–56 | 115 | ∞ |  | 0.7 |  |  |`,
			"|  | the\\_others | 0/0 |  |  |  |  |  |  |  |",
		},
		"small.tex": {
			"\\begin{tabular}{llrrrr}\n\\toprule\n\\multicolumn{6}{l}{d = 2, 100 queries} \\\\\n\\midrule", `\bottomrule`,
			` & the\_others & 0/3 & 115 & $\infty$ & 0.7 \\`,
			`comb & \textbf{ours} & 0/1 & $\infty$ & $\infty$ & 7 \\`,
		},
		"small.csv": {
			"method,problem,dim,mix,options,budget,target,runs,successes,wilson_low,wilson_high,ert,ert_low,ert_high,queries_lower,queries_median,queries_upper,gap_lower,gap_median,gap_upper,rounds,own_seconds_per_query",
			"theirs,bowl,2,,,100,0.1,3,0,0,0.5614970317550454,,,,,,,0.5,0.7,,,",
			"theirs,comb,4,paper,map=sqrt,100,1,0,,,,,,,,,,,,,,",
		},
		"small-pairs.csv": {
			"first,second,problem,dim,mix,options,verdict,p,p_holm,ert_ratio,ert_ratio_low,ert_ratio_high,behind",
			"ours,theirs,bowl,2,,,equal,0.4,0.4,0,0,,false",
			"ours,theirs,comb,4,paper,map=sqrt,,,,,,,",
		},
		"small-runs.csv": {
			"method,problem,dim,mix,options,seed,budget,status,gap,queries,reached,rounds,recovered,version,seconds,own_seconds",
			"ours,bowl,2,,,5,100,target-reached,0.1,20,20,4,,v1,2,0.5",
			"theirs,bowl,2,,,7,100,budget-spent,,100,,,,,0,0",
		},
		"small-curves.csv": {
			"method,problem,dim,mix,options,seed,budget,version,queries,gap",
			"ours,bowl,2,,,5,100,v1,10,1",
			"ours,comb,4,paper,map=sqrt,5,100,,1,7",
		},
		"small.json": {`  "name": "small",`},
	} {
		for _, line := range lines {
			if !strings.Contains("\n"+texts[name], "\n"+line+"\n") {
				t.Errorf("%s: no line %q in\n%s", name, line, texts[name])
			}
		}
		if !strings.HasSuffix(name, ".csv") {
			continue
		}
		if rows, err := csv.NewReader(strings.NewReader(texts[name])).ReadAll(); err != nil || len(rows) < 3 {
			t.Errorf("%s: %d rows, error %v", name, len(rows), err)
		}
	}
	if len(texts) != 8 {
		t.Errorf("%d files", len(texts))
	}
}

// What was read from JSON has the same tables as what was written.
func TestAComparisonCanBeReadAgain(t *testing.T) {
	g, runs := byHand()
	c := compared(t, g, runs)
	var back Comparison
	if err := json.Unmarshal([]byte(written(t, c)["small.json"]), &back); err != nil {
		t.Fatal(err)
	}
	if back.Text() != c.Text() {
		t.Errorf("%s\nbecame\n%s", c.Text(), back.Text())
	}
	for i, form := range c.forms() {
		was, err1 := form.text()
		is, err2 := back.forms()[i].text()
		if err1 != nil || err2 != nil || !bytes.Equal(was, is) {
			t.Errorf("%s\nbecame\n%s, %v, %v", was, is, err1, err2)
		}
	}
}

// UnmarshalJSON reads what MarshalJSON has written: null is infinite.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Number(math.Inf(1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// The same runs give the same bytes, from a store and in any order.
func TestSameRunsSameBytes(t *testing.T) {
	g, runs := made(2, 5)
	want := written(t, compared(t, g, runs))
	s := openPlain(t)
	backwards := slices.Clone(runs)
	slices.Reverse(backwards)
	for _, r := range backwards {
		if err := s.Put(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	c, err := g.Compare(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range written(t, c) {
		if text != want[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// The text fits a terminal of 100 columns.
func TestTextFitsATerminal(t *testing.T) {
	g, runs := made(3, 4)
	text := compared(t, g, runs).Text()
	for _, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(text), " "), `With 4 runs of each method and 6 cases, p can never be small enough: every verdict is "equal", whatever the difference. There have to be at least 5 runs.`) {
		t.Error(text)
	}
}

// One run of each method, of four planned, has no bootstrap interval, and cannot have a verdict.
func TestOneRunHasNoInterval(t *testing.T) {
	g, runs := made(1, 4)
	runs = slices.DeleteFunc(runs, func(r store.Run) bool { return r.Seed > 0 })
	c := compared(t, g, runs)
	if goal := c.Cells[0].Goals[0]; !math.IsNaN(float64(goal.ERTLow)) || !math.IsNaN(float64(goal.ERTHigh)) {
		t.Errorf("%+v", goal)
	}
	if d := c.Pairs[0].Duels[0]; !math.IsNaN(float64(d.RatioLow)) || !math.IsNaN(float64(d.RatioHigh)) || between(d.Ratio, d.RatioLow, d.RatioHigh) != "" {
		t.Errorf("%+v", d)
	}
	if text := c.Text(); !strings.Contains(text, "With 1 run of each method and 2 cases, p can never") {
		t.Error(text)
	}
}

// What is not known without a run is null in JSON: a gap of 0 would be the best there is.
func TestWithoutARunJSONIsNull(t *testing.T) {
	g, runs := made(1, 3)
	runs = slices.DeleteFunc(runs, func(r store.Run) bool { return r.Method == "auto" })
	data, err := inJSON(compared(t, g, runs))()
	var got struct {
		Cells []struct {
			Gap   map[string]any   `json:"final_gap"`
			Goals []map[string]any `json:"targets"`
		}
		Pairs []struct{ Cases []map[string]any }
	}
	if err != nil || json.Unmarshal(data, &got) != nil {
		t.Fatalf("%v: %s", err, data)
	}
	cell, duel := got.Cells[0], got.Pairs[0].Cases[0]
	for _, v := range []any{
		cell.Gap["median"], cell.Goals[0]["ert"], cell.Goals[0]["ert_low"], cell.Goals[0]["ert_high"],
		cell.Goals[0]["queries"].(map[string]any)["median"], duel["ert_ratio"], duel["ert_ratio_low"], duel["ert_ratio_high"],
	} {
		if v != nil {
			t.Errorf("%v in %+v, %+v", v, cell, duel)
		}
	}
}

// With n runs against n the least p is 2/C(2n, n): 2/70 for four, 2/252 for five.
func TestTooFew(t *testing.T) {
	for _, test := range []struct {
		n, cases int
		want     bool
	}{{3, 1, true}, {4, 1, false}, {4, 2, true}, {5, 6, false}, {5, 7, true}, {15, 1000, false}} {
		if tooFew(test.n, test.cases) != test.want {
			t.Errorf("%+v", test)
		}
	}
}

// Every line of a LaTeX table has as many cells as the table has columns, whatever the names.
func TestLaTeXIsEscaped(t *testing.T) {
	s := sheet{right: 1, lines: [][]string{{"a_b", "95%"}, {`[x] & \y {z}`, "~^#$<>|*"}, {asTeX + `$\tilde g$`, "∞ – -∞"}}}
	want := `\begin{tabular}{lr}
\toprule
a\_b & 95\% \\
\midrule
{[}x] \& \textbackslash{}y \{z\} & \textasciitilde{}\textasciicircum{}\#\$\textless{}\textgreater{}\textbar{}{*} \\
$\tilde g$ & $\infty$ -- $-\infty$ \\
\bottomrule
\end{tabular}
`
	if got := s.latex(); got != want {
		t.Errorf("%s", got)
	}
}

// A sheet that is too long for a page is cut, with the lines of a problem together.
func TestLongSheetsAreCut(t *testing.T) {
	s := sheet{title: "t", lines: [][]string{{"head", ""}, {"a", "1"}, {"", "2"}, {"b", "3"}, {"", "4"}, {"", "5"}, {"", "6"}, {"c", "7"}}}
	got := ""
	for _, part := range s.parts(3) {
		got += part.title + ":"
		for _, line := range part.lines {
			got += " " + line[0] + line[1]
		}
		got += "\n"
	}
	want := "t: head a1 2\nt (continued): head b3 4 5\nt (continued): head 6 c7\n"
	if got != want {
		t.Errorf("%s", got)
	}
}

// LaTeX compiles what is written, of comparisons and of the paper's table, and it fits the page.
func TestLaTeXCompiles(t *testing.T) {
	if !*flags.Whole {
		t.Skip("with -whole, since LaTeX is large")
	}
	needs.Tools(t, "pdflatex")
	g, runs := byHand()
	g.Methods[0].Name, g.Methods[1].Title = "100%_&#$^~{}", `[a\b] * <c> | d`
	for i := range runs {
		if runs[i].Method == "ours" {
			runs[i].Method = g.Methods[0].Name
		}
	}
	c := compared(t, g, runs)
	ours, err := c.document(inTeX).latex()
	if err != nil {
		t.Fatal(err)
	}
	h := complete(t, Table1{})
	table, err := h.Tabulate(ctx, open(t, h.Grid(), t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range table.Cells {
		c := &table.Cells[i]
		c.Runs, c.Successes, c.Seconds, c.High, c.Queries, c.Recovered = 100, 100, 123.45, 1, new(4_999_999), new(99.99)
		c.P, c.Holm, c.Within, c.WithinP, c.WithinHolm = new(1.2e-10), new(1.2e-10), new(100), new(1.2e-10), new(1.2e-10)
		c.Failed = &Gaps{Least: 1.234e-10, Median: 1.234e-10, Most: 1.234e-10}
	}
	theirs, err := table.document(func(m Method) string { return asTeX + m.TeX }).latex()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	page := "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + string(ours) + "\n\n" + string(theirs) + "\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "page.tex"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "page.tex")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil || strings.Contains(string(out), "Overfull") {
		t.Errorf("%v: %s", err, out)
	}
}

// A picture for each dimension, one for all, and one for each case.
func TestDrawAComparison(t *testing.T) {
	g, runs := made(2, 3)
	g.Cases[3].Options = "a/b c"
	g.Cases = append(g.Cases, g.Cases[3])
	g.Cases[4].Options = "a:b c"
	for _, r := range runs {
		if r.Problem == "bbob-2 d=10" {
			for _, k := range g.Cases[3:] {
				r.Problem = k.Key()
				runs = append(runs, r)
			}
		}
	}
	c, dir := compared(t, g, runs), t.TempDir()
	files, err := c.Draw(dir)
	if err != nil {
		t.Fatal(err)
	}
	more, err := c.DrawConvergence(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range append(files, more...) {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
		names = append(names, regexp.MustCompile(`^made-`).ReplaceAllString(filepath.Base(path), ""))
	}
	want := "ecdf-d5.svg ecdf-d10.svg ecdf.svg convergence-bbob-1-d-5.svg convergence-bbob-2-d-5.svg " +
		"convergence-bbob-1-d-10.svg convergence-bbob-2-d-10-a-b-c.svg convergence-bbob-2-d-10-a-b-c-2.svg"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s", got)
	}
}
