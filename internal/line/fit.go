package line

import (
	"cmp"
	"math"
	"slices"
)

// A fit is a parabola in a well of a noisy line, by least squares:
//
//	f ≈ a + b τ + c τ²/2,   τ = (t − centre)/half,   |τ| ≤ 1.
//
// Its lowest point is at τ = −b/c, and a − b²/2c there. That value has the variance
// σ² gᵀ(XᵀX)⁻¹g with g = (1, τ, τ²/2), where the rows of X are those g of all samples.
type fit struct {
	line         int
	centre, half float64
	asked        int     // how many points of its own it has
	well         sample  // the lowest point
	error        float64 // the standard deviation of its value
}

// The first fit has so many points of its own, and each of those after it, as often as again, twice as many.
const firstFit, again = 4, 3

// fitPart is the part of the window in which they are.
const fitPart = 0.9

// next returns where to look, at n places. No place comes twice: where noise does not change
// when a point is asked again, it does between two.
func (f *fit) next(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		_, part := math.Modf(float64((float64(f.asked) + 0.5) * math.Phi))
		all[i] = f.centre + float64(fitPart*f.half*(float64(2*part)-1))
		f.asked++
	}
	return all
}

// solve fits the parabola to what was seen in the window. Where it leaves more than noise the
// well is no parabola: then the window becomes smaller, and what it leaves is an error, too.
func (f *fit) solve(seen []sample, noise float64) {
	var m normal
	var within []sample // by τ
	for _, s := range seen {
		if tau := (s.t - f.centre) / f.half; math.Abs(tau) <= 1 && !math.IsInf(s.value, 0) {
			m.add(tau, s.value)
			within = append(within, sample{tau, s.value})
		}
	}
	a, ok := m.solve(m.xv)
	if !ok || !(a[2] > 0) { // no well: its mean
		f.well, f.error = sample{f.centre, m.mean()}, noise/math.Sqrt(max(1, m.xx[0][0]))
		return
	}
	of := func(tau float64) float64 { return a[0] + float64(tau*a[1]) + float64(tau*tau*a[2]/2) }
	tau := min(max(-a[1]/a[2], -1), 1)
	f.well = sample{f.centre + float64(tau*f.half), of(tau)}
	sum, free := 0.0, m.xx[0][0]-float64(len(a))
	for _, s := range within {
		sum += square(s.value - of(s.t))
	}
	more := 0.0 // the variance of what is left that is not noise
	if free > 0 && sum/free > noise*noise*(1+float64(confident*math.Sqrt(2/free))) {
		more = sum/free - float64(noise*noise)
		f.centre, f.half = f.well.t, f.half/2
	}
	f.error = math.Sqrt(float64(noise*noise*m.leverage(tau)) + more)
}

// confident is how many standard deviations a sum of squares is above that of noise to be more.
const confident = 3

func square(x float64) float64 { return float64(x * x) }

// surely is how many standard deviations two wells must differ by to be told apart.
const surely = 2.5

// fits fits parabolas to the wells that may be the deepest of their lines, and asks again
// for those that cannot be told from the deepest.
func (s *search) fits() error {
	all := s.windows()
	open := all
	for n := firstFit; len(open) > 0 && n <= firstFit<<again; n *= 2 {
		for _, f := range open {
			for _, t := range f.next(n) {
				s.queue = append(s.queue, Query{f.line, t})
			}
		}
		if err := s.ask(); err != nil {
			return err
		}
		for _, f := range open {
			f.solve(s.lines[f.line].seen, s.cfg.Noise)
		}
		open = s.undecided(all)
	}
	for j := range s.lines {
		of := slices.DeleteFunc(slices.Clone(all), func(f *fit) bool { return f.line != j })
		slices.SortStableFunc(of, func(a, b *fit) int { return cmp.Compare(a.well.value, b.well.value) })
		s.lines[j].fits = of
	}
	return nil
}

// unlikely is how many standard deviations a value is from the true one at most.
const unlikely = 4

// windows returns the wells that may be the deepest: as jobs, with noise. Wells that are less
// than the grid's width apart are one.
func (s *search) windows() []*fit {
	var all []*fit
	for j := range s.lines {
		l := &s.lines[j]
		bound := math.Inf(1)
		var of []*fit
		for _, k := range l.wells(len(l.seen)) {
			p, v := l.seen, l.vertex(k)
			gap, bottom := l.bottom(k)
			least := bottom - float64(unlikely*s.cfg.Noise)
			bound = min(bound, p[k].value+float64(unlikely*s.cfg.Noise))
			near := func(f *fit) bool { return math.Abs(f.centre-v.t) < l.r.Step }
			if len(of) < s.cfg.Wells && !slices.ContainsFunc(of, near) && (len(of) < 2 || least <= bound) {
				of = append(of, &fit{line: j, centre: min(max(v.t, p[k-1].t), p[k+1].t), half: min(gap, l.r.Step)})
			}
		}
		all = append(all, of...)
	}
	return all
}

// undecided returns the wells that cannot be told from the deepest of their line, and those.
func (s *search) undecided(all []*fit) []*fit {
	deepest := map[int]*fit{}
	for _, f := range all {
		if d := deepest[f.line]; d == nil || f.well.value < d.well.value {
			deepest[f.line] = f
		}
	}
	rivals := map[int]bool{}
	close := func(f *fit) bool {
		d := deepest[f.line]
		return f != d && f.well.value-d.well.value < surely*math.Hypot(f.error, d.error)
	}
	for _, f := range all {
		if close(f) {
			rivals[f.line] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(f *fit) bool {
		return !close(f) && !(f == deepest[f.line] && rivals[f.line])
	})
}

// normal has the normal equations XᵀX a = Xᵀv of a parabola, rows (1, τ, τ²/2).
type normal struct {
	xx [3][3]float64
	xv [3]float64
}

// row returns (1, τ, τ²/2).
func row(tau float64) [3]float64 { return [3]float64{1, tau, tau * tau / 2} }

// add takes notice of a value.
func (m *normal) add(tau, value float64) {
	x := row(tau)
	for i := range x {
		for k := range x {
			m.xx[i][k] += float64(x[i] * x[k])
		}
		m.xv[i] += float64(x[i] * value)
	}
}

// mean returns the mean of all values.
func (m *normal) mean() float64 { return m.xv[0] / m.xx[0][0] }

// solve returns y with XᵀX y = b, and false if there is none.
func (m *normal) solve(b [3]float64) ([3]float64, bool) {
	a := m.xx // LDLᵀ
	for k := range a {
		if !(a[k][k] > singular*m.xx[k][k]) {
			return b, false
		}
		for i := k + 1; i < len(a); i++ {
			l := a[i][k] / a[k][k]
			for j := k; j < len(a); j++ {
				a[i][j] -= float64(l * a[k][j])
			}
			b[i] -= float64(l * b[k])
		}
	}
	for k := len(a) - 1; k >= 0; k-- {
		for j := k + 1; j < len(a); j++ {
			b[k] -= float64(a[k][j] * b[j])
		}
		b[k] /= a[k][k]
	}
	return b, true
}

// singular is the pivot, as a part of its diagonal element, that is rounding.
const singular = 1e-9

// leverage returns gᵀ(XᵀX)⁻¹g for g = (1, τ, τ²/2): the variance of the fitted value at τ, in
// variances of one value.
func (m *normal) leverage(tau float64) float64 {
	g := row(tau)
	y, _ := m.solve(g)
	sum := 0.0
	for i := range g {
		sum += float64(g[i] * y[i])
	}
	return sum
}
