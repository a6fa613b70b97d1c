package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/experiment"
)

// again are commands that make some of the stored runs again: for the entry of docs/data/made.csv of this name, into $OUT, in
// the top folder. What is quick comes first; more is made in the usual size, and with -whole all. Of tables with auto the runs of
// CMA-ES are made again.
var again = []struct {
	name     string
	commands []string // separated by "; "
	stored   string   // what they write, in docs/data
	same     string   // the columns of a table that are the same
	claim    string   // what docs/data/made.csv says if they are: "cmaes" if that is all that is made again
}{
	{"cbo-variants", []string{
		"compare --grid docs/data/cbo-variants.toml --problems squared-norm --seeds 1",
		"compare --grid docs/data/cbo-variants.toml --seeds 2",
		"compare --grid docs/data/cbo-variants.toml",
	}, "cbo-variants-runs.csv", ofRun, "yes"},
	{"cbo-mixed", []string{
		"compare --grid docs/data/cbo-mixed.toml --problems squared-norm --methods plain=transformed --seeds 1",
		"compare --grid docs/data/cbo-mixed.toml --problems squared-norm,ackley --seeds 1",
		"compare --grid docs/data/cbo-mixed.toml --seeds 2",
	}, "cbo-mixed-runs.csv", ofRun, "yes"},
	{"cbo-scaling", []string{
		"reproduce scaling --dims 10 --runs 1 --problems squared-norm --methods anisotropic",
		"reproduce scaling --dims 10,20 --runs 3 --methods anisotropic,transformed",
		"reproduce scaling --dims 100 --runs 3 --methods anisotropic,transformed",
	}, "cbo-scaling-runs.csv", ofRun, "yes"},
	{"table1", []string{
		"reproduce table1 --runs 1 --problems different-powers --methods cmaes",
		"reproduce table1 --runs 2 --problems different-powers,squared-norm --methods cmaes",
		"reproduce table1 --runs 1",
	}, "table1-runs.csv", ofRun, "cmaes"},
	{"versus", []string{
		"compare --grid docs/data/versus.toml --dim 10 --seeds 1 --budget 50000 --methods cmaes",
		"compare --grid docs/data/versus.toml --dim 10,20 --seeds 3 --budget 5000*d --methods cmaes",
		"compare --grid docs/data/versus.toml --dim 10,20 --seeds 12 --budget 5000*d --methods cmaes; compare --grid docs/data/versus.toml --dim 100 --seeds 5 --budget 2000*d --methods cmaes",
	}, "versus-runs.csv", ofRun, "cmaes"},
	{"errors", []string{
		"reproduce errors --dim 10 --problems squared-norm --sizes 0.001 --methods transformed",
		"reproduce errors --dim 10 --sizes 0.001 --methods reparametrised,transformed",
		"reproduce errors --dim 10",
	}, "open-questions/errors-d10-20runs.csv", ofCell, "yes"},
	{"allocation", []string{
		"", "", "reproduce allocation --dim 10",
	}, "open-questions/allocation-d10-20runs.csv", ofCell, "yes"},
	{"approximate", []string{
		"reproduce approximate --dim 10 --problems squared-norm --sizes 0.01 --methods cbo",
		"reproduce approximate --dim 10 --sizes 0.01 --methods reparametrised,transformed",
		"reproduce approximate --dim 10",
	}, "open-questions/approximate-d10-20runs.csv", ofCell, "yes"},
	{"bbob-1000d", []string{
		"compare --problems bbob-5 --dim 5 --methods cmaes",
		"compare --problems bbob-1,bbob-3,bbob-5,bbob-10,bbob-15,bbob-20,bbob-22 --dim 5,10 --methods cmaes",
		"compare --suite bbob --dim 5,10 --methods cmaes",
	}, "bbob-1000d.md", "d problem method success ERT(1) ERT(0.01) ERT(0.0001) ERT(1e-08) final-gap rounds", "cmaes"},
}

