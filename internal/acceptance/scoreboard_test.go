package acceptance

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// A score is what a probe has found: how many queries it took, the verdict, the worst row, and how often the noise and the
// coupling that it tells are the true ones (NaN: it tells none, or there is none).
type score struct {
	queries                int
	verdict                certify.Verdict
	error, sigma, coupling float64
}

// right reports whether the frame was found and certified; wrong whether a wrong one was certified.
func (s score) right() bool { return s.verdict == certify.Separable && s.error <= 0.01 }
func (s score) wrong() bool { return s.verdict == certify.Separable && s.error > 0.01 }

// coupled reports whether couplings were found, with a number that is right to a factor of 2.
func (s score) coupled() bool {
	return s.verdict == certify.NearlySeparable && s.coupling >= 0.5 && s.coupling <= 2
}

// A board is a file of scores by cell and seed, in which a measurement goes on where it stopped.
type board struct {
	file  string
	known map[string]score
}

const boardFile = "testdata/scoreboard.csv"

// newBoard returns a board of nothing; with -whole -update that of the file.
func newBoard(t *testing.T) *board {
	t.Helper()
	if *flags.Whole && *flags.Update {
		b := storedBoard(t)
		b.file = boardFile
		return b
	}
	return &board{known: map[string]score{}}
}

// storedBoard reads what was measured before.
func storedBoard(t *testing.T) *board {
	t.Helper()
	b := &board{known: map[string]score{}}
	f, err := os.Open(boardFile)
	if os.IsNotExist(err) {
		return b
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		queries, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		s := score{queries: queries, verdict: certify.Verdict(row[3])}
		for i, x := range []*float64{&s.error, &s.sigma, &s.coupling} {
			if *x, err = strconv.ParseFloat(row[4+i], 64); err != nil {
				t.Fatal(err)
			}
		}
		b.known[row[0]+","+row[1]] = s
	}
	return b
}

// probe returns the score of a problem, and keeps it.
func (b *board) probe(t *testing.T, cell string, spec problem.Spec) score {
	t.Helper()
	key := fmt.Sprintf("%s,%d", cell, spec.Seed)
	if s, ok := b.known[key]; ok {
		return s
	}
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	got, err := untwist.Probe(ctx, p, untwist.Options{Seed: spec.Seed, Start: p.Domain(), Budget: 500 * spec.Dim * spec.Dim})
	if err != nil && !errors.Is(err, identify.ErrNoStep) { // noise may hide how f curves
		t.Fatal(err)
	}
	s := score{got.Queries, got.Certificate.Verdict, math.Inf(1), math.NaN(), math.NaN()}
	if got.Frame != nil {
		s.error = frameError(p, got.Frame)
	}
	if spec.Noise > 0 && got.Noise != nil && got.Noise.Sigma > 0 {
		s.sigma = got.Noise.Sigma / noiseOf(t, spec)
	}
	if spec.Coupling > 0 && s.verdict == certify.NearlySeparable {
		number, truth := couplings(t, p, got)
		s.coupling = number / truth
	}
	if b.file != "" {
		f, err := os.OpenFile(b.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fmt.Fprintf(f, "%s,%d,%s,%.2e,%.3g,%.3g\n", key, s.queries, s.verdict, s.error, s.sigma, s.coupling)
	}
	return s
}

// cleanProblem is a problem without its blemishes, but with its couplings.
type cleanProblem struct{ *problem.Problem }

func (c cleanProblem) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return c.Clean(ctx, points, values)
}

var _ objective.Objective = cleanProblem{}

// frameError returns the error of the worst row; of a quadratic, any of whose conjugate bases is
// right, the largest |H_ij|/√(H_iiH_jj) in the frame.
func frameError(p *problem.Problem, found *frame.Frame) float64 {
	if p.Spec().Name != "squared-norm" || found.Components() != p.Dim() {
		return slices.Max(frame.Compare(p.Frame(), found).Distance)
	}
	a := kernel.Times(p.Frame().Matrix(), found.Inverse())
	h := kernel.Times(mat.DenseCopyOf(a.T()), a)
	worst := 0.0
	for i := range p.Dim() {
		for j := range i {
			worst = max(worst, math.Abs(h.At(i, j))/math.Sqrt(h.At(i, i)*h.At(j, j)))
		}
	}
	return worst
}

// A boardRow is a kind of problem under more and more noise, with so many seeds.
type boardRow struct {
	name   string
	spec   problem.Spec
	sigmas []float64
	seeds  int
}

func (r boardRow) cell(sigma float64) string { return fmt.Sprintf("%s σ=%g", r.name, sigma) }

// cell returns the scores of a row under noise σ.
func (b *board) cell(t *testing.T, r boardRow, sigma float64) (all []score) {
	t.Helper()
	for _, seed := range flags.Seeds(r.seeds) {
		spec := r.spec
		spec.Seed, spec.Noise = seed, sigma
		all = append(all, b.probe(t, r.cell(sigma), spec))
	}
	return all
}

