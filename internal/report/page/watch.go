package page

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sync"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// Evaluations say how evaluating went.
type Evaluations struct {
	// Timed is of how many queries the time is known. Seconds is how long they took in all,
	// Median one of them, and Most the longest.
	Timed                 int
	Seconds, Median, Most float64
	// AtOnce is how many may run at the same time; 0: not known.
	AtOnce int
	// Workers are those who evaluated on other machines, the busiest first.
	Workers []Worker
	// Failures are the reasons of failures, the commonest first. Others is how many failures
	// are not among them.
	Failures []Failure
	Others   int
	// Regions say where failures are commoner than elsewhere, the clearest first.
	Regions []Region
	// Choices are what was asked with the words of parameters that have choices.
	Choices []Choice
}

// A Worker is who evaluated.
type Worker struct {
	Name            string
	Queries, Failed int
	Seconds         float64 // in all
}

// A Failure is a reason why queries failed: how many, and the first of them.
type Failure struct {
	Kind    objective.FailureKind
	Reason  string // of the first
	Varies  bool   // those of the others have other numbers in it
	Queries int
	Number  int       // of the first query; 0: not known
	Point   []float64 // of the first query; nil: not known
}

// A Region is a range of one parameter in which queries fail: Failed of Queries there, and
// FailedElse of Else elsewhere.
type Region struct {
	Parameter        int
	Lo, Hi           float64 // in the user's units; infinite: no end
	Failed, Queries  int
	FailedElse, Else int
}

// numbers are what reasons may differ in and still be the same.
var numbers = regexp.MustCompile(`[-+]?\d+(\.\d*)?([eE][-+]?\d+)?`)

// mostReasons is how many reasons of failures are told apart, and cells into how many parts
// the range of a parameter is cut to see where queries fail.
const mostReasons, cells = 1000, 8

// A Watch sees queries and keeps what a page says about evaluating them. Its methods may be
// called by several goroutines at once.
type Watch struct {
	mu      sync.Mutex
	space   parameter.Space
	free    []int // the parameters that are searched
	times   durations
	workers map[string]*Worker
	reasons map[string]*Failure
	others  int
	counts  [][cells]struct{ queries, failed int } // of each parameter; nil: the range is not known
	choices []Choice
	queries int
	failed  int
	lo, hi  []float64 // where to look first, of all parameters, on their scales
}

// NewWatch returns a watch for queries at points of a space.
func NewWatch(space parameter.Space) *Watch {
	w := &Watch{space: space, free: space.Free(), workers: map[string]*Worker{}, reasons: map[string]*Failure{}}
	start := space.Start()
	if start.CheckFinite() != nil {
		return w
	}
	w.counts = make([][cells]struct{ queries, failed int }, len(start.Lo))
	w.lo, w.hi = start.Lo, start.Hi
	return w
}

// See takes notice of a query: its number, its point, and its answer. It keeps no part of the
// point's memory. The point is nil if it is not known.
func (w *Watch) See(number int, point []float64, a objective.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	failure := query.FailureOf(a)
	w.queries++
	if failure != nil {
		w.failed++
		w.fail(number, point, failure)
	}
	w.place(point, failure != nil)
	w.choose(point, a)
	if a.Seconds > 0 {
		w.times.add(a.Seconds)
	}
	if a.By == "" {
		return
	}
	by := w.workers[a.By]
	if by == nil {
		by = &Worker{Name: a.By}
		w.workers[a.By] = by
	}
	by.Queries++
	by.Seconds += a.Seconds
	if failure != nil {
		by.Failed++
	}
}

func (w *Watch) fail(number int, point []float64, f *objective.Failure) {
	text := f.Error()
	key := fmt.Sprint(f.Kind, numbers.ReplaceAllString(text, "0"))
	known := w.reasons[key]
	switch {
	case known == nil && len(w.reasons) >= mostReasons:
		w.others++
		return
	case known == nil:
		known = &Failure{Kind: f.Kind, Reason: text, Number: number, Point: slices.Clone(point)}
		w.reasons[key] = known
	case known.Reason != text:
		known.Varies = true
	}
	known.Queries++
}

// place counts in which parts of the ranges a query was.
func (w *Watch) place(point []float64, failed bool) {
	if w.counts == nil || len(point) != len(w.space) {
		return
	}
	for k, z := range w.space.Inward(point) {
		at := (z - w.lo[k]) / (w.hi[k] - w.lo[k]) * cells
		c := &w.counts[k][int(max(0, min(at, cells-1)))]
		c.queries++
		if failed {
			c.failed++
		}
	}
}

