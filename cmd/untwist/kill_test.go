package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// command is the program with these arguments, as a process of its own.
func command(t *testing.T, ctx context.Context, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{"untwist"}, args...) // TestMain goes by the name
	return cmd
}

// seconds are the times in the forms of a table, which are last.
var seconds = map[string]*regexp.Regexp{
	"":            regexp.MustCompile(`(?m) +[0-9.]+$`),
	".md":         regexp.MustCompile(`(?m)[0-9.]+ \|$`),
	".tex":        regexp.MustCompile(`(?m)[0-9.]+ \\\\$`),
	".csv":        regexp.MustCompile(`(?m)[0-9.e-]+$`),
	"-runs.csv":   regexp.MustCompile(`(?m)[0-9.e-]+,[0-9.e-]+$`),
	".json":       regexp.MustCompile(`(?m)"seconds": .*$`),
	"-curves.csv": regexp.MustCompile(`$^`), // it has none
}

// forms are all forms of a table without times, by the endings of their names; "" is standard
// output.
func forms(t *testing.T, table string, stdout []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, times := range seconds {
		data := stdout
		if name != "" {
			var err error
			if data, err = os.ReadFile(table + name); err != nil {
				t.Fatal(err)
			}
		}
		out[name] = times.ReplaceAllString(string(data), "")
	}
	for _, name := range []string{"rastrigin", "squared-norm"} {
		data, err := os.ReadFile(table + "-convergence-" + name + ".svg")
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}

// Killed ten times, or four, at random moments, and gone on with each time, a grid comes to the
// same table as at one go, times aside, with every run once.
func TestKilledGrids(t *testing.T) {
	t.Parallel()
	dim := strconv.Itoa(flags.Usually(7, 4))
	want := killedOften(t, "table1.jsonl", func(dir string, stdout []byte) map[string]string {
		return forms(t, filepath.Join(dir, "table1-d"+dim+"-rastrigin-squared-norm-2runs"), stdout)
	}, "reproduce", "table1", "--dim", dim, "--runs", "2", "--problems", "rastrigin,squared-norm")
	if n := strings.Count(want["-runs.csv"], "\n"); n != 1+2*8*2 {
		t.Errorf("%d lines of runs", n)
	}
}

// The same for a comparison, all of whose files come to the same bytes, times aside.
func TestKilledComparisons(t *testing.T) {
	t.Parallel()
	want := killedOften(t, "runs.jsonl", func(dir string, stdout []byte) map[string]string { return timelessFiles(t, dir, stdout) },
		"compare", "--problems", "rastrigin,levy", "--dim", strconv.Itoa(flags.Usually(6, 3)), "--noise", "0,1e-6", "--methods", "auto,cmaes,small=cmaes:population=5,transformed",
		"--seeds", "2", "--budget", "400*d", "--name", "it")
	if n := strings.Count(want["it-runs.csv"], "\n"); n != 1+2*2*4*2 || len(want) < 9 {
		t.Errorf("%d lines of runs, %d files", n, len(want))
	}
}

// killedOften runs a command to its end, and again with the kills, each when the store has
// come to a random length. It compares what came of both, and returns it.
func killedOften(t *testing.T, file string, forms func(dir string, stdout []byte) map[string]string, args ...string) map[string]string {
	t.Helper()
	whole, cut := t.TempDir(), t.TempDir()
	stdout, err := command(t, t.Context(), append(args, "--out", whole)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := forms(whole, stdout)
	kills := flags.Usually(10, 4)
	r := rand.New(rand.NewPCG(1, 2))
	lengths := make([]int64, kills)
	for i := range lengths {
		lengths[i] = int64(r.Float64() * 0.95 * float64(length(filepath.Join(whole, file))))
	}
	slices.Sort(lengths)
	for killed, late := 0, 0; ; killed++ {
		ctx, cancel := context.WithCancel(t.Context()) // a context that ends kills
		if killed < kills {
			go cancelAt(ctx, cancel, filepath.Join(cut, file), lengths[killed])
		}
		cmd := command(t, ctx, append(args, "--out", cut)...)
		var out, talk bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &talk
		err := cmd.Run()
		died := ctx.Err() != nil
		cancel()
		if err != nil && died {
			continue
		}
		if err == nil && killed < kills/2 && late < 20 { // on a busy machine we may come too late: once more
			late, killed, cut = late+1, -1, t.TempDir()
			continue
		}
		if err != nil || killed < kills/2 {
			t.Fatalf("killed %d times, %v: %s", killed, err, talk.String())
		}
		got := forms(cut, out.Bytes())
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%q differs:\n%s\nnot\n%s", name, got[name], want[name])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d files, not %d", len(got), len(want))
		}
		t.Logf("killed %d times", killed)
		return want
	}
}

// timelessFiles are all files of a comparison but the store, by name, and as "" what was
// printed. Columns of tables and fields of JSON whose names say that they hold seconds are cut.
func timelessFiles(t *testing.T, dir string, stdout []byte) map[string]string {
	t.Helper()
	out := map[string]string{"": string(stdout)}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	times := regexp.MustCompile(`(?m)"[a-z_]*seconds[a-z_]*": .*$`)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		switch filepath.Ext(f.Name()) {
		case ".jsonl":
			continue
		case ".json":
			text = times.ReplaceAllString(text, "")
		case ".csv":
			text = timelessCSV(t, text)
		case ".md":
			text = timelessTables(text, "|---", " | ", " |")
		case ".tex":
			text = timelessTables(text, `\midrule`, " & ", ` \\`)
		}
		out[f.Name()] = text
	}
	return out
}

// timelessTables cuts the last column of each table if it holds seconds. The line below the
// head of a table begins in a way of its own.
func timelessTables(text, below, between, end string) string {
	lines := strings.Split(text, "\n")
	seconds := false
	for i, line := range lines {
		switch {
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], below):
			seconds = strings.HasSuffix(line, "own s/query"+end)
		case seconds && strings.HasSuffix(line, end):
			lines[i] = line[:strings.LastIndex(line, between)]
		}
	}
	return strings.Join(lines, "\n")
}

// timelessCSV cuts the columns of seconds.
func timelessCSV(t *testing.T, text string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, row := range rows {
		for i, field := range row {
			if !strings.Contains(rows[0][i], "seconds") {
				out.WriteString(field + ",")
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

// Two programs that make the same table at once come to the one that one makes alone.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dim := strconv.Itoa(flags.Usually(5, 2))
	args := []string{"reproduce", "table1", "--dim", dim, "--runs", "2", "--problems", "rastrigin,squared-norm", "--out"}
	alone, err := command(t, t.Context(), append(args, filepath.Join(dir, "alone"))...).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := forms(t, filepath.Join(dir, "alone", "table1-d"+dim+"-rastrigin-squared-norm-2runs"), alone)
	var outs [2]bytes.Buffer
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmds[i] = command(t, t.Context(), append(args, filepath.Join(dir, "both"))...)
		cmds[i].Stdout = &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		got := forms(t, filepath.Join(dir, "both", "table1-d"+dim+"-rastrigin-squared-norm-2runs"), outs[i].Bytes())
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%q differs:\n%s\nnot\n%s", name, got[name], want[name])
			}
		}
	}
}
