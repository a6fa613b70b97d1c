package acceptance

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// smallBudgets are queries for each dimension.
var smallBudgets = []int{10, 20, 50, 100, 150, 200}

// smooth are the BBOB functions without many wells.
var smooth = []int{1, 2, 5, 6, 8, 9, 10, 11, 12, 13, 14}

// A falling function is a function that keeps its least value after each query.
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
	for _, v := range values {
		if v < least { // false for NaN
			least = v
		}
		f.values = append(f.values, least)
	}
	return err
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

// smallGaps minimises a problem and returns the gaps after each of some budgets, at least 1e-8.
func smallGaps(t *testing.T, spec problem.Spec, by string, budgets []int, change func(*untwist.Options)) []float64 {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := untwist.StrategyNamed(by, untwist.Knobs{})
	if err != nil {
		t.Fatal(err)
	}
	f := &falling{Objective: p}
	o := untwist.Options{Strategy: s, Seed: spec.Seed, Budget: budgets[len(budgets)-1], Start: smallStart(p, spec.Seed)}
	if change != nil {
		change(&o)
	}
	if _, err := untwist.Minimize(ctx, f, o); err != nil {
		t.Fatal(err)
	}
	gaps := make([]float64, len(budgets))
	for i, b := range budgets {
		gaps[i] = max(f.values[min(b, len(f.values))-1]-p.Minimum(), 1e-8)
	}
	return gaps
}

// TestSmallProbe prints medians, for a look.
func TestSmallProbe(t *testing.T) {
	if !*flags.Whole {
		t.Skip()
	}
	names := []string{}
	for k := 1; k <= 24; k++ {
		names = append(names, fmt.Sprintf("bbob-%d", k))
	}
	for _, d := range flags.Dims(20) {
		mean := map[string][]float64{}
		for _, name := range flags.Problems(names...) {
			line := fmt.Sprintf("%-8s", name)
			budgets, most := []int{}, []int{}
			for _, b := range smallBudgets {
				budgets, most = append(budgets, b*d), append(most, 3*b*d/4)
			}
			ours, theirs := make([][]float64, len(budgets)), make([][]float64, len(budgets))
			for _, seed := range flags.Seeds(5) {
				spec := problem.Spec{Name: name, Dim: d, Seed: seed}
				for i, g := range smallGaps(t, spec, "auto", budgets, nil) {
					ours[i] = append(ours[i], g)
				}
				for i, g := range smallGaps(t, spec, "cmaes", most, nil) {
					theirs[i] = append(theirs[i], g)
				}
			}
			var k int
			fmt.Sscanf(name, "bbob-%d", &k)
			kind := "rugged"
			if slices.Contains(smooth, k) {
				kind = "smooth"
			}
			if mean[kind] == nil {
				mean[kind], mean[kind+"c"] = make([]float64, len(budgets)+1), make([]float64, len(budgets)+1)
			}
			mean[kind][len(budgets)]++
			mean[kind+"c"][len(budgets)]++
			for i := range budgets {
				m, c := middle(ours[i]), middle(theirs[i])
				mean[kind][i] += math.Log(m)
				mean[kind+"c"][i] += math.Log(c)
				p := ranks.Test(ours[i], theirs[i], cmp.Compare[float64]).Greater
				mark := " "
				if p < 0.01 {
					mark = "*"
				}
				line += fmt.Sprintf(" %7.1e (%6.1e)%s", m, m/c, mark)
			}
			t.Log(line)
		}
		for _, kind := range []string{"smooth", "smoothc", "rugged", "ruggedc"} {
			if m := mean[kind]; m != nil {
				var words []string
				for _, v := range m[:len(m)-1] {
					words = append(words, fmt.Sprintf("%.1e", math.Exp(v/m[len(m)-1])))
				}
				t.Logf("d = %d %-13s %s", d, kind, strings.Join(words, " "))
			}
		}
	}
}
