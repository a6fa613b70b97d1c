package interact

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/objective"
)

// A tester asks mixed differences from one point, along one vector of steps.
type tester struct {
	ctx    context.Context
	f      objective.Objective
	box    objective.Box
	grain  objective.Grain
	random objective.Random
	given  []float64 // the point to begin with; nil: none
	live   []int
	most   int

	x, to   []float64 // the point, and where each variable is moved to
	base    float64   // f(x)
	single  []float64 // f with variable i moved; NaN: not asked yet
	weakest float64   // the least |D| that counts, in thresholds
	sight   []float64
	queries int
}

func newTester(ctx context.Context, f objective.Objective, s Search) *tester {
	d := f.Dim()
	t := &tester{ctx: ctx, f: f, box: s.Box, grain: s.Grain, random: s.Random, given: s.Point, live: s.Live, most: s.Most}
	if t.live == nil {
		t.live = ranks.First(d)
	}
	t.x, t.to, t.single, t.sight = make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	for i := range t.single {
		t.single[i] = math.NaN()
	}
	t.weakest = math.Inf(1)
	return t
}

// A node is a set of variables that are moved together.
type node struct {
	set   []int
	value float64
	known bool
}

// A test is a variable against a set.
type test struct {
	i    int
	from *node
}

// long is the length of the longest step, as a part of the box: twice as far from the point, which is
// drawn from the middle half of the box, would be outside.
const long = 0.25

// attempts is how many points are tried where f fails, with shorter and shorter steps.
const attempts = 8

// begin finds a point at which f is finite, as it is with all variables moved.
func (t *tester) begin() (ok bool, err error) {
	for k := range attempts {
		t.place(long * math.Pow(2, -float64(k)/2))
		values, err := t.shared(2, func(k int, x []float64) {
			copy(x, t.x)
			if k == 1 {
				t.move(x, t.live)
			}
		})
		if err != nil {
			return false, err
		}
		if kernel.Finite(values[0]) && kernel.Finite(values[1]) {
			t.base = values[0]
			return true, nil
		}
	}
	return false, nil
}

// place draws the point and the steps b_i = ±(½…1)·part of the box, and turns those round that would
// leave it.
func (t *tester) place(part float64) {
	for i := range t.x {
		lo, hi := t.box.Lo[i], t.box.Hi[i]
		width := hi - lo
		t.x[i] = lo + float64(width*(long+float64((1-2*long)*t.random.Float64())))
		if t.given != nil {
			t.x[i] = t.given[i]
		}
		step := float64(width * part * (1 + t.random.Float64()) / 2)
		if t.random.IntN(2) == 0 {
			step = -step
		}
		if at := t.x[i] + step; at < lo || at > hi {
			step = -step
		}
		t.to[i] = min(max(t.x[i]+step, lo), hi)
	}
}

// move moves variables of x.
func (t *tester) move(x []float64, set []int) {
	for _, i := range set {
		x[i] = t.to[i]
	}
}

// repeats is how often a value is asked that many differences share, under noise: else its error would be
// in all of them.
const repeats = 4

// shared asks for n values that many differences share: for means, if f is random.
func (t *tester) shared(n int, fill func(k int, x []float64)) ([]float64, error) {
	if t.grain.Kind != objective.RandomNoise {
		return t.ask(n, fill)
	}
	values, err := t.ask(n*repeats, func(k int, x []float64) { fill(k/repeats, x) })
	if err != nil {
		return nil, err
	}
	means := make([]float64, n)
	for k, v := range values {
		means[k/repeats] += v / repeats
	}
	return means, nil
}

// ask asks for n points.
func (t *tester) ask(n int, fill func(k int, x []float64)) ([]float64, error) {
	if t.most > 0 && t.queries+n > t.most {
		return nil, errEnough
	}
	t.queries += n
	return query.Ask(t.ctx, t.f, n, fill)
}

// singles asks for f with each of some variables moved. Where f fails it is moved elsewhere.
func (t *tester) singles(of []int) error {
	var open []int
	for _, i := range of {
		if math.IsNaN(t.single[i]) {
			open = append(open, i)
		}
	}
	for k := 0; k < attempts && len(open) > 0; k++ {
		values, err := t.ask(len(open), func(k int, x []float64) {
			copy(x, t.x)
			x[open[k]] = t.to[open[k]]
		})
		if err != nil {
			return err
		}
		var failed []int
		for k, i := range open {
			t.single[i] = values[k]
			if !kernel.Finite(values[k]) {
				t.to[i] = t.elsewhere(i)
				failed = append(failed, i)
			}
		}
		open = failed
	}
	return nil
}

// elsewhere returns another place for a variable, on the other side of x if there is room.
func (t *tester) elsewhere(i int) float64 {
	const shorter = 0.8
	at := t.x[i] - float64(shorter*(t.to[i]-t.x[i]))
	return min(max(at, t.box.Lo[i]), t.box.Hi[i])
}

// values asks for the values of nodes.
func (t *tester) values(tests []test) error {
	var open []*node
	for _, q := range tests {
		if !q.from.known {
			q.from.known = true
			open = append(open, q.from)
		}
	}
	values, err := t.shared(len(open), func(k int, x []float64) {
		copy(x, t.x)
		t.move(x, open[k].set)
	})
	if err != nil {
		return err
	}
	for k, n := range open {
		n.value = values[k]
	}
	return nil
}

// against tests variables against sets, of which each is either in its set, and then is tested against the
// others of it, or not. The singles must be known. A test costs a query, and a set one.
func (t *tester) against(tests []test, inside bool) (hits []bool, err error) {
	if err := t.values(tests); err != nil {
		return nil, err
	}
	values, err := t.ask(len(tests), func(k int, x []float64) {
		q := tests[k]
		copy(x, t.x)
		t.move(x, q.from.set)
		if x[q.i] = t.to[q.i]; inside {
			x[q.i] = t.x[q.i]
		}
	})
	if err != nil {
		return nil, err
	}
	hits = make([]bool, len(tests))
	var failed []int
	for k, q := range tests {
		with, without := values[k], q.from.value
		if inside {
			with, without = without, with
		}
		ratio := t.ratio(with, without, t.single[q.i])
		if math.IsNaN(ratio) {
			failed = append(failed, k)
			continue
		}
		hits[k] = t.counts(q, ratio)
	}
	return hits, t.again(tests, failed, inside, hits)
}

// again repeats tests in which f has failed, with shorter and shorter steps: three queries each. Those that
// fail again count as if the variables did not interact.
func (t *tester) again(tests []test, failed []int, inside bool, hits []bool) error {
	const shorter = 0.8
	for share := shorter; len(failed) > 0 && share > shorter/2; share *= shorter {
		values, err := t.ask(3*len(failed), func(k int, x []float64) {
			q := tests[failed[k/3]]
			copy(x, t.x)
			if part := k % 3; part < 2 { // both, and the set
				t.move(x, q.from.set)
				x[q.i] = t.x[q.i]
				if part == 0 {
					x[q.i] = t.to[q.i]
				}
			} else {
				x[q.i] = t.to[q.i]
			}
			for i := range x {
				x[i] = t.x[i] + float64(share*(x[i]-t.x[i]))
			}
		})
		if err != nil {
			return err
		}
		var open []int
		for n, k := range failed {
			ratio := t.ratio(values[3*n], values[3*n+1], values[3*n+2])
			if math.IsNaN(ratio) {
				open = append(open, k)
				continue
			}
			hits[k] = t.counts(tests[k], ratio)
		}
		failed = open
	}
	return nil
}
