package identify

import (
	"errors"
	"math"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A proposal is a chart with the evidence for it.
type proposal struct {
	chart *chart
	check check
	joint *Joint // nil: made from one Hessian
}

// A road leads to a frame. It keeps the best proposal so far.
type road struct {
	*surveyor
	tolerance float64
	budget    int                       // 0: enough
	pause     func(*mat.SymDense) error // nil: none
	stage     func(name string)
	best      *proposal
	slack     float64 // the error that the frame may have for its certificate
	strikes   int     // proposals that looked usable and were not
	seen      basis   // the last Hessians, for the record
	smaller   *span   // what to survey instead, with errSmaller
	finding   *Finding
}

// offer checks a chart at some points and keeps it if it is typically better
// than the best.
func (r *road) offer(c *chart, j *Joint, points int) (*proposal, error) {
	k, err := r.check(c, points)
	if err != nil {
		return nil, err
	}
	p := &proposal{c, k, j}
	if r.best == nil || k.typical() <= r.best.check.typical() {
		r.best = p
	}
	return p, nil
}

// find proposes a frame, given directions that one Hessian at a point has
// whitened: from that Hessian, then from some by forward differences and, where
// these do not serve, from more and more by symmetric ones. It returns the
// first that can be polished, nil if none can.
func (r *road) find(white basis, points [][]float64) (*proposal, error) {
	p, err := r.quadratic(&white, points)
	if p != nil || err != nil {
		return p, err
	}
	if m, d := white.t.Dims(); m == d && r.budget > 0 && r.budget < Least(d) {
		return nil, ErrDear
	}
	for _, stage := range []func(*basis) (*proposal, error){r.forward, r.symmetric} {
		if p, err := stage(&white); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// quadratic proposes the frame in which one Hessian is diagonal: enough if the
// Hessian is the same everywhere. If that is nearly so it is done again, with a
// Hessian along the directions so found, which are better each time.
func (r *road) quadratic(white *basis, points [][]float64) (*proposal, error) {
	m := len(white.lambda)
	for again := 0; ; again++ {
		lambda := mat.NewDense(1, m, nil)
		for i := range m {
			lambda.Set(0, i, white.seen[0].At(i, i))
		}
		r.seen = *white
		chart := r.chart(eye(m), lambda, *white, points)
		if chart == nil {
			return nil, nil
		}
		p, err := r.offer(chart, nil, 1)
		switch {
		case err != nil:
			return nil, err
		case p.check.worst() <= defaultTolerance: // nothing to refine
			r.finding.Quadratic, err = r.sameEverywhere(chart)
			return p, err
		case p.check.typical() > nearly || again == 3:
			return nil, nil
		}
		white.seen = nil // a Hessian along worse directions would spoil it
		c, err := r.newChain(hessian.Forward, *white)
		if err != nil {
			return nil, err
		}
		if err := r.extend(c, 1); err != nil {
			return nil, err
		}
		if *white, err = c.base.whitened(); err != nil {
			return nil, err
		}
		points = c.points
	}
}

// sameEverywhere reports whether f has the same Hessian at other points: there
// its second difference along Σ h_i u_i is Σ f_i″ h_i², f_i″ as it was seen. (A
// frame from one Hessian may be right for another reason: W may be orthogonal.)
func (r *road) sameEverywhere(c *chart) (bool, error) {
	seen := c.sightings[len(c.sightings)-1].lambda
	for range looks {
		x, err := r.point()
		if err != nil {
			return false, err
		}
		v, want, size := make([]float64, len(x)), 0.0, 0.0
		for i, h := range r.steps(c, x) {
			kernel.AddScaled(v, h, c.u.RawRowView(i))
			want += float64(seen[i] * h * h)
			size += float64(math.Abs(seen[i]) * h * h)
		}
		t := min(1, r.room(x, v))
		f, err := r.ask(3, func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, t*float64(k-1), v)
		})
		if err != nil {
			return false, err
		}
		if got := (f[2] - f[1]) + (f[0] - f[1]); !(math.Abs(got-float64(t*t*want)) <= 1e-3*t*t*size) {
			return false, nil
		}
	}
	return true, nil
}

// diagonalise proposes the frame that diagonalises n Hessians of a chain; nil if
// they are singular.
func (r *road) diagonalise(c *chain, n int) (*proposal, error) {
	if err := r.extend(c, n); err != nil {
		return nil, err
	}
	r.seen = c.base
	r.seen.seen = c.hessian
	j, err := Diagonalise(c.hessian, r.stream)
	if errors.Is(err, ErrSingular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	chart := r.chart(j.W, j.Lambda, c.base, c.points)
	if chart == nil {
		return nil, nil
	}
	return r.offer(chart, j, min(n-1, 2)) // two Hessians prove nothing yet
}

// forward proposes frames from two and three Hessians by forward differences,
// and whitens the directions by them if they do not serve.
func (r *road) forward(white *basis) (*proposal, error) {
	c, err := r.newChain(hessian.Forward, *white)
	if err != nil {
		return nil, err
	}
	if hopeless, err := r.hopeless(c, white); hopeless || err != nil {
		return nil, err
	}
	for n := 2; n <= 3; n++ {
		p, err := r.diagonalise(c, n)
		switch {
		case err != nil:
			return nil, err
		case p == nil:
		case p.check.worst() <= defaultTolerance: // nothing to refine
			return p, nil
		case n == 3 && p.check.usable():
			if err := r.hesitate(p, white); err != nil {
				return nil, err
			}
			if p, err := r.settle(p); p != nil || err != nil {
				return p, err
			}
		case p.check.typical() > coarse:
			n = 3 // another would not help
		}
	}
	if *white, err = c.base.whitened(); err != nil {
		return nil, err
	}
	return nil, r.interrupt(white)
}

// symmetric proposes frames from three to eight Hessians by symmetric
// differences, and looks for blocks from five on: joint diagonalisation does not
// find them from fewer.
func (r *road) symmetric(white *basis) (*proposal, error) {
	c, err := r.newChain(hessian.Symmetric, *white)
	if err != nil {
		return nil, err
	}
	m, _ := white.t.Dims()
	for _, n := range []int{3, 4, 5, 6, 8} {
		if r.lost() {
			break
		}
		p, err := r.diagonalise(c, n)
		if err != nil {
			return nil, err
		}
		if p != nil && p.check.usable() {
			if p, err := r.settle(p); p != nil || err != nil {
				return p, err
			}
		}
		if n == 3 {
			if err := r.reconsider(c); err != nil {
				return nil, err
			}
			if err := r.interrupt(white); err != nil {
				return nil, err
			}
		}
		if p == nil || n < 5 || r.lost() {
			continue
		}
		most := max(4, m/8)
		if n == 8 {
			most = m - 1 // large blocks are believed if all else fails
		}
		if p, err = r.regroup(p, most); err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		if p, err = r.settle(p); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// reconsider looks once more for signs of fewer components than dimensions, in
// Hessians that are more exact than the first. If it finds the span the error is
// errSmaller.
func (r *road) reconsider(c *chain) error {
	b := c.base
	b.seen = c.hessian
	m, d := b.t.Dims()
	white, err := b.whitened()
	if m < d || err != nil {
		return nil
	}
	if r.smaller, err = r.suspect(c, white, max(2, d/10), 0.03); r.smaller != nil && err == nil {
		return errSmaller
	}
	return err
}

// errSmaller says that road.smaller is to be surveyed instead.
var errSmaller = errors.New("identify: f depends on fewer directions")

const (
	nearly = 1e-2 // the typical error that makes f nearly quadratic
	coarse = 0.1  // the typical error from which on forward differences do not serve
	apart  = 0.02 // the error up to which blocks are apart
)

// usable reports whether refinement can start from here: most blocks are nearly
// apart, and none is wildly off.
func (k check) usable() bool {
	return k.typical() <= 0.02 && k.quantile(0.9) <= 0.1 && k.quantile(1) <= 30
}
