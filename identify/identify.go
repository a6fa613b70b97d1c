package identify

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Survey finds the frame of a function by joint diagonalisation and large-step
// refinement, and certifies it. It is the road to take; Paper is there for
// comparison.
//
// First it looks whether f has few components (few), and if so finds their span
// from gradients (span); all that follows is in m dimensions. Then a frame is
// proposed (find) from more and more Hessians: one is enough for a quadratic,
// three by forward differences for most functions, three by symmetric ones
// where curvatures are of very different size, five or more for blocks. The
// first Hessian whitens the directions along which the others are taken, so that
// the condition of W does not matter. Last the frame is refined by large steps
// at points composed so that no component is flat (polish), blocks that couple
// are joined and others split, and the result is certified.
//
// What decides at every stage is a check, which tests each component against all
// others at once for 4m + 4 queries.
//
// For the problems of the paper at d = 100 it takes 35,000 to 70,000 queries,
// 12,000 for a quadratic, and half a second. Where f does not separate it gives
// up after about 9d² queries.
type Survey struct {
	// Box is where to sample: points are drawn in the middle of it, two fifths
	// as wide, and composed points may lie anywhere.
	Box objective.Box
	// Bounds limit what is asked. Sides may be infinite.
	Bounds objective.Box
	// Tolerance is the error E of a frame that is small enough; 0: 1e-7.
	Tolerance float64
	// Stage, if not nil, is told what is being done from now on, in a word.
	Stage func(name string)
}

// middle is the part of the box in which points are drawn. In the middle there
// is room for steps; and where curvature grows outwards, as that of a
// polynomial, components differ less in size there.
const middle = 0.4

// defaultTolerance is below what searches need, and far above rounding.
const defaultTolerance = 1e-7

// A Finding is what a survey has found.
type Finding struct {
	Frame  *frame.Frame // m×d; nil: f is constant
	Blocks [][]int      // of components, ascending
	// Linear is the component in which f is linear, orthogonal to the others;
	// -1: none.
	Linear int
	// Quadratic says that one Hessian was enough: any conjugate basis separates
	// f then, and Frame is one of many.
	Quadratic   bool
	Certificate Certificate

	// Residual is the largest error of a component that the last check found:
	// how much of E may be left.
	Residual float64
	// Spectrum are the absolute eigenvalues of the first Hessian, descending.
	Spectrum []float64
	// Before and After are the couplings |H_ij|/√|H_ii H_jj| of sampled
	// Hessians, in the coordinates in which they were sampled first and in the
	// frame.
	Before, After *mat.Dense
}

// Identify surveys f. Random numbers come from the stream ("identify",
// "survey"). If f ends the survey by an error, a spent budget for one, what has
// been found so far comes with the error: the Finding is never nil, and its
// Frame is nil if there was none yet.
//
// That f is constant is an error, ErrConstant, and so is ErrNotFinite.
func (s Survey) Identify(ctx context.Context, f objective.Objective, seed rng.Seed) (*Finding, error) {
	r := &road{
		surveyor: &surveyor{
			ctx: ctx, f: f, bounds: s.Bounds, reach: 1,
			inner:  hessian.Box{Box: inner(s.Box)},
			stream: seed.Stream("identify", "survey"),
		},
		tolerance: s.Tolerance,
		stage:     s.Stage,
		finding:   &Finding{Linear: -1, Certificate: Certificate{Verdict: Unknown}},
	}
	if r.tolerance == 0 {
		r.tolerance = defaultTolerance
	}
	if r.stage == nil {
		r.stage = func(string) {}
	}
	err := r.run()
	if err != nil && r.finding.Frame == nil && r.best != nil {
		r.finding.Frame, r.finding.Blocks = r.best.chart.frame, r.best.chart.blocks
		r.finding.Residual = r.best.check.worst()
	}
	return r.finding, err
}

// inner returns the middle of a box.
func inner(box objective.Box) objective.Box {
	in := objective.Cube(len(box.Lo), 0, 0)
	for i := range box.Lo {
		half := (box.Hi[i] - box.Lo[i]) / 2
		in.Lo[i], in.Hi[i] = box.Lo[i]+float64((1-middle)*half), box.Hi[i]-float64((1-middle)*half)
	}
	return in
}

// run goes the whole road.
func (r *road) run() error {
	d := r.f.Dim()
	if d == 1 {
		return r.conclude(frame.Identity(1), singles(1))
	}
	r.stage("reduction")
	n, err := r.few()
	if err != nil {
		return err
	}
	if n > 0 {
		s, err := r.span(n - 1)
		if err != nil {
			return err
		}
		if s != nil {
			return r.survey(s)
		}
	}
	return r.survey(&span{curved: eye(d)})
}

// survey finds and certifies a frame of a span. If that is all of space but f
// turns out not to need it, it finds the span first.
func (r *road) survey(s *span) error {
	if s.curved == nil {
		return r.assemble(s, nil, nil)
	}
	r.stage("hessians")
	first, err := r.newChain(hessian.Forward, basis{t: s.curved, dual: s.curved})
	if err != nil {
		return err
	}
	if err := r.extend(first, 1); err != nil {
		return err
	}
	white := first.base.whitened()
	r.finding.Spectrum = reversed(white.lambda)
	r.finding.Before = couplings(first.hessian)
	if s.curved.RawMatrix().Rows == r.f.Dim() {
		smaller, err := r.suspect(first, white)
		if err != nil {
			return err
		}
		if smaller != nil {
			return r.survey(smaller)
		}
	}
	p, err := r.find(white, first.points)
	if err != nil {
		return err
	}
	if p == nil {
		if p = r.best; p == nil {
			return ErrSingular
		}
	}
	f, blocks, err := r.prune(p.chart)
	if err != nil {
		return err
	}
	if err := r.assemble(s, f, blocks); err != nil {
		return err
	}
	r.finding.Residual = p.check.worst()
	return nil
}

