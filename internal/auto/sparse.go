package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// sparseHessians is how many Hessians make coordinates: two would do, and each more halves what differences have wrong.
const sparseHessians = 3

// mostRows is up to how many dimensions coordinates are computed from sparse Hessians: joint
// diagonalisation takes the time and the memory of full matrices.
const mostRows = 1000

// sparsely finds coordinates from Hessians of which only the pairs are asked that interact,
//
//	H_ij = (f(x+hᵢ+hⱼ) + f(x−hᵢ−hⱼ) − f(x+hᵢ) − f(x−hᵢ) − f(x+hⱼ) − f(x−hⱼ) + 2f(x)) / 2h²,
//
// two queries for a pair and two for a variable. They are diagonalised together, those of a band in windows, and
// the frame is certified. It returns nil if it does not pass, if so many pairs cost no less than a survey, or if
// there are too many variables.
func (r *run) sparsely(ctx context.Context, of *interact.Found) (*identify.Finding, error) {
	d, pairs := r.f.Dim(), of.Pairs
	each := 2*len(pairs) + 2*d + 1
	if pairs == nil || d > mostRows || sparseHessians*each > min(identify.Least(d), r.task.Budget/third) {
		return nil, nil
	}
	r.f.stage(sparseStage)
	s := &sparse{f: r.f, pairs: pairs, box: objective.Cube(d, -1, 1), random: rng.Seed(r.task.Seed).Stream("auto", "sparse")}
	clampBox(s.box, r.task.Bounds)
	hessians, err := s.hessians(ctx)
	if err != nil || hessians == nil {
		return nil, err
	}
	rows := inWindows(hessians, of, s.random)
	if rows == nil {
		return nil, nil
	}
	w, err := frame.New(rows)
	if err != nil {
		return nil, nil // the rows of different windows are not independent
	}
	test := certify.Test{Bounds: r.task.Bounds, Slack: roughMost, Grain: r.f.grain, Seed: r.task.Seed}
	if c, err := test.Splits(ctx, r.f, w, nil); err != nil || c.Verdict != certify.Separable {
		return nil, err
	}
	found, err := r.certify(ctx, w, nil, roughMost)
	if err != nil || found.Certificate.Verdict != certify.Separable {
		return nil, err
	}
	r.learnt.Finding = found
	return found, nil
}

var sparseStage = objective.Stage{Name: "sparse hessians", Purpose: objective.ToFind}

// A sparse samples Hessians on a pattern, along single variables.
type sparse struct {
	f      *watched
	pairs  [][2]int
	box    objective.Box
	random *rng.Stream
}

// clampBox makes a box smaller, so that it is within bounds.
func clampBox(box, bounds objective.Box) {
	for k := range box.Lo {
		box.Lo[k], box.Hi[k] = max(box.Lo[k], bounds.Lo[k]), min(box.Hi[k], bounds.Hi[k])
	}
}