const (
	ofRun  = "method problem dim mix options seed budget status gap queries reached rounds recovered"
	ofCell = "method problem dim mix options budget successes runs median_queries ert gap frame_error"
)

// Of everything that docs/data/made.csv says repeats, some runs are made again, and are the same. With -update it says of all of
// these whether they do.
func TestAgain(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := experiment.ReadMade(root)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	if flags.Usual() {
		size = flags.Few(2, 1)
	}
	for _, a := range again {
		k := slices.IndexFunc(all, func(m experiment.Made) bool { return m.Name == a.name })
		if k < 0 {
			t.Fatal(a.name)
		}
		if !flags.Problem(a.name) || a.commands[size] == "" || all[k].Repeats == "" && !*flags.Update {
			continue
		}
		other := 0
		for args := range strings.SplitSeq(a.commands[size], "; ") {
			out := t.TempDir()
			cmd := command(t, t.Context(), append(strings.Fields(args), "--out", out, "--quiet", "--jobs", "1")...)
			cmd.Dir = root
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", args, err, text)
			}
			other += others(t, out, filepath.Join(root, "docs/data", a.stored), strings.Fields(a.same))
		}
		if *flags.Update {
			all[k].Repeats = map[bool]string{true: a.claim}[other == 0]
		} else if other > 0 {
			t.Errorf("%s: %d others than in docs/data/%s", a.name, other, a.stored)
		}
	}
	if *flags.Update {
		if err := experiment.WriteMade(root, all); err != nil {
			t.Fatal(err)
		}
	}
}

// others counts the lines of the tables of this kind in a folder that are not in a file.
func others(t *testing.T, out, stored string, columns []string) (n int) {
	t.Helper()
	kind := filepath.Ext(stored)
	if strings.HasSuffix(stored, "-runs.csv") {
		kind = "-runs.csv"
	}
	known := lines(t, stored, columns)
	made := 0
	files, err := filepath.Glob(filepath.Join(out, "*"+kind))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if kind == ".csv" && !strings.HasSuffix(file, "runs.csv") || kind == ".csv" && strings.HasSuffix(file, "-runs.csv") {
			continue
		}
		for line := range lines(t, file, columns) {
			made++
			if !known[line] {
				t.Logf("not in %s: %s", stored, line)
				n++
			}
		}
	}
	if made == 0 {
		t.Fatalf("no lines in %q", files)
	}
	return n
}

// lines are those of the tables in a file that have these columns.
func lines(t *testing.T, file string, columns []string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	if filepath.Ext(file) == ".csv" {
		if rows, err = csv.NewReader(strings.NewReader(string(text))).ReadAll(); err != nil {
			t.Fatal(err)
		}
	} else {
		rows = tables(string(text))
	}
	all, at := map[string]bool{}, []int{}
	for i, row := range rows {
		if i == 0 || row[0] == rows[0][0] {
			at = at[:0]
			for _, c := range columns {
				at = append(at, slices.Index(row, c))
			}
			continue
		}
		if slices.Contains(at, -1) {
			continue
		}
		line := ""
		for _, k := range at {
			line += row[k] + "  "
		}
		all[line] = true
	}
	return all
}

// tables are the rows of the tables of methods in Markdown, each with what stands above it in bold. An empty first cell is that above it.
func tables(text string) (rows [][]string) {
	bold, inside := "", false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "**") {
			bold = strings.TrimSpace(line)
		}
		head := strings.HasPrefix(line, "| problem | method |")
		if inside = head || inside && strings.HasPrefix(line, "|"); !inside || strings.HasPrefix(line, "|---") {
			continue
		}
		row := strings.Split(line, " | ")
		row[0] = strings.TrimSpace(strings.TrimPrefix(row[0], "|"))
		if head {
			row = strings.Split(strings.ReplaceAll(strings.Join(row, "|"), " ", "-"), "|")
			rows = append(rows, append([]string{"d"}, row...))
			continue
		}
		if row[0] == "" {
			row[0] = rows[len(rows)-1][1]
		}
		rows = append(rows, append([]string{bold}, row...))
	}
	return rows
}
