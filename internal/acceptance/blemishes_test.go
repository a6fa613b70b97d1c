package acceptance

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// A seen problem remembers by number which points were asked, and can be stopped after so
// many.
type seen struct {
	*problem.Problem
	mu     sync.Mutex
	points map[int][]float64
	values map[int]float64
	left   int // -1: it does not stop
}

func (s *seen) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left >= 0 && s.left < len(values) {
		return errPower
	}
	if s.left >= 0 {
		s.left -= len(values)
	}
	err := s.Problem.Evaluate(ctx, points, values)
	for i, v := range values {
		n := query.NumberOf(ctx, i)
		s.points[n], s.values[n] = slices.Clone(points.RawRowView(i)), v
	}
	return err
}

func look(p *problem.Problem, left int) *seen {
	return &seen{Problem: p, points: map[int][]float64{}, values: map[int]float64{}, left: left}
}

func (s *seen) clean(t *testing.T, x []float64) float64 {
	t.Helper()
	var v [1]float64
	if err := s.Clean(ctx, mat.NewDense(1, len(x), slices.Clone(x)), v[:]); err != nil {
		t.Fatal(err)
	}
	return v[0]
}

func noisyRastrigin(t *testing.T) *problem.Problem {
	t.Helper()
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 3, Mix: "orthogonal", Seed: 4, Blemishes: problem.Blemishes{
		Map: "log", Noise: 0.01, NoiseRelative: 0.01, ScaleValue: 100, Offset: -7, Digits: 7, Failing: 0.05,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A run on a noisy problem stops at the first query whose clean gap is the target, whatever
// its noisy values say; the Result has the clean value at its best point; and the number of
// workers changes nothing.
func TestACleanTarget(t *testing.T) {
	p := noisyRastrigin(t)
	for _, name := range []string{"auto", "cmaes", "cbo"} {
		var want untwist.Result
		for _, workers := range []int{1, 3} {
			s, err := untwist.StrategyNamed(name, untwist.Knobs{})
			if err != nil {
				t.Fatal(err)
			}
			f := look(p, -1)
			target := p.Minimum() + float64(flags.Usually(3, 10))/2
			got, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Budget: 20_000, Target: &target, Seed: 4, Workers: workers, Start: p.Domain()})
			if err != nil || got.Status != objective.TargetReached {
				t.Fatalf("%s: status %v, error %v", name, got.Status, err)
			}
			first := 0
			for n := 1; n <= got.Queries && first == 0; n++ {
				if f.clean(t, f.points[n]) <= target && !math.IsNaN(f.values[n]) {
					first = n
				}
			}
			if got.TargetQuery != first || first < 2 {
				t.Errorf("%s: the target is reached by query %d, want %d", name, got.TargetQuery, first)
			}
			if got.ValueClean == nil || *got.ValueClean != f.clean(t, got.Point) || got.Value != f.values[got.BestQuery] {
				t.Errorf("%s: clean value %v at the best point", name, got.ValueClean)
			}
			if workers == 1 {
				want = got
			} else {
				same(t, want, got)
			}
		}
	}
}

// A noisy run that is stopped again and again and resumed ends as if it had never been
// stopped, with points or with hashes in its journal; target and clean value too.
func TestResumeOfANoisyRun(t *testing.T) {
	p := noisyRastrigin(t)
	o := untwist.Options{Budget: flags.Few(4000, flags.Usually(2500, 1000)), Seed: 2, Start: p.Domain(), KeepGoing: true}
	all := look(p, -1)
	if _, err := untwist.Minimize(ctx, all, o); err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for _, x := range all.points {
		least = min(least, all.clean(t, x))
	}
	for i, hashed := range []bool{false, true} {
		for k, target := range []*float64{nil, &least} {
			if !flags.Usual() && i <= k {
				continue
			}
			o := o
			o.Target = target
			want, err := untwist.Minimize(ctx, p, o)
			if err != nil {
				t.Fatal(err)
			}
			if (target != nil) != (want.TargetQuery > 0) {
				t.Fatalf("the target is reached by query %d", want.TargetQuery)
			}
			o.Journal.File, o.Journal.HashPoints = filepath.Join(t.TempDir(), "run.journal"), hashed
			chance := rand.New(rand.NewPCG(1, 2))
			stops := 0
			for {
				o.Workers = 1 + stops%3
				got, err := untwist.Minimize(ctx, look(p, flags.Usually(100, 50)+chance.IntN(flags.Usually(250, 150))), o)
				if err == nil {
					same(t, want, got)
					break
				}
				if !errors.Is(err, errPower) || stops > 1000 {
					t.Fatal(err)
				}
				stops++
			}
			if stops < 2 {
				t.Errorf("%d stops", stops)
			}
		}
	}
}

