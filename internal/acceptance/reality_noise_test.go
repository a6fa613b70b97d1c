package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/problem"
)

// A disturbance is a kind of noise: S standard deviations of f, S of each value, or digits.
type disturbance struct {
	kind string
	s    float64
}

func (n disturbance) String() string { return fmt.Sprintf("%s=%g", n.kind, n.s) }

// on returns a problem with the noise.
func (n disturbance) on(spec problem.Spec) problem.Spec {
	switch n.kind {
	case "noise":
		spec.Noise = n.s
	case "relative":
		spec.NoiseRelative = n.s
	case "digits":
		spec.Digits = int(n.s)
	}
	return spec
}

// level returns S; of n digits 10⁻ⁿ.
func (n disturbance) level() float64 {
	if n.kind == "digits" {
		return math.Pow(10, -n.s)
	}
	return n.s
}

// at returns the standard deviation of a problem's values at a point where f is v without noise.
func (n disturbance) at(t *testing.T, p *problem.Problem, v float64) float64 {
	switch v = math.Abs(v); {
	case n.kind == "noise":
		return noiseOf(t, p.Spec())
	case n.kind == "relative":
		return n.s * v
	case v == 0:
		return 0
	}
	return math.Pow10(int(math.Floor(math.Log10(v)))+1-int(n.s)) / math.Sqrt(12) // a unit of the last digit
}

// disturbances are those of the tests: without -whole one of each kind.
func disturbances() (all []disturbance) {
	if !*flags.Whole {
		return flags.Sample([]disturbance{{"noise", 1e-5}, {"relative", 1e-4}, {"digits", 4}}, 2)
	}
	for k := -8; k <= -1; k++ {
		all = append(all, disturbance{"noise", math.Pow10(k)})
	}
	for k := -6; k <= -2; k++ {
		all = append(all, disturbance{"relative", math.Pow10(k)})
	}
	return append(all, disturbance{"digits", 6}, disturbance{"digits", 4})
}

// Under noise of S = 1e-6 and 1e-5 standard deviations of f the deepest well of every
// component is found in 14 of 15 runs, at 1e-4 in 12; at 1e-3 the median gap is at most half
// of that of CMA-ES. Where there is less to find, auto is not worse than CMA-ES at any noise.
//
//	go test ./internal/acceptance -run TestRealityNoise -whole -v -timeout 6h
func TestRealityNoise(t *testing.T) {
	b := newBook(t, "noise")
	for _, mix := range bothMixes[flags.Few(0, 1):] {
		for _, d := range dimensions(flags.Usually(8, 5), 20) {
			for _, n := range disturbances() {
				if flags.Problem("rastrigin") {
					wellsCell(t, b, problem.Spec{Name: "rastrigin", Mix: mix, Dim: d}, n)
				}
			}
		}
	}
	for _, name := range flags.Problems([]string{"rosenbrock-pairs", "squared-norm", "ackley"}[flags.Few(0, 1):flags.Few(3, 2)]...) {
		for _, mix := range bothMixes[flags.Few(0, 1):] {
			for _, d := range dimensions(flags.Usually(8, 5), 20) {
				for _, n := range disturbances() {
					spec := problem.Spec{Name: name, Mix: mix, Dim: d}
					evenCell(t, b, title(spec, n.String()), course{spec: n.on(spec)})
				}
			}
		}
	}
}

// wellsCell counts the runs that end in the deepest wells: with a gap of at most 10σ√d + 1e-6,
// where σ is S standard deviations of f.
func wellsCell(t *testing.T, b *book, spec problem.Spec, n disturbance) {
	t.Helper()
	f, ok := b.cell(t, title(spec, n.String()), flags.Few(15, flags.Usually(2, 1)), func(seeds []uint64) fact {
		seeds = moderate(t, spec, len(seeds))
		ours := course{spec: n.on(spec)}
		a, c := ours.attempts(t, seeds), ours.cmaes().attempts(t, seeds)
		deepest := count(a, func(a attempt) bool {
			s := a.problem.Spec()
			s.Blemishes = problem.Blemishes{Noise: n.level()}
			return a.gap <= 10*noiseOf(t, s)*math.Sqrt(float64(s.Dim))+1e-6
		})
		f := versus(a, c, gapOf, 1e-8)
		if n.level() < 2e-4 { // with more noise the limit is higher than the next well
			f.set("deepest", deepest)
		}
		f.quartiles("queries", values(a, func(a attempt) float64 { return float64(a.Queries) }))
		return f
	})
	if !ok {
		return
	}
	seeds := int(f.number("seeds"))
	switch s := n.level(); {
	case s <= 2e-5 && !(f.number("deepest") >= float64(share(14, 15, seeds))), s <= 2e-4 && !(f.number("deepest") >= float64(share(12, 15, seeds))):
		t.Errorf("%s %v: %v", title(spec, ""), n, f)
	case s <= 2e-3 && s > 2e-4 && !(f.number("auto") <= f.number("cmaes")/2):
		t.Errorf("%s %v: not half of the gap of CMA-ES, %v", title(spec, ""), n, f)
	}
}