// suspect looks for signs that f has fewer components than dimensions in the
// first Hessian: a gap in its spectrum, and flatness beyond it. If there are
// any it returns the span, nil if there is no smaller one.
func (r *road) suspect(first *chain, white basis) (*span, error) {
	d := len(white.lambda)
	top := white.lambda[d-1]
	if !(top*square(first.step) > 0x1p-44*math.Abs(first.value)) { // no curvature at all
		r.stage("reduction")
		return r.span(d)
	}
	null, widest := 0, 10.0
	for k := max(2, d/10); k < d; k++ {
		if gap := white.lambda[k] / max(white.lambda[k-1], 1e-13*top); gap > widest {
			null, widest = k, gap
		}
	}
	if null == 0 {
		return nil, nil
	}
	v, mix := make([]float64, d), make([]float64, null)
	r.stream.Norm(mix)
	for i, a := range mix {
		u := white.t.RawRowView(i)
		kernel.AddScaled(v, a/floats.Norm(u, 2), u)
	}
	flat, err := r.flat(first.points[0], v, 0.03)
	if !flat || err != nil {
		return nil, err
	}
	r.stage("reduction")
	return r.span(d - null + 2)
}

// prune returns the frame and the blocks of a chart without components on which
// f does not depend, and takes notice of one in which it is linear. Only those
// that hardly curve beside the others are suspected.
func (r *road) prune(c *chart) (*frame.Frame, [][]int, error) {
	latest := c.latest()
	sorted := slices.Sorted(slices.Values(latest))
	median := sorted[len(sorted)/2]
	drop := map[int]bool{}
	for _, block := range c.blocks {
		if i := block[0]; len(block) == 1 && latest[i] < 1e-2*median {
			first, second, err := r.move(c, i)
			if err != nil {
				return nil, nil, err
			}
			// Others, of curvature median, change f by about median·spread².
			if usual := median * square(c.spread[i]); second <= 1e-5*usual {
				if first <= 1e-5*usual {
					drop[i] = true
				} else {
					r.finding.Linear = i
				}
			}
		}
	}
	if len(drop) == 0 || len(drop) == len(c.spread) {
		return c.frame, c.blocks, nil
	}
	return without(c, drop)
}

// move returns the largest first and second difference of f along a component,
// over its spread, at some points.
func (r *road) move(c *chart, i int) (first, second float64, err error) {
	for range looks {
		x, u := r.point(), c.u.RawRowView(i)
		t := min(c.spread[i], r.room(x, u))
		v, err := r.ask(3, func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, t*float64(k-1), u)
		})
		if err != nil {
			return 0, 0, err
		}
		first = max(first, math.Abs(v[2]-v[1]), math.Abs(v[0]-v[1]))
		second = max(second, math.Abs((v[2]-v[1])+(v[0]-v[1])))
	}
	return first, second, nil
}

// without returns the frame and the blocks of a chart without some components.
func without(c *chart, drop map[int]bool) (*frame.Frame, [][]int, error) {
	var rows []float64
	var blocks [][]int
	n := 0
	place := map[int]int{}
	for i := range c.spread {
		if !drop[i] {
			rows = append(rows, c.frame.Matrix().RawRowView(i)...)
			place[i] = n
			n++
		}
	}
	for _, block := range c.blocks {
		if drop[block[0]] {
			continue
		}
		var to []int
		for _, i := range block {
			to = append(to, place[i])
		}
		blocks = append(blocks, to)
	}
	f, err := frame.New(mat.NewDense(n, c.frame.Dim(), rows))
	return f, blocks, err
}

// assemble puts the frame of the curved directions and the linear one together,
// and certifies them.
func (r *road) assemble(s *span, f *frame.Frame, blocks [][]int) error {
	if s.linear != nil {
		m := 0
		if f != nil {
			m = f.Components()
		}
		rows := mat.NewDense(m+1, len(s.linear), nil)
		if f != nil {
			rows.Slice(0, m, 0, len(s.linear)).(*mat.Dense).Copy(f.Matrix())
		}
		rows.SetRow(m, s.linear)
		var err error
		if f, err = frame.New(rows); err != nil {
			return err
		}
		blocks = append(blocks, []int{m})
		r.finding.Linear = m
	}
	return r.conclude(f, blocks)
}

// conclude certifies a frame.
func (r *road) conclude(f *frame.Frame, blocks [][]int) error {
	r.stage("certificate")
	r.finding.Frame, r.finding.Blocks = f, blocks
	if len(r.seen.seen) > 0 {
		r.finding.After = r.seen.inFrame(f)
	}
	var err error
	r.finding.Certificate, err = r.certify(f, blocks)
	return err
}

// couplings returns rms_k |H_ij|/√|H_ii H_jj|, 0 on the diagonal.
func couplings(hessians []*mat.Dense) *mat.Dense {
	m, _ := hessians[0].Dims()
	c := mat.NewDense(m, m, nil)
	for _, h := range hessians {
		for i := range m {
			for j := range m {
				if unit := math.Abs(h.At(i, i) * h.At(j, j)); i != j && unit > 0 {
					c.Set(i, j, c.At(i, j)+square(h.At(i, j))/unit)
				}
			}
		}
	}
	c.Apply(func(_, _ int, v float64) float64 { return math.Sqrt(v / float64(len(hessians))) }, c)
	return c
}

// reversed returns x in reverse order.
func reversed(x []float64) []float64 {
	x = slices.Clone(x)
	slices.Reverse(x)
	return x
}
