package acceptance

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The tests of reality_*_test.go measure what docs/data/reality.md says: functions as people have
// them, under outer maps, with noise, and nearly separable. What is measured comes in cells, a
// problem with its mix, dimension and blemish at some seeds. Without -whole there are one or
// two small cells each. With -whole -update cells are kept in docs/data/reality.csv as soon as they
// are measured. Those that are there are not measured again, so a measurement can be stopped
// and goes on. The tables and figures of docs/data/reality.md are made from that file:
//
//	go test ./internal/acceptance -run 'Reality|NoMap|Honest' -whole -update -v -timeout 12h
//
// To measure anew, delete docs/data/reality.csv. Some cells on other seeds:
//
//	go test ./internal/acceptance -run TestRealityNoise -whole -v -dims 13 -from 100 -cells 'rastrigin paper'
const cellsFile = "../../docs/data/reality.csv"

// dimensions returns those of -dims, or others with -whole, or a small one.
func dimensions(small int, others ...int) []int {
	if *flags.Whole {
		return flags.Dims(others...)
	}
	return flags.Dims(small)
}

// A fact is what was measured in a cell: names with numbers or words.
type fact map[string]string

func (f fact) number(name string) float64 {
	v, err := strconv.ParseFloat(f[name], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// set notes numbers, to four digits, and words.
func (f fact) set(name string, value any) {
	switch v := value.(type) {
	case float64:
		f[name] = strconv.FormatFloat(v, 'g', 4, 64)
	default:
		f[name] = strings.ReplaceAll(fmt.Sprint(v), " ", "-")
	}
}

// quartiles notes the quartiles of values.
func (f fact) quartiles(name string, values []float64) {
	q := sortedUp(values)
	n := len(q)
	f.set(name+".lower", q[(n-1)/4])
	f.set(name, q[n/2])
	f.set(name+".upper", q[n-1-(n-1)/4])
}

// String returns the fact as it is in the file.
func (f fact) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		parts = append(parts, name+"="+f[name])
	}
	return strings.Join(parts, " ")
}

func sortedUp(values []float64) []float64 {
	return slices.SortedFunc(slices.Values(values), func(a, b float64) int {
		return cmp.Compare(orInf(a), orInf(b))
	})
}

func orInf(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// A book has the cells of docs/data/reality.csv.
type book struct {
	test  string
	order []string // names of cells of all tests
	facts map[string]fact
	seeds map[string]int
}

// newBook opens the book of a test. Without -whole -update, and at other seeds than the first,
// it is empty.
func newBook(t *testing.T, test string) *book {
	t.Helper()
	b := &book{test: test, facts: map[string]fact{}, seeds: map[string]int{}}
	if b.kept() {
		b.read(t)
	}
	return b
}

func (b *book) kept() bool { return *flags.Whole && *flags.Update && flags.From() == 0 }

func (b *book) read(t *testing.T) {
	t.Helper()
	file, err := os.Open(cellsFile)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		f := fact{}
		for part := range strings.FieldsSeq(row[2]) {
			name, value, _ := strings.Cut(part, "=")
			f[name] = value
		}
		n, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		b.keep(row[0], n, f)
	}
}

func (b *book) keep(cell string, seeds int, f fact) {
	if b.facts[cell] == nil {
		b.order = append(b.order, cell)
	}
	b.facts[cell], b.seeds[cell] = f, seeds
}

func (b *book) write(t *testing.T) {
	t.Helper()
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{{"cell", "seeds", "measured"}}
	for _, cell := range b.order {
		rows = append(rows, []string{cell, strconv.Itoa(b.seeds[cell]), b.facts[cell].String()})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cellsFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cell returns what is measured in a cell at n seeds: from the book, or by measuring it. It is
// false if -cells leaves the cell out. The measurement is given the seeds.
func (b *book) cell(t *testing.T, name string, n int, measure func(seeds []uint64) fact) (fact, bool) {
	t.Helper()
	name = b.test + " " + name
	if !flags.Cell(name) {
		return nil, false
	}
	n = flags.Count(n)
	if f := b.facts[name]; f != nil && b.seeds[name] >= n {
		return f, true
	}
	f := measure(flags.Seeds(n))
	t.Logf("%s, %d seeds: %v", name, n, f)
	b.keep(name, n, f)
	if b.kept() {
		b.write(t)
	}
	return f, true
}

// each calls a function for each of n numbers, some at the same time.
func each(n int, do func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			do(i)
			<-slots
		})
	}
	group.Wait()
}

// An attempt is a run on a built-in problem.
type attempt struct {
	untwist.Result
	problem *problem.Problem
	value   float64 // clean
	gap     float64 // clean; NaN with a coupling
}

// queriesTo returns the queries to a gap, +Inf if it was not reached.
func (a attempt) queriesTo(gap float64) float64 {
	if a.gap <= gap {
		return float64(a.Queries)
	}
	return math.Inf(1)
}

// A course is how attempts are made: with the strategy, the budget, and the gap at which they
// end; 0: when they are done.
type course struct {
	spec     problem.Spec
	strategy strategy.Strategy // nil: auto
	budget   int               // 0: 200·d²
	gap      float64
	bounds   *untwist.Box
}