// Evaluations returns how evaluating went so far.
func (w *Watch) Evaluations() Evaluations {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := Evaluations{Timed: w.times.n, Seconds: w.times.sum, Median: w.times.median(), Most: w.times.most, Others: w.others}
	for _, by := range w.workers {
		e.Workers = append(e.Workers, *by)
	}
	slices.SortFunc(e.Workers, func(a, b Worker) int { return cmp.Or(b.Queries-a.Queries, cmp.Compare(a.Name, b.Name)) })
	for _, f := range w.reasons {
		e.Failures = append(e.Failures, *f)
	}
	slices.SortFunc(e.Failures, func(a, b Failure) int { return cmp.Or(b.Queries-a.Queries, cmp.Compare(a.Reason, b.Reason)) })
	e.Regions, e.Choices = w.regions(), w.chosen()
	return e
}

// durations keep times so that their median is known to some 2 %: counted by their logarithm,
// 32 steps to a factor of 2, from 2⁻⁴⁰ to 2⁴⁰ seconds.
type durations struct {
	n         int
	sum, most float64
	counts    [80 * 32]int
}

// add counts a time above 0.
func (d *durations) add(seconds float64) {
	d.n++
	d.sum += seconds
	d.most = max(d.most, seconds)
	at := math.Round(32 * (40 + math.Log2(seconds)))
	d.counts[int(max(0, min(at, float64(len(d.counts)-1))))]++
}

// median returns the median, 0 if there is no time.
func (d *durations) median() float64 {
	seen := 0
	for at, n := range d.counts {
		if seen += n; n > 0 && 2*seen >= d.n {
			return min(math.Exp2(float64(at)/32-40), d.most)
		}
	}
	return 0
}

// mostRegions is how many ranges with many failures are told of.
const mostRegions = 3

// regions returns for each parameter the lower or upper end of its range that tells failures
// best from other queries, if it tells them well: in which at least a third of all failures
// are, at least five of them, and at least three times as large a share of the queries as
// elsewhere.
func (w *Watch) regions() []Region {
	var all []Region
	for k, counts := range w.counts {
		best, score := Region{}, 0.0
		for cut := 1; cut < cells; cut++ {
			for _, upper := range []bool{false, true} {
				r := Region{Parameter: w.free[k]}
				for c, n := range counts {
					if (c >= cut) == upper {
						r.Queries, r.Failed = r.Queries+n.queries, r.Failed+n.failed
					} else {
						r.Else, r.FailedElse = r.Else+n.queries, r.FailedElse+n.failed
					}
				}
				if s := r.contrast(); s > score {
					r.Lo, r.Hi = math.Inf(-1), math.Inf(1)
					edge := w.outward(k, float64(cut)/cells)
					if upper {
						r.Lo = edge
					} else {
						r.Hi = edge
					}
					best, score = r, s
				}
			}
		}
		if score > 0 {
			all = append(all, best)
		}
	}
	slices.SortStableFunc(all, func(a, b Region) int { return cmp.Compare(b.contrast(), a.contrast()) })
	all = slices.DeleteFunc(all, func(r Region) bool { return r.contrast() < 0.9*all[0].contrast() }) // they go with it
	return all[:min(len(all), mostRegions)]
}

// contrast says how well a region tells failures from other queries: the difference between
// the part of all failures and the part of all others that it holds. It is 0 if it does not.
func (r Region) contrast() float64 {
	failed, fine := r.Failed+r.FailedElse, r.Queries+r.Else-r.Failed-r.FailedElse
	if r.Failed < 5 || 3*r.Failed < failed || fine == 0 || r.Queries == 0 || r.Else == 0 ||
		float64(r.Failed)*float64(r.Else) < 3*float64(r.FailedElse)*float64(r.Queries) {
		return 0
	}
	return float64(r.Failed)/float64(failed) - float64(r.Queries-r.Failed)/float64(fine)
}

// outward returns the value of the k-th free parameter at a part of its range.
func (w *Watch) outward(k int, part float64) float64 {
	z := w.lo[k] + float64(part*(w.hi[k]-w.lo[k]))
	if w.space[w.free[k]].Log {
		return kernel.ExpOf(z)
	}
	return z
}
