package experiment

import (
	"cmp"
	"math"

	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/store"
	"gonum.org/v1/gonum/stat/combin"
)

// A Pair compares two methods on all cases. Verdicts are about the first.
type Pair struct {
	First  string `json:"first"`
	Second string `json:"second"`
	Better int    `json:"better"` // on how many cases the first is better
	Equal  int    `json:"equal"`
	Worse  int    `json:"worse"`
	Duels  []Duel `json:"cases"` // one for each case
}

// A Duel compares two methods on a case.
type Duel struct {
	Case    string `json:"case"`
	Verdict string `json:"verdict"` // better, equal or worse; "": a method has no runs
	// P is the exact two-sided p-value of the Wilcoxon–Mann–Whitney test, and Holm the same
	// after Holm's correction for the number of cases. They are nil if there is no verdict.
	P    *float64 `json:"p"`
	Holm *float64 `json:"p_holm"`
	// Ratio is the ERT of the first method to the least target divided by that of the second,
	// with a 95 % bootstrap interval. All are null in JSON where they are infinite, and where
	// no run of either method reached the target.
	Ratio     Number `json:"ert_ratio"`
	RatioLow  Number `json:"ert_ratio_low"`
	RatioHigh Number `json:"ert_ratio_high"`
	// Behind reports whether the first method reached the least target in a smaller share of
	// its runs, or needed more than 1.3 times the ERT, or is worse where neither reached it.
	Behind bool `json:"behind"`
}

const (
	significance = 0.05 // the largest corrected p-value of a difference
	behindBy     = 1.3  // the largest ratio of ERTs that does not put a method behind
)

func (c *Comparison) pairs() (all []Pair) {
	for j := range c.Methods {
		for k := j + 1; k < len(c.Methods); k++ {
			all = append(all, c.pair(j, k))
		}
	}
	return all
}

// pair compares the j-th method with the k-th.
func (c *Comparison) pair(j, k int) Pair {
	p := Pair{First: c.Methods[j].Name, Second: c.Methods[k].Name}
	var raw []float64
	var tested, shifts []int
	for i, setup := range c.Cases {
		a, runs := c.cell(i, j)
		b, others := c.cell(i, k)
		d := Duel{Case: setup.Key(), Ratio: nothing, RatioLow: nothing, RatioHigh: nothing}
		if a.Runs > 0 && b.Runs > 0 {
			least := c.Targets[len(c.Targets)-1]
			r := ranks.Test(outcomes(runs, least), outcomes(others, least), outcome.compare)
			d.race(a, b)
			raw, tested, shifts = append(raw, r.Differ), append(tested, i), append(shifts, r.Shift)
		}
		p.Duels = append(p.Duels, d)
	}
	corrected := holm(raw)
	for t, i := range tested {
		d := &p.Duels[i]
		d.P, d.Holm = &raw[t], &corrected[t]
		switch {
		case corrected[t] > significance:
			d.Verdict = "equal"
			p.Equal++
		case shifts[t] < 0:
			d.Verdict = "better"
			p.Better++
		default:
			d.Verdict = "worse"
			p.Worse++
			d.Behind = d.Behind || math.IsNaN(float64(d.Ratio)) // both ERTs are infinite
		}
	}
	return p
}

// race compares the ERTs and the rates of success of two methods that have runs.
func (d *Duel) race(a, b *Standing) {
	first, second := a.last(), b.last()
	d.Ratio = first.ERT / second.ERT // NaN if both are infinite
	low, high := ratios(a.draws, b.draws)
	d.RatioLow, d.RatioHigh = Number(low), Number(high)
	if math.IsNaN(float64(d.Ratio)) || min(a.Runs, b.Runs) < 2 {
		d.RatioLow, d.RatioHigh = nothing, nothing
	}
	fewer := first.Successes*b.Runs < second.Successes*a.Runs
	d.Behind = fewer || d.Ratio > behindBy
}

// An outcome is what counts of a run when it is compared with another.
type outcome struct {
	effort         // for the least target
	gap    float64 // at the end, but not less than the least target
}

func outcomes(runs []store.Run, least float64) (all []outcome) {
	for _, r := range runs {
		o := outcome{effortOf(r, least), max(r.Gap, least)}
		if math.IsNaN(r.Gap) {
			o.gap = math.Inf(1)
		}
		all = append(all, o)
	}
	return all
}

// compare orders runs, the best first: those that reached the least target by the queries up to
// it, and after them the others by their final gaps.
func (o outcome) compare(p outcome) int {
	switch {
	case o.reached && p.reached:
		return cmp.Compare(o.queries, p.queries)
	case o.reached:
		return -1
	case p.reached:
		return 1
	}
	return cmp.Compare(o.gap, p.gap)
}

// wilson returns the Wilson score interval of a success rate of k in n, with z = 1.96
// for 95 %:
//
//	(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n),  p = k/n.
//
// Unlike p ± z√(p(1−p)/n) it has a width at 0 and at n successes.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, N := float64(k)/float64(n), float64(n)
	middle := p + z*z/(2*N)
	half := z * math.Sqrt(p*(1-p)/N+z*z/(4*N*N))
	scale := 1 + z*z/N
	low, high = (middle-half)/scale, (middle+half)/scale
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return low, high
}

// fisher returns the p-value of Fisher's exact test, two-sided, for k successes of n
// against l of m. This is the probability, given k+l successes in all, of a table that is
// at most as probable as this one.
func fisher(k, n, l, m int) float64 {
	return fisherOf(k, n, l, m, func(_ int, p float64) bool { return p <= 1+1e-7 }) // equally probable ones differ by rounding
}

// fisherOf returns the probability of those tables of i successes of n against k+l−i of m that
// count. Each is given with its probability relative to that of the table that was observed.
func fisherOf(k, n, l, m int, counts func(i int, p float64) bool) float64 {
	// ln C(n, i) C(m, k+l−i)
	weight := func(i int) float64 { return logChoose(n, i) + logChoose(m, k+l-i) }
	here, sum, all := weight(k), 0.0, 0.0
	for i := max(0, k+l-m); i <= min(n, k+l); i++ {
		p := math.Exp(weight(i) - here)
		all += p
		if counts(i, p) {
			sum += p
		}
	}
	return min(1, sum/all)
}

// logChoose returns ln C(n, k).
func logChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// holm corrects the p-values of m tests by Holm's method: with p in ascending order,
//
//	p'₍ᵢ₎ = max_{j≤i} min(1, (m−j+1)·p₍ⱼ₎),  i, j = 1 … m.
//
// Whoever believes the differences with p' ≤ α is wrong about any of them with probability α
// at most, however the tests depend on each other.
func holm(p []float64) []float64 {
	order := ranks.Order(len(p), func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	corrected, largest := make([]float64, len(p)), 0.0
	for j, i := range order {
		largest = max(largest, min(1, float64(len(p)-j)*p[i]))
		corrected[i] = largest
	}
	return corrected
}