// cmaes returns the course of CMA-ES.
func (c course) cmaes() course {
	c.strategy = strategy.CMAES{}
	return c
}

// attempts runs a course at seeds.
func (c course) attempts(t *testing.T, seeds []uint64) []attempt {
	t.Helper()
	all := make([]attempt, len(seeds))
	each(len(seeds), func(i int) {
		var err error
		if all[i], err = c.at(seeds[i]); err != nil {
			t.Errorf("%v: %v", c.spec, err)
		}
	})
	return all
}

func (c course) at(seed uint64) (attempt, error) {
	c.spec.Seed = seed
	p, err := problem.New(c.spec)
	if err != nil {
		return attempt{}, err
	}
	o := untwist.Options{Strategy: c.strategy, Seed: seed, Budget: c.budget, Start: p.Domain()}
	if o.Budget == 0 {
		o.Budget = 200 * p.Dim() * p.Dim()
	}
	if c.bounds != nil {
		o.Bounds, o.Start = *c.bounds, untwist.Box{}
	}
	if c.gap > 0 {
		o.Target = new(p.Minimum() + c.gap)
	}
	r, err := untwist.Minimize(ctx, p, o)
	if failed := new(untwist.FailuresError); errors.As(err, &failed) {
		err = nil
	}
	a := attempt{Result: r, problem: p, value: r.Value}
	if r.ValueClean != nil {
		a.value = *r.ValueClean
	}
	a.gap = a.value - p.Minimum()
	return a, err
}

// values returns a number of each attempt.
func values(all []attempt, of func(attempt) float64) (v []float64) {
	for _, a := range all {
		v = append(v, of(a))
	}
	return v
}

func gapOf(a attempt) float64   { return a.gap }
func valueOf(a attempt) float64 { return a.value }

// count returns for how many something holds.
func count(all []attempt, holds func(attempt) bool) (n int) {
	for _, a := range all {
		if holds(a) {
			n++
		}
	}
	return n
}

// notWorse is the level at which auto is worse than CMA-ES.
const notWorse = 0.01

// larger returns the one-sided p-value of a being larger than b, by Mann and Whitney. Numbers
// up to floor count as equal.
func larger(a, b []float64, floor float64) float64 {
	raised := func(values []float64) (out []float64) {
		for _, v := range values {
			out = append(out, max(orInf(v), floor))
		}
		return out
	}
	return ranks.Test(raised(a), raised(b), cmp.Compare[float64]).Greater
}

// share returns how many of n seeds are as many as k of all.
func share(k, all, n int) int { return n - (all-k)*n/all }

// noiseOf returns the standard deviation of f at a point that is asked four thousand times.
func noiseOf(t *testing.T, spec problem.Spec) float64 {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	const n = 4000
	points, values := mat.NewDense(n, p.Dim(), nil), make([]float64, n)
	for i := range n {
		points.SetRow(i, p.Minimiser())
	}
	if err := p.Evaluate(ctx, points, values); err != nil {
		t.Fatal(err)
	}
	return stat.StdDev(values, nil)
}

// moderate returns the first n seeds, from -from on, at which cond(W) is at most 300.
func moderate(t *testing.T, spec problem.Spec, n int) (seeds []uint64) {
	t.Helper()
	for seed := flags.From(); len(seeds) < n; seed++ {
		spec.Seed = seed
		p, err := problem.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if mat.Cond(p.Frame().Matrix(), 2) <= 300 {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// The book keeps what it is given, and cells can be chosen.
func TestBook(t *testing.T) {
	b := newBook(t, "test")
	b.keep("test old", 3, fact{"x": "1"})
	never := func([]uint64) fact { t.Error("measured again"); return nil }
	if f, ok := b.cell(t, "old", 3, never); !ok || f.number("x") != 1 {
		t.Error(f, ok)
	}
	f, _ := b.cell(t, "new", 2, func(seeds []uint64) fact {
		f := fact{}
		f.quartiles("gap", []float64{3, 1, math.NaN(), 2, 5})
		f.set("seeds", len(seeds))
		f.set("words", "not separable")
		return f
	})
	if got, want := f.String(), "gap=3 gap.lower=2 gap.upper=5 seeds=2 words=not-separable"; got != want && !flags.Cells() && flags.Count(2) == 2 {
		t.Errorf("%s, want %s", got, want)
	}
	if n := share(14, 15, 15); n != 14 {
		t.Error(n)
	}
	if n := share(14, 15, 2); n != 2 {
		t.Error(n)
	}
	if p := larger([]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, math.NaN()}, 0); p != 1 {
		t.Error(p)
	}
	if p := larger([]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, math.NaN()}, 10); p < 0.4 {
		t.Error(p)
	}
	random := rng.Seed(1).Stream("test")
	var a, c []float64
	for range 31 {
		a, c = append(a, random.Float64()), append(c, random.Float64()-0.5)
	}
	if p := larger(a, c, math.Inf(-1)); p > 1e-4 {
		t.Error(p)
	}
}
