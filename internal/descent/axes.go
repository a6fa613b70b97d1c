package descent

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

const (
	gridSize = 9       // points of the first look along each axis, in one batch
	alike    = 1e-9    // what values differ by at least to count, as a part of what they vary by
	near     = 0x1p-30 // how close to another point none is asked, as a part of the width
)

// Axes minimises a sum over the axes, all of them at the same time: nine points along each in one batch, then
// rounds of one point each, by turns where the parabola of the best three points is least and in the middle
// of the interval that hides something lower with the least curvature (S. Langerman, G. Seront and H. Bersini,
// "S.T.E.P.: the easiest way to optimize a function", 1994). With every round after the first f is asked where
// all minima meet.
type Axes struct {
	f      objective.Objective
	x      []float64 // where all lines meet
	fx     float64
	Lines  []Line
	rounds int
	gained int // the last round that led lower
	bounds objective.Box

	// Abreast is how many points at the same time cost no more than one. With more than one for each line, where minima meet is
	// asked with the next round, and a round has as many points of each line as there is room for: one where a parabola is
	// least, and the others elsewhere.
	Abreast int
}

// A Line has values along an axis, in order: At are the coordinates, and Values by how much f is above f(x).
type Line struct {
	At, Values []float64
	failed     []float64  // where f fails
	steps      [2]float64 // how far the last two refinements went, the older one first
}

// NewAxes is a search along lines through x, where f is fx. Nothing is asked yet.
func NewAxes(f objective.Objective, x []float64, fx float64, bounds objective.Box) *Axes {
	a := &Axes{f: f, bounds: bounds, x: slices.Clone(x), fx: fx, Lines: make([]Line, len(x))}
	for i, v := range x {
		a.Lines[i] = Line{At: []float64{v}, Values: []float64{0}, steps: [2]float64{math.Inf(1), math.Inf(1)}}
	}
	return a
}