// hessians samples all Hessians; nil: f fails there.
func (s *sparse) hessians(ctx context.Context) (all []*mat.Dense, err error) {
	h, err := s.step(ctx)
	if err != nil || h == 0 {
		return nil, err
	}
	for range sparseHessians {
		m, err := s.hessian(ctx, s.point(), h)
		if err != nil || m == nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// point draws a point of the middle of the box.
func (s *sparse) point() []float64 {
	x := make([]float64, len(s.box.Lo))
	for k := range x {
		x[k] = s.box.Lo[k] + float64((s.box.Hi[k]-s.box.Lo[k])*(0.1+float64(0.8*s.random.Float64())))
	}
	return x
}

// The ladder of steps, from a tenth of the half-width of the box down, each half a decade shorter.
const (
	rungs    = 10
	longRung = 0.1
	ladders  = 9
)

// step returns the step at which second differences along single variables agree best with those of the next
// shorter and longer ones: the median of some variables; 0: there is none.
func (s *sparse) step(ctx context.Context) (float64, error) {
	h := make([]float64, rungs)
	for k := range h {
		h[k] = longRung * math.Pow(10, -float64(k)/2)
	}
	var best []float64
	for range ladders {
		x, i := s.point(), s.random.IntN(len(s.box.Lo))
		values, err := query.Ask(ctx, s.f, 2*rungs+1, func(k int, y []float64) {
			copy(y, x)
			if k > 0 {
				y[i] += float64(h[(k-1)/2] * [2]float64{1, -1}[k%2])
			}
		})
		if err != nil {
			return 0, err
		}
		second := make([]float64, rungs)
		for k := range second {
			second[k] = (values[2*k+1] + values[2*k+2] - float64(2*values[0])) / (h[k] * h[k])
		}
		least, at := math.Inf(1), 0.0
		for k := 1; k+1 < rungs; k++ {
			if gap := math.Abs(second[k]-second[k-1]) + math.Abs(second[k]-second[k+1]); gap < least {
				least, at = gap, h[k]
			}
		}
		best = append(best, at)
	}
	slices.Sort(best)
	return best[ladders/2], nil
}

// around asks for f at x, at steps h either way along single variables, and for each pair of them along both: either way, or one way
// only. It returns nil if f fails there.
func (s *sparse) around(ctx context.Context, x []float64, h float64, ways int) ([]float64, error) {
	d := len(x)
	values, err := query.Ask(ctx, s.f, 1+2*d+ways*len(s.pairs), func(k int, y []float64) {
		copy(y, x)
		step := float64(h * [2]float64{1, -1}[k%2])
		switch {
		case k == 0:
		case k <= 2*d:
			y[(k-1)/2] += step
		default:
			if ways == 1 {
				step = -h
			}
			p := s.pairs[(k-1-2*d)/ways]
			y[p[0]] += step
			y[p[1]] += step
		}
	})
	if slices.ContainsFunc(values, notFinite) {
		return nil, err
	}
	return values, err
}

// hessian samples one Hessian, in one batch; nil: f fails there.
func (s *sparse) hessian(ctx context.Context, x []float64, h float64) (*mat.Dense, error) {
	d := len(x)
	values, err := s.around(ctx, x, h, 2)
	if values == nil {
		return nil, err
	}
	twice := func(k int) float64 { return values[2*k+1] + values[2*k+2] - float64(2*values[0]) }
	m := mat.NewDense(d, d, nil)
	for k := range d {
		m.Set(k, k, twice(k)/(h*h))
	}
	for k, p := range s.pairs {
		v := (twice(d+k) - twice(p[0]) - twice(p[1])) / (2 * h * h)
		m.Set(p[0], p[1], v)
		m.Set(p[1], p[0], v)
	}
	return m, nil
}

// A window of a band has a core, whose rows are taken from it, and a margin on either side, in reaches of the
// band: rows that the window cuts off disturb those next to them, and that is forgotten towards the core.
const (
	coreReaches   = 4
	marginReaches = 6
)

// inWindows returns the W that diagonalises Hessians together: of a wide band row by row from windows, which takes
// a time linear in d, and otherwise at once; nil: there is none.
func inWindows(hessians []*mat.Dense, of *interact.Found, random objective.Random) *mat.Dense {
	d, _ := hessians[0].Dims()
	core, margin := coreReaches*of.Reach, marginReaches*of.Reach
	if of.Kind != interact.Band || 2*(core+2*margin) > d {
		return diagonalised(hessians, ranks.First(d), random)
	}
	w, row := mat.NewDense(d, d, nil), 0
	for lo := 0; lo < d; lo += core {
		hi := min(lo+core, d)
		variables, first := window(lo, hi, margin, d, of.Ring)
		part := diagonalised(hessians, variables, random)
		if part == nil {
			return nil
		}
		for j := range variables {
			own := part.RawRowView(j)
			if at := centre(own) - float64(first); !(at >= 0 && at < float64(hi-lo)) {
				continue
			}
			if row == d {
				return nil
			}
			for k, i := range variables {
				w.Set(row, i, own[k])
			}
			row++
		}
	}
	if row < d {
		return nil
	}
	return w
}

// window returns the variables from lo to hi with margins, and at which place lo is, less half a place.
func window(lo, hi, margin, d int, ring bool) (variables []int, first float64) {
	for i := lo - margin; i < hi+margin; i++ {
		switch {
		case i == lo:
			first = float64(len(variables)) - 0.5
			fallthrough
		case i >= 0 && i < d:
			variables = append(variables, i)
		case ring:
			variables = append(variables, (i+d)%d)
		}
	}
	return variables, first
}

// centre is where the entries of a row stand on average, weighted by their squares.
func centre(row []float64) float64 {
	sum, at := 0.0, 0.0
	for k, v := range row {
		sum += square(v)
		at += float64(float64(k) * square(v))
	}
	return at / sum
}

// diagonalised returns the W of what Hessians are for some variables; nil: there is none.
func diagonalised(hessians []*mat.Dense, variables []int, random objective.Random) *mat.Dense {
	n := len(variables)
	parts := make([]*mat.Dense, len(hessians))
	for k, h := range hessians {
		parts[k] = mat.NewDense(n, n, nil)
		for a, i := range variables {
			for b, j := range variables {
				parts[k].Set(a, b, h.At(i, j))
			}
		}
	}
	joint, err := jointdiag.Diagonalise(parts, random)
	if err != nil || math.IsNaN(joint.W.At(0, 0)) {
		return nil
	}
	return joint.W
}
