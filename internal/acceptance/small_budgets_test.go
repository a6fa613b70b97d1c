package acceptance

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// smallBudgets are queries for each dimension; three quarters of them are for CMA-ES.
var smallBudgets = []float64{10, 20, 50, 100, 150, 200}

// smallMarks are all numbers of queries for each dimension at which gaps are kept, ascending.
var smallMarks = []float64{7.5, 10, 15, 20, 37.5, 50, 75, 100, 112.5, 150, 200}

// smooth are the BBOB functions without many wells.
var smooth = []int{1, 2, 5, 6, 8, 9, 10, 11, 12, 13, 14}

// peers are optimisers of examples/local_optimizers.py.
var peers = []string{"slsqp", "l-bfgs-b", "newuoa", "bobyqa", "powell", "cobyla", "nelder-mead"}

// A falling function keeps its least value after each query.
type falling struct {
	objective.Objective
	values []float64
}

func (f *falling) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := f.Objective.Evaluate(ctx, points, values)
	least := math.Inf(1)
	if n := len(f.values); n > 0 {
		least = f.values[n-1]
	}
	for _, v := range values[:query.Evaluated(values, err)] {
		if v < least { // false for NaN
			least = v
		}
		f.values = append(f.values, least)
	}
	return err
}

// gap is how far it is above the minimum after so many queries, at least 1e-8.
func (f *falling) gap(queries int, minimum float64) float64 {
	if len(f.values) == 0 || queries < 1 {
		return math.Inf(1)
	}
	return max(f.values[min(queries, len(f.values))-1]-minimum, 1e-8)
}

// smallStart is the domain of a problem, moved by a random vector of a fifth of its width.
func smallStart(p *problem.Problem, seed uint64) objective.Box {
	box, stream := p.Domain(), rng.Seed(seed).Stream("start box")
	lo, hi := slices.Clone(box.Lo), slices.Clone(box.Hi)
	for i := range lo {
		by := (2*stream.Float64() - 1) * (hi[i] - lo[i]) / 5
		lo[i], hi[i] = lo[i]+by, hi[i]+by
	}
	return objective.Box{Lo: lo, Hi: hi}
}

// smallGaps minimises a problem by a strategy or a peer, and returns the gaps after each of some budgets.
func smallGaps(t *testing.T, spec problem.Spec, by string, budgets []int) []float64 {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if last := len(budgets) - 1; by == "auto" && last > 0 && budgets[last] >= identify.Least(spec.Dim) { // it plans with that budget
		return append(smallGaps(t, spec, by, budgets[:last]), smallGaps(t, spec, by, budgets[last:])...)
	}
	f, most := &falling{Objective: p}, budgets[len(budgets)-1]
	start := smallStart(p, spec.Seed)
	if slices.Contains(peers, by) {
		o, err := program.NewOptimizer(program.OptimizerConfig{Exec: "/usr/bin/python3 ../../examples/local_optimizers.py " + by})
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if err := o.Minimize(ctx, query.NewMeter(f, most), start, most, spec.Seed); err != nil && !errors.Is(err, objective.ErrBudget) {
			t.Fatal(by, spec.Name, spec.Dim, err)
		}
	} else {
		s, err := untwist.StrategyNamed(by, untwist.Knobs{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Seed: spec.Seed, Budget: most, Start: start}); err != nil {
			t.Fatal(err)
		}
	}
	gaps := make([]float64, len(budgets))
	for i, b := range budgets {
		gaps[i] = f.gap(b, p.Minimum())
	}
	return gaps
}

// marks are the budgets of smallMarks in d dimensions.
func marks(d int) (all []int) {
	for _, m := range smallMarks {
		all = append(all, int(m*float64(d)))
	}
	return all
}

// A small run is a method on a function, with a seed.
type smallRun struct {
	method   string
	function int
	dim      int
	seed     uint64
}

const smallFile = "../../docs/data/small-budgets.csv"

// smallRuns reads what was measured before.
func smallRuns(t *testing.T) map[smallRun][]float64 {
	t.Helper()
	known := map[smallRun][]float64{}
	f, err := os.Open(smallFile)
	if os.IsNotExist(err) {
		return known
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Split(lines.Text(), ",")
		r := smallRun{method: words[0]}
		r.function, _ = strconv.Atoi(words[1])
		r.dim, _ = strconv.Atoi(words[2])
		r.seed, _ = strconv.ParseUint(words[3], 10, 64)
		var gaps []float64
		for _, word := range words[4:] {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			gaps = append(gaps, v)
		}
		known[r] = gaps
	}
	return known
}

