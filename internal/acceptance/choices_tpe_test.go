package acceptance

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	"gonum.org/v1/gonum/mat"
)

// tpeFile has the best values that Optuna's TPE has found with 50·d queries: a function, a seed and a value a line.
const tpeFile = "testdata/tpe.csv"

// tpe returns the least value that Optuna's TPE finds with 50·d queries.
func (c chosen) tpe(t *testing.T, seed uint64) float64 {
	args := []string{"testdata/tpe.py", fmt.Sprint(seed), fmt.Sprint(50 * c.dim()), fmt.Sprint(c.n)}
	for _, n := range c.choices {
		args = append(args, fmt.Sprint(n))
	}
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	best, f := math.Inf(1), c.objective()
	for asked := bufio.NewScanner(out); asked.Scan(); {
		x, value := mat.NewDense(1, c.dim(), nil), []float64{0}
		for i, word := range strings.Fields(asked.Text()) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			x.Set(0, i, v)
		}
		if err := f.Evaluate(t.Context(), x, value); err != nil {
			t.Fatal(err)
		}
		best = min(best, value[0])
		fmt.Fprintln(in, value[0])
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return best
}

// With 50·d queries a search over choices has a median not above that of Optuna's TPE, whose values are in a file; with -update
// those that are missing are found, which needs Optuna for Debian's python3, and a minute for each.
func TestChoicesBesideTPE(t *testing.T) {
	mode := os.O_RDONLY
	if *flags.Update {
		mode = os.O_RDWR | os.O_APPEND | os.O_CREATE
	}
	file, err := os.OpenFile(tpeFile, mode, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chosenFunctions[:flags.Few(len(chosenFunctions), flags.Usually(6, 1))] {
		if !flags.Problem(c.name) && flags.Some() {
			continue
		}
		var ours, others []float64
		for _, seed := range flags.Seeds(flags.Usually(2, 1)) {
			at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == c.name && row[1] == fmt.Sprint(seed) })
			if at < 0 && *flags.Update {
				at, rows = len(rows), append(rows, []string{c.name, fmt.Sprint(seed), fmt.Sprint(c.tpe(t, seed))})
				fmt.Fprintln(file, strings.Join(rows[at], ","))
			} else if at < 0 {
				t.Fatalf("%s has no value of TPE for %s, seed %d: -update finds it", tpeFile, c.name, seed)
			}
			v, err := strconv.ParseFloat(rows[at][2], 64)
			if err != nil {
				t.Fatal(err)
			}
			others = append(others, v)
			ours = append(ours, least(t, c.objective(), untwist.Options{Parameters: c.space(nil), Budget: 50 * c.dim(), Seed: seed}))
		}
		o := ranks.Test(ours, others, cmp.Compare[float64])
		t.Logf("%-16s held %-5v %12.6g, TPE %12.6g; worse with p = %.3g, better with %.3g", c.name, c.held, middleOf(ours), middleOf(others), o.Greater, o.Less)
		if middleOf(ours) > middleOf(others) {
			t.Errorf("%s: worse than TPE", c.name)
		}
	}
}