// wrong says what is wrong with what was claimed of a problem; "" if nothing is. Blocks of
// which one has more than half of all components are of no use, and count as wrong.
func wrong(p *problem.Problem, s untwist.Structure) string {
	verdict := s.Certificate.Verdict
	if s.Frame == nil || verdict != certify.Separable && verdict != certify.Blocks {
		return ""
	}
	if verdict == certify.Blocks {
		largest := 0
		for _, block := range s.Blocks {
			largest = max(largest, len(block))
		}
		if 2*largest > s.Frame.Components() {
			return fmt.Sprintf("useless blocks, the largest of %d", largest)
		}
	}
	switch p.Structure() {
	case problem.Separable:
		c := frame.Compare(p.Frame(), s.Frame).Coupling
		if p.Spec().Name == "squared-norm" {
			c = cleanCoupling(p, s.Frame)
		}
		if verdict == certify.Separable && !s.Quadratic && c > 0.1 {
			return fmt.Sprintf("separable, but coupled by %.2g", c)
		}
	case problem.Blocks:
		_, _, right := frame.CompareBlocks(p.Frame(), p.Blocks(), s.Frame, s.Blocks)
		if verdict == certify.Separable || !right {
			return fmt.Sprintf("%s, %d blocks, but has other blocks", verdict, len(s.Blocks))
		}
	default:
		return string(verdict) + ", but is not separable"
	}
	return ""
}

// cleanCoupling returns how large mixed differences of a problem without its blemishes are in a
// frame, as a part of single ones: a sum of equal squares has many frames.
func cleanCoupling(p *problem.Problem, w *frame.Frame) float64 {
	spec := p.Spec()
	spec.Blemishes = problem.Blemishes{}
	clean, err := problem.New(spec)
	if err != nil {
		return math.Inf(1)
	}
	k, err := certify.Test{Box: p.Domain()}.Splits(ctx, clean, w, nil)
	if err != nil {
		return math.Inf(1)
	}
	return k.Coupling
}

// What is said of a noisy function is true: no wrong verdict, the noise within a factor of 2,
// and an error of the value, a 95 % half-width, that covers the true one in 90 % of runs.
//
//	go test ./internal/acceptance -run TestHonestUnderNoise -whole -v -timeout 6h
func TestHonestUnderNoise(t *testing.T) {
	b := newBook(t, "honest")
	names := []string{"rastrigin", "rosenbrock-pairs", "squared-norm", "ackley", "levy", "rosenbrock", "different-powers"}
	covered, runs := 0.0, 0.0
	for _, name := range flags.Problems(names[:flags.Few(len(names), 1)]...) {
		for _, mix := range bothMixes[flags.Few(0, 1):] {
			for _, d := range dimensions(flags.Usually(8, 5), 20) {
				for _, n := range disturbances() {
					f := honestCell(t, b, problem.Spec{Name: name, Mix: mix, Dim: d}, n)
					if f != nil {
						covered, runs = covered+f.number("covered"), runs+f.number("seeds")
					}
				}
			}
		}
	}
	t.Logf("%v of %v intervals cover the true value", covered, runs)
	if !(covered >= 0.9*runs) && runs >= 10 { // of three, one may miss
		t.Errorf("%v of %v intervals cover the true value", covered, runs)
	}
}

// honestCell counts what was claimed wrongly. Intervals are judged over all cells: of 15, two
// miss often enough by chance.
func honestCell(t *testing.T, b *book, spec problem.Spec, n disturbance) fact {
	t.Helper()
	f, ok := b.cell(t, title(spec, n.String()), flags.Few(15, flags.Usually(3, 1)), func(seeds []uint64) fact {
		f := fact{}
		var faults []string
		verdicts := map[string]int{}
		judge := func(i int, p *problem.Problem, s *untwist.Structure) {
			if s == nil {
				return
			}
			verdicts[letter(s.Certificate.Verdict)]++
			if why := wrong(p, *s); why != "" {
				faults = append(faults, why)
				t.Logf("%s %v, seed %d: %s", title(spec, ""), n, seeds[i], why)
			}
		}
		found, problems := findings(t, n.on(spec), seeds)
		for i := range found {
			judge(i, problems[i], &found[i].Structure)
		}
		covered, told, within := 0, 0, 0
		for i, a := range (course{spec: n.on(spec)}).attempts(t, seeds) {
			judge(i, a.problem, a.Structure)
			known := says(a.Result)
			if s := n.at(t, a.problem, a.value); known.sigma >= s/2 && known.sigma <= 2*s {
				within++
			}
			if !math.IsNaN(known.half) {
				told++
				if math.Abs(known.mean-a.value) <= known.half {
					covered++
				}
			}
		}
		f.set("seeds", len(seeds))
		f.set("wrong", len(faults))
		f.set("within", within)
		f.set("told", told)
		f.set("covered", covered)
		for v, k := range verdicts {
			f.set("verdict."+v, k)
		}
		if len(faults) > 0 {
			f.set("faults", slices.Compact(slices.Sorted(slices.Values(faults))))
		}
		return f
	})
	if !ok {
		return nil
	}
	seeds := f.number("seeds")
	if !(f.number("wrong") == 0 && f.number("within") >= seeds && f.number("told") >= seeds && 10*f.number("covered") >= 6*seeds) {
		t.Errorf("%s %v: %v", title(spec, ""), n, f)
	}
	return f
}

// A statement is what a result says of the noise; NaN where it says nothing.
type statement struct{ sigma, mean, half float64 }

func says(r untwist.Result) statement {
	s := statement{math.NaN(), math.NaN(), math.NaN()}
	if r.Noise != nil {
		s.sigma = r.Noise.Sigma
	}
	if r.ValueMean != nil && r.ValueError != nil {
		s.mean, s.half = *r.ValueMean, *r.ValueError
	}
	return s
}