// smallMethods are those that can be run here; -cells names some of them.
func smallMethods() []string {
	all := []string{"auto", "cmaes"}
	if exec.Command("/usr/bin/python3", "-c", "import scipy, nlopt").Run() == nil {
		all = append(all, peers...)
	}
	if flags.Cells() {
		all = slices.DeleteFunc(all, func(m string) bool { return !flags.Cell(m) })
	}
	return all
}

// measureSmall makes the runs that are missing, two at a time.
func measureSmall(t *testing.T, known map[smallRun][]float64) {
	t.Helper()
	file, err := os.OpenFile(smallFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lock sync.Mutex
	var group sync.WaitGroup
	queue := make(chan smallRun)
	for range 2 {
		group.Go(func() {
			for r := range queue {
				gaps := smallGaps(t, problem.Spec{Name: fmt.Sprintf("bbob-%d", r.function), Dim: r.dim, Seed: r.seed}, r.method, marks(r.dim))
				line := fmt.Sprintf("%s,%d,%d,%d", r.method, r.function, r.dim, r.seed)
				for _, g := range gaps {
					line += fmt.Sprintf(",%.3g", g)
				}
				lock.Lock()
				known[r] = gaps
				fmt.Fprintln(file, line)
				lock.Unlock()
			}
		})
	}
	for _, d := range flags.Dims(5, 10, 20, 40) {
		for _, seed := range flags.Seeds(15) {
			for _, method := range smallMethods() {
				for k := 1; k <= 24; k++ {
					r := smallRun{method, k, d, seed}
					lock.Lock()
					_, done := known[r]
					lock.Unlock()
					if !done && flags.Problem(fmt.Sprintf("bbob-%d", k)) {
						queue <- r
					}
				}
			}
		}
	}
	close(queue)
	group.Wait()
}

// at returns the gaps of all seeds of a cell.
func at(known map[smallRun][]float64, method string, function, d int, mark float64) (gaps []float64) {
	k := slices.Index(smallMarks, mark)
	for r, all := range known {
		if r.method == method && r.function == function && r.dim == d {
			gaps = append(gaps, all[k])
		}
	}
	slices.Sort(gaps)
	return gaps
}

// mean is the geometric mean of the medians of functions; NaN if one was not measured.
func smallMean(known map[smallRun][]float64, method string, functions []int, d int, mark float64) float64 {
	sum := 0.0
	for _, k := range functions {
		gaps := at(known, method, k, d, mark)
		if len(gaps) == 0 {
			return math.NaN()
		}
		sum += math.Log(middle(gaps))
	}
	return math.Exp(sum / float64(len(functions)))
}

// rugged are all other functions but the sums over the axes.
func rugged() (all []int) {
	for k := 7; k <= 24; k++ {
		if !slices.Contains(smooth, k) {
			all = append(all, k)
		}
	}
	return all
}

// With 10 to 200 queries for each dimension auto comes further than CMA-ES on smooth functions, and is
// not worse on others than CMA-ES with three quarters of the queries. With -whole this is measured on all
// of BBOB, with local optimisers of scipy and NLopt where they are installed, and with -update runs are kept in
// docs/data/small-budgets.csv, where it goes on, and the tables beside it are written.
//
//	go test ./internal/acceptance -run SmallBudgets -whole -update -timeout 3h
func TestSmallBudgets(t *testing.T) {
	if *flags.Whole && *flags.Update {
		known := smallRuns(t)
		measureSmall(t, known)
		return
	}
	const d = 10
	known := map[smallRun][]float64{}
	some, wells := flags.Sample([]int{2, 8, 10, 11, 14}, 2), flags.Sample([]int{15, 17, 24}, 1)
	for _, k := range slices.Concat(some, []int{3}, wells) {
		budgets := marks(d)
		if slices.Contains(wells, k) {
			budgets = budgets[:flags.Usually(len(budgets), 6)] // to 50d
		}
		for _, seed := range flags.Seeds(7) {
			for _, by := range []string{"auto", "cmaes"} {
				known[smallRun{by, k, d, seed}] = smallGaps(t, problem.Spec{Name: fmt.Sprintf("bbob-%d", k), Dim: d, Seed: seed}, by, budgets)
			}
		}
	}
	for _, mark := range []float64{20, 50, 100} {
		ours, theirs := smallMean(known, "auto", some, d, mark), smallMean(known, "cmaes", some, d, mark)
		t.Logf("%gd: %.2g, CMA-ES %.2g", mark, ours, theirs)
		if ours > 1e-1*theirs || mark > 20 && ours > 1e-4*theirs {
			t.Errorf("%gd: the mean of gaps is %.2g, that of CMA-ES %.2g", mark, ours, theirs)
		}
	}
	for _, k := range wells {
		for i, mark := range []float64{10, 20, 50, 100, 150}[:flags.Usually(5, 3)] {
			ours, theirs := at(known, "auto", k, d, mark), at(known, "cmaes", k, d, []float64{7.5, 15, 37.5, 75, 112.5}[i])
			if p := ranks.Test(ours, theirs, cmp.Compare[float64]).Greater; p < 0.001 { // 15 cells: 1.5 % by chance
				t.Errorf("bbob-%d, %gd: %.2g, CMA-ES with three quarters %.2g, p = %.2g", k, mark, middle(ours), middle(theirs), p)
			}
		}
	}
	for k, most := range map[int]float64{2: 1e-6, 10: 1e-6, 11: 1e-6, 14: 1e-6} {
		if !slices.Contains(some, k) {
			continue
		}
		if got := middle(at(known, "auto", k, d, 100)); got > most {
			t.Errorf("bbob-%d, 100d: %.2g", k, got)
		}
	}
	if got := at(known, "auto", 3, d, 150); got[5] > 1e-8 {
		t.Errorf("bbob-3, 150d: %v", got)
	}
	solved := 0
	for _, seed := range flags.Seeds(7) { // along its axes parabolas alone do not come to the minimum; 14 or 15 of 15 seeds are solved
		if smallGaps(t, problem.Spec{Name: "bbob-4", Dim: d, Seed: seed}, "auto", []int{400 * d})[0] <= 1e-8 {
			solved++
		}
	}
	if solved < len(flags.Seeds(7))-1 {
		t.Errorf("bbob-4, 400d: %d seeds are solved", solved)
	}
}

// docs/data/small-budgets.md has the tables that follow from docs/data/small-budgets.csv. With -update they are written.
func TestSmallBudgetsPage(t *testing.T) {
	known := smallRuns(t)
	methods := append([]string{"auto", "cmaes"}, peers...)
	var means, others, single strings.Builder
	means.WriteString("| d | queries | " + strings.Join(methods, " | ") + " |\n|---|---|" + strings.Repeat("---|", len(methods)) + "\n")
	others.WriteString("| d | queries | auto / CMA-ES with three quarters | cells with p < 0.01 |\n|---|---|---|---|\n")
	single.WriteString("| bbob | " + strings.Join([]string{"auto", "cmaes", "slsqp", "l-bfgs-b", "newuoa"}, " | ") + " |\n|---|---|---|---|---|---|\n")
	word := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return fmt.Sprintf("%.1e", v)
	}
	for _, d := range []int{5, 10, 20, 40} {
		for _, b := range smallBudgets {
			fmt.Fprintf(&means, "| %d | %gd |", d, b)
			for _, m := range methods {
				fmt.Fprintf(&means, " %s |", word(smallMean(known, m, smooth, d, b)))
			}
			means.WriteString("\n")
			if b > 150 {
				continue
			}
			var worse []string
			ratio, n := 0.0, 0.0
			for _, k := range rugged() {
				ours, theirs := at(known, "auto", k, d, b), at(known, "cmaes", k, d, 0.75*b)
				if len(ours) == 0 || len(theirs) == 0 {
					continue
				}
				ratio, n = ratio+math.Log(middle(ours)/middle(theirs)), n+1
				if p := ranks.Test(ours, theirs, cmp.Compare[float64]).Greater; p < 0.01 {
					worse = append(worse, fmt.Sprintf("bbob-%d: %.2g, %.2g, p = %.1g", k, middle(ours), middle(theirs), p))
				}
			}
			fmt.Fprintf(&others, "| %d | %gd | %.2f | %s |\n", d, b, math.Exp(ratio/n), strings.Join(worse, "; "))
		}
	}
	for k := 1; k <= 24; k++ {
		fmt.Fprintf(&single, "| %d |", k)
		for _, m := range []string{"auto", "cmaes", "slsqp", "l-bfgs-b", "newuoa"} {
			cell := ""
			if gaps := at(known, m, k, 20, 100); len(gaps) > 0 {
				cell = word(middle(gaps))
			}
			fmt.Fprintf(&single, " %s |", cell)
		}
		single.WriteString("\n")
	}
	for name, text := range map[string]string{"means": means.String(), "others": others.String(), "single": single.String()} {
		written(t, "small-budgets.md", name, text)
	}
}
