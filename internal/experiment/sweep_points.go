package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
)

// A Swept sweep is what its runs say.
type Swept struct {
	Sweep
	Tally
	Points []Point // in the order of the places
}

// A Point is what the runs of a place say. Numbers are infinite, or NaN, where there is none.
type Point struct {
	Place
	Problem   string
	Budget    int // of a run
	Runs      int
	Successes int
	Low, High float64 // Wilson's 95 % interval of the rate of success
	// Queries is the median of the queries up to success, those that find the frame among them;
	// a run that fails counts as infinitely many. QueriesLow and QueriesHigh are its 95 %
	// interval, NaN if there are too few runs for one.
	Queries, QueriesLow, QueriesHigh float64
	// ERT is the expected number of queries if runs are repeated until one succeeds, and
	// ERTLow and ERTHigh are its 95 % bootstrap interval.
	ERT, ERTLow, ERTHigh float64
	// Gap is the median of the final gaps, between its quartiles.
	GapLow, Gap, GapHigh float64
	// Error is the median error of the frames of shared methods; NaN: none is known.
	Error float64

	runs   []store.Run
	errors map[uint64]float64 // those of the frames, by seed
}

// Tabulate makes the points of a complete sweep from the runs that are in the store.
func (s Sweep) Tabulate(ctx context.Context, from *store.Store) (Swept, error) {
	out := Swept{Sweep: s, Tally: Tally{Total: s.total()}}
	all, err := from.All(ctx)
	if err != nil {
		return out, err
	}
	sorted := s.byCell(all)
	for _, c := range s.Cases {
		for _, m := range s.Methods {
			out.Done += len(sorted(c.Key(), m))
		}
	}
	measured := map[cell]map[uint64]float64{}
	for _, at := range s.Places {
		c, m := s.Cases[at.Case], s.Methods[at.Method]
		p := Point{Place: at, Problem: c.Problem, Error: math.NaN(), runs: sorted(c.Key(), m)}
		if p.Budget, err = s.most(m, c.Dim); err != nil {
			return out, err
		}
		p.measure()
		if m.Shared {
			of := cell{c.Key(), m.finder().Key()}
			if _, known := measured[of]; !known {
				if measured[of], err = frameErrors(ctx, from, c, m.finder(), sorted(c.Key(), m.finder())); err != nil {
					return out, err
				}
			}
			if p.errors = measured[of]; len(p.errors) > 0 {
				_, p.Error, _ = quartiles(slices.Collect(maps.Values(p.errors)))
			}
		}
		out.Points = append(out.Points, p)
	}
	return out, nil
}

// frameErrors returns the errors of the frames that were found in these runs, by seed.
func frameErrors(ctx context.Context, from *store.Store, c Case, m Method, runs []store.Run) (map[uint64]float64, error) {
	all := map[uint64]float64{}
	for _, r := range runs {
		r, _, err := from.Get(ctx, r.Key)
		if err != nil {
			return nil, err
		}
		p, err := task{c, m, r.Seed}.problem()
		if err != nil {
			return nil, err
		}
		known, ok := p.(framed)
		if !ok || r.Frame == nil {
			continue
		}
		found := new(frame.Frame)
		if err := json.Unmarshal(r.Frame, found); err != nil {
			return nil, fmt.Errorf("the frame of %s on %s, seed %d: %w", r.Method, r.Problem, r.Seed, err)
		}
		all[r.Seed] = errorOf(known.Frame(), found)
	}
	return all, nil
}

// measure sums the runs up.
func (p *Point) measure() {
	p.Runs = len(p.runs)
	for _, v := range []*float64{&p.Queries, &p.QueriesLow, &p.QueriesHigh, &p.ERT, &p.ERTLow, &p.ERTHigh, &p.GapLow, &p.Gap, &p.GapHigh} {
		*v = math.NaN()
	}
	p.Low, p.High = 0, 1
	if p.Runs == 0 {
		return
	}
	var queries, gaps []float64
	var spent []effort
	for _, r := range p.runs {
		e := effort{queries: r.Queries}
		q := math.Inf(1)
		if r.Reached > 0 {
			p.Successes++
			e, q = effort{r.Reached, true}, float64(r.Reached)
		}
		spent, queries, gaps = append(spent, e), append(queries, q), append(gaps, r.Gap)
	}
	p.Low, p.High = wilson(p.Successes, p.Runs)
	p.GapLow, p.Gap, p.GapHigh = quartiles(gaps)
	slices.Sort(queries)
	p.Queries = queries[(p.Runs-1)/2]
	if k := outside(p.Runs); k > 0 {
		p.QueriesLow, p.QueriesHigh = queries[k-1], queries[p.Runs-k]
	}
	p.ERT = ert(spent)
	if p.Successes > 0 {
		p.ERTLow, p.ERTHigh = interval(bootstrap([][]effort{spent}, rng.Seed(0).Stream("sweep", "bootstrap"))[0])
	}
}

// outside returns the largest k for which the k-th least and the k-th largest of n values
// enclose the median of their distribution with a probability of at least 95 %:
//
//	2 P(B < k) ≤ 0.05,  B ∼ Binomial(n, ½).
//
// It is 0 if there is none, as for n < 6.
func outside(n int) int {
	below, k := 0.0, 0
	for {
		below += math.Exp(logChoose(n, k) - float64(float64(n)*math.Ln2))
		if 2*below > 0.05 || k > n/2 {
			return k
		}
		k++
	}
}

// decades puts the runs of points together by the errors of their frames, those with errors
// from 10^k to 10^(k+1) into one point at the median of these errors. Frames without an error,
// frames of which none is known, and decades with fewer runs than the least are left out.
func decades(points []Point, least int) (all []Point) {
	at := map[int]int{}   // k → where it is in all
	var found [][]float64 // the errors of each
	for _, p := range points {
		for _, r := range p.runs {
			e, known := p.errors[r.Seed]
			if !known || !(e > 0) || math.IsInf(e, 1) {
				continue
			}
			k := int(math.Floor(math.Log10(e)))
			i, there := at[k]
			if !there {
				i, at[k] = len(all), len(all)
				all = append(all, Point{Place: p.Place, Problem: p.Problem, Budget: p.Budget, Error: math.NaN()})
				found = append(found, nil)
			}
			all[i].runs, found[i] = append(all[i].runs, r), append(found[i], e)
		}
	}
	for i := range all {
		all[i].measure()
		_, all[i].X, _ = quartiles(found[i])
	}
	return slices.DeleteFunc(all, func(p Point) bool { return p.Runs < least })
}
