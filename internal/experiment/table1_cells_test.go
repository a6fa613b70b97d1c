package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// shown compares what a table shows of its cells.
var shown = cmpopts.IgnoreUnexported(Cell{})

// example is a store with five runs of two methods in four dimensions, two of another
// grid, and a frame.
func example(t *testing.T) (Table1, *store.Store) {
	t.Helper()
	g := complete(t, Table1{Dim: 4, Runs: 3, Problems: []string{"rastrigin"}, Methods: []string{"cbo", "transformed"}})
	s := open(t, g.Grid(), t.TempDir())
	key := func(method string, seed uint64) store.Key {
		return store.Key{Problem: "rastrigin d=4 mix=paper", Method: method, Seed: seed}
	}
	for _, r := range []store.Run{
		{Key: key("cbo", 0), Status: "budget-spent", Gap: 7, Queries: 8000, Seconds: 1, Recovered: -1},
		{Key: key("cbo", 1), Status: "budget-spent", Gap: 8, Queries: 8000, Seconds: 3, Recovered: -1},
		{Key: key("transformed", 0), Status: "target-reached", Gap: 0.004, Queries: 6000, Reached: 5990, Seconds: 4, Recovered: 4},
		{Key: key("transformed", 1), Status: "budget-spent", Gap: 0.006, Queries: 8000, Seconds: 4, Recovered: 3},
		{Key: key("transformed", 2), Status: "target-reached", Gap: 0.005, Queries: 7000, Reached: 6991, Seconds: 4, Own: 1, Rounds: 9, Version: "v1", Recovered: 4, Curve: []objective.Sample{{Queries: 1, Value: 30}, {Queries: 6991, Value: 0.005}}},
		{Key: key("transformed", 3), Status: "target-reached", Gap: 0, Queries: 1, Reached: 1, Recovered: 4},
		{Key: store.Key{Problem: "levy", Method: "cbo"}, Status: "target-reached", Reached: 1},
		{Key: key("identification", 0), Status: "converged", Recovered: 4},
	} {
		if err := s.Put(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	return g, s
}

// Cells by hand.
func TestTabulate(t *testing.T) {
	g, s := example(t)
	table, err := g.Tabulate(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	low2, high2 := wilson(0, 2)
	low3, high3 := wilson(2, 3)
	want := []Cell{
		{Method: "cbo", Problem: "rastrigin", Runs: 2, Low: low2, High: high2, Paper: new(0), Within: new(0), Failed: &Gaps{7, 7, 8}, Seconds: 2},
		{
			Method: "transformed", Problem: "rastrigin", Runs: 3, Successes: 2, Low: low3, High: high3, Queries: new(5990),
			Recovered: new(100 * 11 / 12.), Paper: new(99), PapersRecovered: new(100), Within: new(2), Failed: &Gaps{0.006, 0.006, 0.006}, Seconds: 4,
		},
	}
	if !cmp.Equal(table.Cells, want, shown) {
		t.Error(cmp.Diff(want, table.Cells, shown))
	}
	if table.Done != 5 || table.Total != 6 {
		t.Errorf("%d of %d runs", table.Done, table.Total)
	}
}

// With the paper's settings, the results are tested against its figures.
func TestCompareWithThePaper(t *testing.T) {
	c := newCell("componentwise", "squared-norm", make([]store.Run, 20), 100)
	c.compare(true)
	if c.P == nil || *c.P != fisher(0, 20, 1, 100) || *c.Paper != 1 || *c.PapersRecovered != 0 {
		t.Errorf("%+v", c)
	}
	c = newCell("auto", "squared-norm", make([]store.Run, 20), 100)
	if c.compare(true); c.P != nil || c.Paper != nil {
		t.Errorf("%+v", c)
	}
	c = newCell("cbo", "squared-norm", nil, 100)
	if c.compare(true); c.P != nil || c.Paper == nil || c.Low != 0 || c.High != 1 {
		t.Errorf("%+v", c)
	}
}

// The example in all formats, with times last.
func TestForms(t *testing.T) {
	g, s := example(t)
	table, err := g.Tabulate(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := table.Write(dir)
	if err != nil || len(files) != 6 || files[4] != filepath.Join(dir, "table1-d4-rastrigin-cbo-transformed-3runs-runs.csv") {
		t.Fatal(files, err)
	}
	for name, lines := range map[string][]string{
		"text": {
			"METHOD       PROBLEM    SUCCESS  95%    PAPER     P  HOLM  within 7,760  P  HOLM  RECOVERED  QUERIES  SECONDS",
			"cbo          rastrigin  0/2      0–66   0         –  –     0/2           –  –     –          –        2.00",
			"transformed  rastrigin  2/3      21–94  99 (100)  –  –     2/3           –  –     91.67      5,990    4.00",
			"Success is a gap of at most 0.005 within 8,000 queries; d = 4, mix paper, seeds 0 to 2; 5 of 6 runs.",
		},
		".md": {
			"| method | rastrigin | within 7,760 | paper |",
			"|---|---|---|---|",
			"| CBO on f, transformed noise | 2/3 (91.67) | 2/3 | 99 (100) |",
			"| transformed | rastrigin | 2/3 | 21–94 | 99 (100) | – | – | 2/3 | – | – | 91.67 | 5,990 | 4.00 |",
			"| cbo | rastrigin | 2/2 | 7 | 7 | 8 |",
		},
		".tex": {
			`CBO on $f$ & 0/2 & 0/2 & 0 \\`,
			`method & problem & success & 95\% & paper & p & Holm \\`,
			`transformed & rastrigin & 2/3 & 21--94 & 99 (100) & -- & -- \\`,
			`transformed & rastrigin & 2/3 & -- & -- \\`,
			`method & problem & recovered & queries & seconds \\`,
			`transformed & rastrigin & 91.67 & 5,990 & 4.00 \\`,
		},
		".csv": {
			"method,problem,successes,runs,wilson_low,wilson_high,paper,fisher_p,holm_p,successes_within_rest,fisher_p_within_rest,holm_p_within_rest," +
				"failed_least,failed_median,failed_most,recovered,paper_recovered,median_queries,seconds",
			"cbo,rastrigin,0,2,0,0.6576197724933469,0,,,0,,,7,7,8,,,,2",
		},
		"-runs.csv": {
			"method,problem,dim,mix,options,seed,budget,status,gap,queries,reached,rounds,recovered,version,seconds,own_seconds",
			"cbo,rastrigin,4,paper,,1,8000,budget-spent,8,8000,,,,,3,0",
			"transformed,rastrigin,4,paper,,2,8000,target-reached,0.005,7000,6991,9,4,v1,4,1",
		},
		"-curves.csv": {
			"method,problem,dim,mix,options,seed,budget,version,queries,gap",
			"transformed,rastrigin,4,paper,,2,8000,v1,1,30",
			"transformed,rastrigin,4,paper,,2,8000,v1,6991,0.005",
		},
	} {
		text := table.Text()
		if name != "text" {
			data, err := os.ReadFile(filepath.Join(dir, "table1-d4-rastrigin-cbo-transformed-3runs"+name))
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		for _, line := range lines {
			if !strings.Contains("\n"+text, "\n"+line+"\n") {
				t.Errorf("%s: no line %q in\n%s", name, line, text)
			}
		}
		if strings.HasSuffix(name, ".csv") {
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || len(rows) < 3 {
				t.Errorf("%s: %d rows, error %v", name, len(rows), err)
			}
		}
	}
	data, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	var back Table
	if err := json.Unmarshal(data, &back); err != nil || !cmp.Equal(back.Cells, table.Cells, shown) || !cmp.Equal(back.Grid, g) {
		t.Errorf("%v: %s", err, data)
	}
}

// A cell without a run is empty in every form: nothing is known of it.
func TestEmptyCells(t *testing.T) {
	g := complete(t, Table1{Dim: 4, Runs: 3, Problems: []string{"levy"}, Methods: []string{"cbo"}})
	table, err := g.Tabulate(ctx, open(t, g.Grid(), t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if text := table.Text(); !strings.Contains(text, "\ncbo     levy                   –\n") {
		t.Errorf("%q", text)
	}
	for _, test := range []struct {
		form func() ([]byte, error)
		line string
	}{{table.document(func(m Method) string { return m.Title }).markdown, "| cbo | levy |  |  | – |  |  |  |  |  |  |  |  |"}, {inCSV(table.csv), "cbo,levy,0,0,,,,,,,,,,,,,,,"}} {
		if text, err := test.form(); err != nil || !strings.Contains(string(text), "\n"+test.line+"\n") {
			t.Errorf("no %q in %s, %v", test.line, text, err)
		}
	}
}

// docs/data/table1.md has the tables of docs/data/table1.json, which a run has written. With -update
// they are put there. README.md has a link to the page.
func TestCommittedTable(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "data", "table1.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table Table
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "data", "table1.md")
	forms := map[string]string{
		"overview": table.overview(func(m Method) string { return m.Title }).markdown(),
		"cells":    table.legend() + "\n\n" + table.details().markdown(),
		"failures": table.failures().markdown(),
	}
	for name, text := range forms {
		pageHas(t, path, name, text)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil || !bytes.Contains(readme, []byte("(docs/data/table1.md)")) {
		t.Errorf("README.md has no link to docs/data/table1.md, or %v", err)
	}
}

// The committed store, docs/data/table1.jsonl, gives the table of docs/data/table1.json and the runs of
// docs/data/table1-runs.csv, so that a later program has to make only what is missing.
func TestCommittedStore(t *testing.T) {
	g := complete(t, Table1{})
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "data", "table1.json"))
	var table Table
	if err == nil {
		err = json.Unmarshal(data, &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	g.Runs, g.Seed = table.Grid.Runs, table.Grid.Seed
	s, err := g.Grid().openStore(ctx, filepath.Join("..", "..", "docs", "data", "table1.jsonl"), store.Read)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	again, err := g.Tabulate(ctx, s)
	if err != nil || again.Done != table.Done || !cmp.Equal(again.Cells, table.Cells, shown) {
		t.Errorf("%d runs of %d, error %v; %s", again.Done, table.Done, err, cmp.Diff(table.Cells, again.Cells, shown))
	}
	runs, err := runFiles(again.listed)[0].text()
	if err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(filepath.Join("..", "..", "docs", "data", "table1-runs.csv")); err != nil || !bytes.Equal(file, runs) {
		t.Errorf("docs/data/table1-runs.csv has other runs, or %v", err)
	}
}

// The quartiles of three runs, by hand. A run keeps its last value after it has ended, and
// has no gap before its first sample.
func TestCourse(t *testing.T) {
	var runs []store.Run
	for _, curve := range [][]objective.Sample{
		{{Queries: 1, Value: 10}, {Queries: 5, Value: 4}},
		{{Queries: 1, Value: 20}, {Queries: 3, Value: 2}},
		{{Queries: 2, Value: 30}, {Queries: 5, Value: 3}},
		nil, // none of its values was finite
	} {
		runs = append(runs, store.Run{Curve: curve})
	}
	c := course("m", runs)
	want := [][]float64{{1, 2, 3, 5}, {10, 10, 2, 2}, {20, 20, 10, 3}}
	if !cmp.Equal([][]float64{c.X, c.Lower, c.Median}, want) {
		t.Error(c)
	}
	if !cmp.Equal(c.Upper[1:], []float64{30, 30, 4}) || c.Upper[0] < 1e300 {
		t.Error(c.Upper)
	}
}

// A picture for each problem that has runs.
func TestDrawConvergence(t *testing.T) {
	g := complete(t, Table1{Dim: 3, Runs: 2, Budget: 700, Problems: []string{"squared-norm", "levy"}, Methods: []string{"cbo", "cmaes", "auto"}})
	s, dir := open(t, g.Grid(), t.TempDir()), t.TempDir()
	part := g
	part.Problems = g.Problems[:1]
	if err := part.Grid().Run(ctx, s, 1, nil); err != nil {
		t.Fatal(err)
	}
	table, err := g.Tabulate(ctx, s)
	if err == nil {
		_, err = table.Draw(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for i, name := range []string{"squared-norm-linear.svg", "squared-norm.svg"} {
		if len(files) != 2 || filepath.Base(files[i]) != "table1-d3-squared-norm-levy-cbo-cmaes-auto-700queries-2runs-convergence-"+name {
			t.Errorf("%v", files)
		}
	}
}
