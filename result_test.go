package untwist_test

import (
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// People count components from 1, and one thing is singular.
func TestWords(t *testing.T) {
	r := untwist.Result{Account: untwist.Account{Queries: 1}}
	if got := r.String(); got != "1 query" {
		t.Errorf("%q", got)
	}
	r.Profiles = []frame.Profile{{Component: 0, Wells: []frame.Well{{Y: 1}, {Y: 2, Value: 0.25}}}}
	if got, want := r.String(), "1 query; there are other wells along 1 coordinate; the second-best well of component 1 is only 0.2 above its best"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestComponentsWithoutAMinimumAreCountedFromOne(t *testing.T) {
	f := objective.Func(2, func(x []float64) float64 { return x[0] + x[1]*x[1] })
	r, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 5000})
	if err != nil || r.Status != objective.Unbounded || !strings.Contains(r.String(), "along component 1: it may have no minimum") {
		t.Errorf("%v, %v, error %v", r.Status, r, err)
	}
}

// Queries at known points do not count as a search by CMA-ES; the search around them does.
func TestEveryStageHasItsPurpose(t *testing.T) {
	p := mixed(t, "rastrigin", 5, 1)
	r, err := untwist.Minimize(ctx, p, untwist.Options{Start: p.Domain(), Points: [][]float64{{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}}, Seed: 1})
	if err != nil || r.Spent(objective.AtKnown) != 2 || r.Spent(objective.ToSearch) == 0 {
		t.Errorf("%v, error %v", r, err)
	}
	sum := 0
	for _, purpose := range objective.Purposes() {
		sum += r.Spent(purpose)
	}
	if sum != r.Queries || r.Rounds < 10 || r.Rounds > r.Queries {
		t.Errorf("%d queries in %d rounds, %d with a purpose", r.Queries, r.Rounds, sum)
	}
}

// Rounds are the batches that the algorithm asks for, however long they are.
func TestRounds(t *testing.T) {
	p := mixed(t, "rastrigin", 50, 1)
	calls, most := 0, 0
	counted := objective.Batch(50, func(points *mat.Dense, values []float64) {
		calls++
		most = max(most, len(values))
		if err := p.Evaluate(ctx, points, values); err != nil {
			t.Error(err)
		}
	})
	r, err := untwist.Minimize(ctx, counted, untwist.Options{Start: p.Domain(), Seed: 1, Target: new(p.Minimum() + 0.005)})
	if err != nil || most != query.ChunkRows || r.Rounds >= calls {
		t.Errorf("%d rounds in %d calls of up to %d points, error %v", r.Rounds, calls, most, err)
	}
}

// Noise of 0 at the point found is not called noise of a standard deviation of 0.
func TestWordsOfNoNoiseAtThePoint(t *testing.T) {
	r := untwist.Result{Noise: &untwist.Noise{Kind: objective.RandomNoise}}
	if s := r.String(); !strings.Contains(s, "none at the point found") || strings.Contains(s, "deviation of 0") {
		t.Error(s)
	}
}

// A coupling that could not be measured is not called NaN.
func TestWordsOfACouplingThatIsNoNumber(t *testing.T) {
	s := untwist.Structure{Frame: frame.Identity(2), Blocks: [][]int{{0}, {1}}, Dim: 2, Linear: -1, Certificate: certify.Certificate{Verdict: certify.Unknown, Splits: 100, Coupling: math.NaN()}}
	if words := s.String(); strings.Contains(words, "NaN") {
		t.Error(words)
	}
}