// Without blemishes nothing is said of clean values; a coupling is part of the function.
func TestCleanProblemsSayNothing(t *testing.T) {
	for _, b := range []problem.Blemishes{{}, {Coupling: 0.1}} {
		p, err := problem.New(problem.Spec{Name: "levy", Dim: 2, Blemishes: b})
		if err != nil {
			t.Fatal(err)
		}
		got, err := untwist.Minimize(ctx, p, untwist.Options{Budget: 100})
		if err != nil || got.ValueClean != nil {
			t.Errorf("%v: clean value %v, error %v", b, got.ValueClean, err)
		}
	}
}

// Probe numbers its queries, too.
func TestProbeOfANoisyProblem(t *testing.T) {
	p := noisyRastrigin(t)
	var want untwist.Findings
	for _, workers := range []int{1, 3} {
		got, err := untwist.Probe(ctx, p, untwist.Options{Start: p.Domain(), Workers: workers, Budget: 500})
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			want = got
		} else if want.Value != got.Value || want.Queries != got.Queries || want.BestQuery != got.BestQuery {
			t.Errorf("%v after %d queries with %d workers, %v after %d with one", got.Value, got.Queries, workers, want.Value, want.Queries)
		}
	}
}

// Where every query fails a run ends after 20 + d queries, and says so. Where one point in
// four succeeds it does not.
func TestFailuresAtTheStart(t *testing.T) {
	for _, d := range []int{2, 30} {
		for _, name := range []string{"auto", "cmaes"} {
			s, err := untwist.StrategyNamed(name, untwist.Knobs{})
			if err != nil {
				t.Fatal(err)
			}
			never := objective.Func(d, func([]float64) float64 { return math.NaN() })
			r, err := untwist.Minimize(ctx, never, untwist.Options{Strategy: s, Budget: 5000})
			if !errors.Is(err, untwist.ErrAllFailed) || r.Queries != 20+d || r.Status != objective.Failed {
				t.Errorf("%s, d = %d: %d queries, status %v, error %v", name, d, r.Queries, r.Status, err)
			}
			seldom := objective.Func(d, func(x []float64) float64 {
				sum := 0.0
				for _, v := range x {
					sum += v * v
				}
				if math.Float64bits(sum)>>4%4 > 0 {
					return math.NaN()
				}
				return sum
			})
			if r, err = untwist.Minimize(ctx, seldom, untwist.Options{Strategy: s, Budget: 5000}); err != nil || math.IsInf(r.Value, 1) {
				t.Errorf("%s, d = %d, one point in four: value %v after %d queries, error %v", name, d, r.Value, r.Queries, err)
			}
		}
	}
}

// Points that fail by chance cost little more than themselves, and a half space that fails
// beside the minimum does not hide it.
func TestAutoWithFailures(t *testing.T) {
	solve := func(name string, b problem.Blemishes) int {
		t.Helper()
		p, err := problem.New(problem.Spec{Name: name, Dim: 10, Mix: "orthogonal", Seed: 3, Blemishes: b})
		if err != nil {
			t.Fatal(err)
		}
		r, err := untwist.Minimize(ctx, p, untwist.Options{Budget: 50_000, Seed: 3, Start: p.Domain(), Target: new(p.Minimum() + 1e-8)})
		if err != nil || r.Status != objective.TargetReached {
			t.Errorf("%s with %v: gap %.1e after %d queries, %v", name, b, r.Value-p.Minimum(), r.Queries, err)
		}
		return r.Queries
	}
	for _, name := range flags.Sample([]string{"rastrigin", "different-powers", "styblinski-tang"}, 1) {
		clean := solve(name, problem.Blemishes{})
		for share, most := range map[float64]float64{0.03: 1.5, 0.2: 3} {
			if n := solve(name, problem.Blemishes{Failing: share}); float64(n) > most*float64(clean) {
				t.Errorf("%s: %d queries, and with a share of %v failures %d", name, clean, share, n)
			}
		}
		solve(name, problem.Blemishes{FailingBeyond: new(0.05)})
	}
}
