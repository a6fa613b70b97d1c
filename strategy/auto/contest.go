package auto

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
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
	stream    *rng.Stream // for points next to each other; nil: the same point is asked
	left      int         // queries
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
	best.values = average{}
	c.finalists = c.finalists[:1]
	query := c.f.queries + 1
	if err := c.ask(ctx, min(last, c.left)); err != nil || math.IsInf(best.values.mean, 1) {
		return nil, err
	}
	s := best.values
	return &strategy.Chosen{Point: best.x, Value: s.first, Query: query, Mean: s.mean, Error: s.halfWidth()}, nil
}

// ask asks for every finalist so many times, in one batch. That f was low there by chance is
// not taken notice of.
func (c *contest) ask(ctx context.Context, each int) error {
	n, d := each*len(c.finalists), c.f.Dim()
	points, values := mat.NewDense(n, d, nil), make([]float64, n)
	away := make([]float64, d)
	for i := range n {
		row := points.RawRowView(i)
		copy(row, c.finalists[i/each].x)
		if c.stream != nil && i%each > 0 {
			c.stream.Norm(away)
			kernel.AddScaled(row, c.f.noise.beside, away)
		}
	}
	err := c.f.Objective.Evaluate(ctx, points, values)
	known := objective.Evaluated(values, err)
	c.f.queries += known
	c.left -= known
	if err != nil {
		return err
	}
	for i, v := range values {
		c.finalists[i/each].values.add(v)
	}
	return nil
}

// beside returns the random numbers for points next to each other; nil: f is another each
// time it is asked.
func (r *run) beside() *rng.Stream {
	if r.f.noise.beside == 0 {
		return nil
	}
	return rng.Seed(r.task.Seed).Stream("auto", "beside", r.f.queries)
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