// Search goes on within a box, which has to be finite, until as many rounds as it took to come there, from the first Search on, have
// gained nothing: what it spends at the end is no more than what led there. Called again, it goes on for as many rounds as before
// at least.
func (a *Axes) Search(ctx context.Context, box objective.Box) error {
	d := len(a.x)
	if a.rounds == 0 {
		if err := a.ask(ctx, nil, gridSize*d, func(k int) (int, float64) {
			i, part := k%d, float64(k/d)/(gridSize-1)
			return i, box.Lo[i] + float64((box.Hi[i]-box.Lo[i])*part)
		}); err != nil {
			return err
		}
	}
	each := max(1, (a.Abreast-1)/d)
	for a.gained = max(a.rounds, gridSize); a.rounds < 2*a.gained; {
		next := make([][]float64, d)
		for i := range a.Lines {
			next[i] = a.Lines[i].several(each, a.rounds%2 == 0, [2]float64{a.bounds.Lo[i], a.bounds.Hi[i]})
		}
		var meeting []float64
		if a.Abreast > d {
			meeting = a.Best()
		}
		if err := a.ask(ctx, meeting, each*d, func(k int) (int, float64) { return k % d, next[k%d][k/d] }); err != nil {
			return err
		}
		if a.rounds++; meeting == nil || a.rounds == 2*a.gained {
			if err := a.ask(ctx, a.Best(), 0, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet takes notice of f where all minima meet. If that is lower, lines go through there from then on: values along them are
// differences, so that what is known stays true, and what is rounded becomes less.
func (a *Axes) meet(x []float64, fx float64) {
	if !(fx < a.fx) || math.IsInf(fx, -1) {
		return
	}
	a.x, a.fx, a.gained = x, fx, max(a.rounds, a.gained)
	for i := range a.Lines {
		l := &a.Lines[i]
		at, _ := slices.BinarySearch(l.At, x[i])
		here := l.Values[at]
		for k := range l.Values {
			l.Values[k] -= here
		}
	}
}

// Best is where all minima meet.
func (a *Axes) Best() []float64 {
	best := make([]float64, len(a.x))
	for i, l := range a.Lines {
		best[i] = l.At[l.least()]
	}
	return best
}

// ask asks for n points, each of which lies on a line, and where all minima meet; nil: not there.
func (a *Axes) ask(ctx context.Context, meeting []float64, n int, at func(k int) (axis int, t float64)) error {
	before := 0
	if meeting != nil {
		before = 1
	}
	values, err := query.Ask(ctx, a.f, before+n, func(k int, row []float64) {
		if k < before {
			copy(row, meeting)
			return
		}
		copy(row, a.x)
		i, t := at(k - before)
		row[i] = t
	})
	if err != nil {
		return err
	}
	for k, v := range values[before:] {
		i, t := at(k)
		if l := &a.Lines[i]; kernel.Finite(v) {
			l.add(t, v-a.fx)
		} else {
			l.failed = append(l.failed, t)
		}
	}
	if meeting != nil {
		a.meet(meeting, values[0])
	}
	return nil
}

// add puts a value in its place.
func (l *Line) add(t, v float64) {
	if k, same := slices.BinarySearch(l.At, t); !same {
		l.At, l.Values = slices.Insert(l.At, k, t), slices.Insert(l.Values, k, v)
	}
}

// least is the place of the least value.
func (l *Line) least() int {
	best := 0
	for k, v := range l.Values {
		if v < l.Values[best] {
			best = k
		}
	}
	return best
}

// several are n points to ask next: of several the first is near the best point, and each is chosen as if f at those before were no lower
// than around them.
func (l *Line) several(n int, refine bool, bounds [2]float64) []float64 {
	if n == 1 {
		return []float64{l.next(refine, bounds)}
	}
	guess, all := *l, make([]float64, n)
	guess.At, guess.Values = slices.Clone(l.At), slices.Clone(l.Values)
	for k := range all {
		t := guess.next(k == 0, bounds)
		at, _ := slices.BinarySearch(guess.At, t)
		guess.add(t, max(guess.Values[max(at-1, 0)], guess.Values[min(at, len(guess.Values)-1)]))
		all[k] = t
	}
	l.steps = guess.steps
	return all
}

// next is where to ask next: near the best point, if that is wanted and tells something, or elsewhere; where f fails, nearer to a
// point at which it does not.
func (l *Line) next(refine bool, bounds [2]float64) float64 {
	t, ok := 0.0, false
	if refine {
		t, ok = l.parabola()
	}
	if !ok {
		t = l.elsewhere(bounds)
	}
	for slices.Contains(l.failed, t) {
		near := l.At[0]
		for _, known := range l.At {
			if math.Abs(known-t) < math.Abs(near-t) {
				near = known
			}
		}
		t += float64((near - t) / 2)
	}
	return t
}

// parabola is where that of the best point and its neighbours is least. It is not ok if they are as close
// together as makes sense.
func (l *Line) parabola() (float64, bool) {
	k, width := l.least(), l.At[len(l.At)-1]-l.At[0]
	if k == 0 || k == len(l.At)-1 || l.At[k+1]-l.At[k-1] < 128*near*width {
		return 0, false
	}
	a, b, c := l.At[k-1], l.At[k], l.At[k+1]
	p, q, r := l.Values[k-1], l.Values[k], l.Values[k+1]
	right, left := float64((b-a)*(q-r)), float64((b-c)*(q-p))
	t := b - float64((float64((b-a)*right)-float64((b-c)*left))/2)/(right-left)
	if close := float64(near * width); !(t > a+close && t < c-close) || math.Abs(t-b) < close || !(math.Abs(t-b) < l.steps[0]/2) {
		t = b + float64((c-b)/2) // into the larger of the two intervals
		if b-a > c-b {
			t = a + float64((b-a)/2)
		}
	}
	l.steps = [2]float64{l.steps[1], math.Abs(t - b)}
	return t, true
}

// elsewhere is the middle of the interval in which the least curvature would hide something lower,
//
//	(√(v_k − v) + √(v_k+1 − v))/(t_k+1 − t_k),   v a little below the least value.
func (l *Line) elsewhere(bounds [2]float64) float64 {
	least, most := l.Values[l.least()], slices.Max(l.Values)
	if !(most > least) {
		most = least + 1
	}
	root := func(v float64) float64 { return math.Sqrt((v-least)/(most-least) + alike) } // no unit of f
	best, at := math.Inf(1), l.At[0]
	if t, ok := l.beyond(bounds); ok {
		return t
	}
	for k := range len(l.At) - 1 {
		hidden := (root(l.Values[k]) + root(l.Values[k+1])) / (l.At[k+1] - l.At[k])
		if hidden < best {
			best, at = hidden, l.At[k]+float64((l.At[k+1]-l.At[k])/2)
		}
	}
	return at
}

// beyond is where to ask next outside of all points, if the least value is nearer to an end of them than an
// eighth of their width.
func (l *Line) beyond(bounds [2]float64) (float64, bool) {
	n := len(l.At) - 1
	step, best := float64((l.At[n]-l.At[0])/(gridSize-1)), l.At[l.least()]
	if to := max(l.At[0]-step, bounds[0]); best-l.At[0] < step && to < l.At[0] {
		return to, true
	}
	if to := min(l.At[n]+step, bounds[1]); l.At[n]-best < step && to > l.At[n] {
		return to, true
	}
	return 0, false
}
