package auto

import "math"

// An average has the mean and the variance of values (B. Welford's sums). Queries that have
// failed are counted and left out: a simulator may crash by chance.
type average struct {
	n, failed int     // values, and queries that have failed
	first     float64 // the first value,
	before    int     // before which so many queries have failed
	middle    float64 // the mean of the values
	residual  float64 // Σ(v − middle)²
}

// add takes notice of a value; an infinite one has failed.
func (s *average) add(v float64) {
	if math.IsInf(v, 0) {
		s.failed++
		return
	}
	if s.n++; s.n == 1 {
		s.first, s.before = v, s.failed
	}
	delta := v - s.middle
	s.middle += delta / float64(s.n)
	s.residual += float64(delta * (v - s.middle))
}

// join takes notice of all values of another (T. Chan, G. Golub and R. LeVeque, 1979).
func (s *average) join(t average) {
	if s.n == 0 || t.n == 0 {
		if s.n == 0 {
			t.before += s.failed
			t, *s = *s, t
		}
		s.failed += t.failed
		return
	}
	delta, n := t.middle-s.middle, float64(s.n+t.n)
	s.residual += t.residual + float64(delta*delta*float64(s.n)*float64(t.n)/n)
	s.middle += float64(delta * float64(t.n) / n)
	s.n, s.failed = s.n+t.n, s.failed+t.failed
}

// mean is that of the values; +∞ if more than half of the queries have failed.
func (s *average) mean() float64 {
	if s.n == 0 || s.failed > s.n {
		return math.Inf(1)
	}
	return s.middle
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
