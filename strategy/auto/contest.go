package auto

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A contest chooses the best of some points of a noisy f. All are asked equally often, the
// worse half is dropped, and so on until one is left ("sequential halving": Z. Karnin,
// T. Koren and O. Somekh, "Almost optimal exploration in multi-armed bandits", 2013). Then
// that one is asked again, for its mean. What has chosen it does not count there: it was
// chosen because these values are low.
type contest struct {
	f         *watched
	left      int // queries
	finalists []*finalist
}

// A finalist is a point that may be the best.
type finalist struct {
	x      []float64
	values average
}

// report is the part of all queries that is asked at the point chosen.
const report = 1. / 3

// choose returns the point that is chosen; nil: f fails at all of them.
func (c *contest) choose(ctx context.Context) (*strategy.Chosen, error) {
	last := max(leastCompared, int(report*float64(c.left)))
	rounds := bits.Len(uint(max(len(c.finalists)-1, 0)))
	for round := rounds; round > 0 && len(c.finalists) > 1; round-- {
		each := (c.left - last) / (round * len(c.finalists))
		if each < 1 {
			c.finalists = c.finalists[:max(1, (c.left-last)/round)]
			each = 1
		}
		if c.left-last < len(c.finalists) {
			break
		}
		if err := c.ask(ctx, each); err != nil {
			return nil, err
		}
		c.finalists = slices.DeleteFunc(c.finalists, func(a *finalist) bool { return math.IsInf(a.values.mean, 1) })
		slices.SortStableFunc(c.finalists, func(a, b *finalist) int { return cmp.Compare(a.values.mean, b.values.mean) })
		c.finalists = c.finalists[:(len(c.finalists)+1)/2]
	}
	if len(c.finalists) == 0 {
		return nil, nil
	}
	best := c.finalists[0]
	for _, a := range c.finalists {
		dbg("finalist %.4g ± %.2g n %d", a.values.mean, a.values.halfWidth(), a.values.n)
	}
	best.values = average{}
	c.finalists = c.finalists[:1]
	query := c.f.queries + 1
	if err := c.ask(ctx, min(last, c.left)); err != nil || math.IsInf(best.values.mean, 1) {
		return nil, err
	}
	s := best.values
	return &strategy.Chosen{Point: best.x, Value: s.first, Query: query, Mean: s.mean, Error: s.halfWidth()}, nil
}

// ask asks for every finalist so many times, in one batch.
func (c *contest) ask(ctx context.Context, each int) error {
	var points [][]float64
	for _, a := range c.finalists {
		points = append(points, a.x)
	}
	before := c.f.queries
	seen, err := c.f.repeat(ctx, points, each)
	c.left -= c.f.queries - before
	for i := range seen {
		c.finalists[i].values.join(seen[i])
	}
	return err
}

// repeat asks for points so many times each, in one batch, or next to them where noise does
// not change when a point is asked again. That f was low there by chance is not taken notice
// of.
func (w *watched) repeat(ctx context.Context, points [][]float64, each int) ([]average, error) {
	n, d := each*len(points), w.Dim()
	rows, values := mat.NewDense(n, d, nil), make([]float64, n)
	away := make([]float64, d)
	for i := range n {
		row := rows.RawRowView(i)
		copy(row, points[i/each])
		if w.noise.beside > 0 && i%each > 0 {
			w.noise.stream.Norm(away)
			kernel.AddScaled(row, w.noise.beside, away)
		}
	}
	if err := w.before(ctx, n); err != nil {
		return nil, err
	}
	err := w.Objective.Evaluate(ctx, rows, values)
	known := objective.Evaluated(values, err)
	w.queries += known
	if w.noise.kind == objective.Raster { // it is not by chance
		w.best.OfferAll(rows, values[:known])
	}
	if err != nil {
		return nil, err
	}
	seen := make([]average, len(points))
	for i, v := range values {
		seen[i/each].add(v)
	}
	return seen, nil
}

// An average has the mean and the variance of values (B. Welford's sums).
type average struct {
	n              int
	first          float64
	mean, residual float64 // residual is Σ(v − mean)²
}

// add takes notice of a value.
func (s *average) add(v float64) {
	if s.n++; s.n == 1 {
		s.first = v
	}
	if math.IsInf(v, 0) || math.IsInf(s.mean, 0) {
		s.mean = max(v, s.mean) // it has failed
		return
	}
	delta := v - s.mean
	s.mean += delta / float64(s.n)
	s.residual += float64(delta * (v - s.mean))
}

// join takes notice of all values of another (T. Chan, G. Golub and R. LeVeque, 1979).
func (s *average) join(t average) {
	if s.n == 0 {
		*s = t
		return
	}
	if math.IsInf(t.mean, 0) || math.IsInf(s.mean, 0) {
		s.n, s.mean = s.n+t.n, max(s.mean, t.mean)
		return
	}
	delta, n := t.mean-s.mean, float64(s.n+t.n)
	s.residual += t.residual + float64(delta*delta*float64(s.n)*float64(t.n))/n
	s.mean += float64(delta*float64(t.n)) / n
	s.n += t.n
}

// variance is that of one value; +∞: not known.
func (s *average) variance() float64 {
	if s.n < 2 {
		return math.Inf(1)
	}
	return s.residual / float64(s.n-1)
}

// halfWidth is half of the interval around the mean that has the true one with a
// probability of 95 %: t √(variance/n), with Student's t of n − 1 degrees of freedom.
func (s *average) halfWidth() float64 {
	return student(s.n-1) * math.Sqrt(s.variance()/float64(s.n))
}

// normal is the 97.5 % quantile of N(0, 1).
const normal = 1.959963984540054

// student returns the 97.5 % quantile of Student's t with ν degrees of freedom, by the
// expansion in 1/ν around the normal one (R. A. Fisher and E. A. Cornish, 1960). It is exact
// to 1 % from three degrees on; with fewer it is from a table.
func student(nu int) float64 {
	switch {
	case nu < 1:
		return math.Inf(1)
	case nu < 3:
		return [...]float64{12.706204736, 4.302652730}[nu-1]
	}
	z, v := normal, 1/float64(nu)
	z2 := float64(z * z)
	a := z * (z2 + 1) / 4
	b := z * (float64((float64(5*z2)+16)*z2) + 3) / 96
	c := z * (float64((float64((float64(3*z2)+19)*z2)+17)*z2) - 15) / 384
	return z + float64(v*(a+float64(v*(b+float64(v*c)))))
}
