package acceptance

import (
	"encoding/csv"
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
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// A score is what a probe has found: how many queries it took, the verdict, and the worst row.
type score struct {
	queries int
	verdict certify.Verdict
	error   float64
}

// right reports whether the frame was found and certified; wrong whether a wrong one was certified.
func (s score) right() bool { return s.verdict == certify.Separable && s.error <= 0.01 }
func (s score) wrong() bool { return s.verdict == certify.Separable && s.error > 0.01 }

// A board is a file of scores by cell and seed, in which a measurement goes on where it stopped.
type board struct {
	file  string
	known map[string]score
}

const boardFile = "testdata/scoreboard.csv"

// newBoard reads what was measured before, if the measurement goes on.
func newBoard(t *testing.T) *board {
	t.Helper()
	b := &board{known: map[string]score{}}
	if !*flags.Whole || !*flags.Update {
		return b
	}
	b.file = boardFile
	f, err := os.Open(b.file)
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
		queries, _ := strconv.Atoi(row[2])
		wrong, _ := strconv.ParseFloat(row[4], 64)
		b.known[row[0]+","+row[1]] = score{queries, certify.Verdict(row[3]), wrong}
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
	if err != nil {
		t.Fatal(err)
	}
	s := score{got.Queries, got.Certificate.Verdict, math.Inf(1)}
	if got.Frame != nil {
		s.error = frameError(p, got.Frame)
	}
	if b.file != "" {
		f, err := os.OpenFile(b.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fmt.Fprintf(f, "%s,%d,%s,%.2e\n", key, s.queries, s.verdict, s.error)
	}
	return s
}

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

// A row of the scoreboard is a kind of problem under more and more noise.
type boardRow struct {
	name   string
	spec   problem.Spec
	sigmas []float64
}

// boardRows are the rows: all of them with -whole.
func boardRows(d int) (rows []boardRow) {
	add := func(name string, sigmas []float64, change func(*problem.Spec)) {
		spec := problem.Spec{Dim: d}
		spec.Name, _, _ = strings.Cut(name, " ")
		if change != nil {
			change(&spec)
		}
		rows = append(rows, boardRow{fmt.Sprintf("%s d=%d", name, spec.Dim), spec, sigmas})
	}
	decades := []float64{0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3}
	if !*flags.Whole {
		for _, name := range flags.Problems(flags.Sample([]string{"rastrigin", "levy", "squared-norm"}, 2)...) {
			add(name, flags.Sample([]float64{1e-12, 1e-10, 1e-8, 1e-6}, 2), nil)
		}
		if flags.Problem("rastrigin") {
			add("rastrigin m=3", []float64{1e-12, 1e-8}, func(s *problem.Spec) { s.Components = 3 })
		}
		return rows
	}
	for _, name := range flags.Problems("rastrigin", "rastrigin-like", "levy", "styblinski-tang", "squared-norm", "different-powers", "log-cosh", "microring") {
		add(name, decades, nil)
		for _, under := range []string{"log", "sqrt", "square"} {
			add(name+" "+under, []float64{0, 1e-8}, func(s *problem.Spec) { s.Map = under })
		}
		add(name+" orthogonal", []float64{0, 1e-8}, func(s *problem.Spec) { s.Mix = "orthogonal" })
	}
	for _, m := range []int{3, d / 2} {
		if !flags.Problem("rastrigin") {
			break
		}
		add(fmt.Sprintf("rastrigin m=%d", m), decades, func(s *problem.Spec) { s.Components = m })
	}
	return rows
}

// Frames under noise are found, no wrong one is certified, and ten times the noise does not take many
// times the queries. With -whole this measures the whole scoreboard and prints it; with -update
// it goes on where it stopped, in testdata/scoreboard.csv.
//
//	go test ./internal/acceptance -run Scoreboard -whole -update -timeout 2h
func TestScoreboard(t *testing.T) {
	b := newBoard(t)
	all, wrong := 0, 0
	for _, d := range flags.Dims(flags.Few(20, flags.Usually(8, 5))) {
		for _, row := range boardRows(d) {
			last := 0
			for _, sigma := range row.sigmas {
				cell := fmt.Sprintf("%s σ=%g", row.name, sigma)
				if !flags.Cell(cell) {
					continue
				}
				var queries []int
				seeds := flags.Seeds(flags.Few(15, flags.Usually(5, 1)))
				for _, seed := range seeds {
					spec := row.spec
					spec.Seed, spec.Noise = seed, sigma
					s := b.probe(t, cell, spec)
					if all++; s.wrong() {
						wrong++
					}
					if s.right() {
						queries = append(queries, s.queries)
					}
				}
				slices.Sort(queries)
				median := 0
				if len(queries) > 0 {
					median = queries[(len(queries)-1)/2]
				}
				t.Logf("%-34s %2d of %d right, median %d", cell, len(queries), len(seeds), median)
				if *flags.Whole {
					continue
				}
				if len(queries) < len(seeds)-flags.Usually(1, 0) || last > 0 && median > 2*last {
					t.Errorf("%s: %d of %d, median %d after %d", cell, len(queries), len(seeds), median, last)
				}
				last = median
			}
		}
	}
	if wrong*500 > max(all, 500)-1 {
		t.Errorf("%d of %d verdicts are wrong", wrong, all)
	}
}