// A tally counts scores: those that are right (of couplings, those that were found), those that are wrong, those whose noise is
// told to a factor of 2 and those that tell it, and the median of the queries of the right ones.
type tally struct{ all, right, wrong, told, tells, median int }

func tallyOf(scores []score, coupled bool) tally {
	n := tally{all: len(scores)}
	var queries []int
	for _, s := range scores {
		if s.wrong() {
			n.wrong++
		}
		if !math.IsNaN(s.sigma) {
			if n.tells++; s.sigma >= 0.5 && s.sigma <= 2 {
				n.told++
			}
		}
		if s.right() && !coupled || s.coupled() && coupled {
			n.right++
			queries = append(queries, s.queries)
		}
	}
	if slices.Sort(queries); n.right > 0 {
		n.median = queries[(n.right-1)/2]
	}
	return n
}

var (
	boardDecades = []float64{0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3}
	boardPair    = []float64{0, 1e-8}
	boardWidest  = []float64{0, 1e-12, 1e-8, 1e-6} // at d = 100
)

var boardFunctions = []string{"rastrigin", "rastrigin-like", "levy", "styblinski-tang", "squared-norm", "different-powers", "log-cosh", "microring"}

// row returns a row of 15 seeds in 20 dimensions.
func row(name string, sigmas []float64, change func(*problem.Spec)) boardRow {
	r := boardRow{spec: problem.Spec{Dim: 20}, sigmas: sigmas, seeds: 15}
	r.spec.Name, _, _ = strings.Cut(name, " ")
	if change != nil {
		change(&r.spec)
	}
	r.name = fmt.Sprintf("%s d=%d", name, r.spec.Dim)
	return r
}

// wholeBoard returns all rows.
func wholeBoard() (rows []boardRow) {
	for _, name := range boardFunctions {
		rows = append(rows, row(name, boardDecades, nil))
		for _, under := range []string{"log", "sqrt", "square"} {
			rows = append(rows, row(name+" "+under, boardPair, func(s *problem.Spec) { s.Map = under }))
		}
		rows = append(rows, row(name+" orthogonal", boardPair, func(s *problem.Spec) { s.Mix = "orthogonal" }))
	}
	for _, m := range []int{3, 10} {
		rows = append(rows, row(fmt.Sprintf("rastrigin m=%d", m), boardDecades, func(s *problem.Spec) { s.Components = m }))
	}
	for _, size := range []float64{0.01, 0.1, 0.3} {
		rows = append(rows, row(fmt.Sprintf("rastrigin c=%g", size), boardPair, func(s *problem.Spec) { s.Coupling = size }))
	}
	for _, d := range []int{12, 40, 100} {
		for _, name := range []string{"rastrigin", "levy"} {
			r := row(name, boardDecades, func(s *problem.Spec) { s.Dim = d })
			if d == 100 {
				r.sigmas, r.seeds = boardWidest, 5
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// smallBoard returns a few rows in few dimensions.
func smallBoard(d int) (rows []boardRow) {
	add := func(name string, sigmas []float64, m int) {
		r := row(name, sigmas, func(s *problem.Spec) { s.Dim, s.Components = d, m })
		r.seeds = flags.Usually(5, 1)
		rows = append(rows, r)
	}
	for _, name := range flags.Sample([]string{"rastrigin", "levy", "squared-norm"}, 2) {
		add(name, flags.Sample([]float64{1e-12, 1e-10, 1e-8, 1e-6}, 2), 0)
	}
	add("rastrigin m=3", []float64{1e-12, 1e-8}, 3)
	return rows
}

// Frames under noise are found, no wrong one is certified, and ten times the noise does not take many
// times the queries. With -whole this measures the whole scoreboard and prints it; with -update
// it goes on where it stopped, in testdata/scoreboard.csv.
//
//	go test ./internal/acceptance -run Scoreboard -whole -update -timeout 2h
func TestScoreboard(t *testing.T) {
	b := newBoard(t)
	rows := smallBoard(flags.Usually(8, 5))
	if *flags.Whole {
		rows = wholeBoard()
	}
	all, wrong := 0, 0
	for _, r := range rows {
		if !flags.Problem(r.spec.Name) || !slices.Contains(flags.Dims(r.spec.Dim), r.spec.Dim) {
			continue
		}
		last := 0
		for _, sigma := range r.sigmas {
			if !flags.Cell(r.cell(sigma)) {
				continue
			}
			n := tallyOf(b.cell(t, r, sigma), r.spec.Coupling > 0)
			all, wrong = all+n.all, wrong+n.wrong
			t.Logf("%-34s %2d of %d right, median %d; σ %d of %d", r.cell(sigma), n.right, n.all, n.median, n.told, n.tells)
			if *flags.Whole {
				continue
			}
			if n.right < n.all-flags.Usually(1, 0) || last > 0 && n.median > 2*last {
				t.Errorf("%s: %d of %d, median %d after %d", r.cell(sigma), n.right, n.all, n.median, last)
			}
			last = n.median
		}
	}
	if wrong*500 > max(all, 500)-1 {
		t.Errorf("%d of %d verdicts are wrong", wrong, all)
	}
}
