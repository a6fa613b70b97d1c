package model

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// A truth is a sampler of a problem, and the true frame with curvatures of 1.
type truth struct {
	s     *sampler
	frame *Frame
	theta Theta
	l     *ladder
}

// newTruth returns that of a problem with some noise, under a map or not.
func newTruth(t *testing.T, name, under string, sigma float64) truth {
	t.Helper()
	spec := problem.Spec{Name: name, Dim: 8, Seed: 3}
	spec.Noise, spec.Map = sigma, under
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	d := p.Dim()
	grain := objective.Rounding
	if sigma > 0 {
		clean := spec
		clean.Noise = 0
		values := make([]float64, 1000)
		c, _ := problem.New(clean)
		x, random := mat.NewDense(len(values), d, nil), rng.Seed(1).Stream("spread")
		box := c.Domain()
		for k := range values {
			box.Draw(x.RawRowView(k), random)
		}
		if err := c.Evaluate(t.Context(), x, values); err != nil {
			t.Fatal(err)
		}
		grain = objective.Known(sigma * spread(values))
	}
	s, err := newSampler(t.Context(), query.NewMeter(p, 1<<30), Request{Box: p.Domain(), Bounds: objective.Cube(d, math.Inf(-1), math.Inf(1)), Grain: grain, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	w := mat.DenseCopyOf(p.Frame().Matrix())
	w.Apply(func(_, k int, v float64) float64 { return v * s.half[k] }, w)
	out := truth{s: s, frame: frameOf(w)}
	if under == "log" { // ψ′ = e^{cz}, c = 1 for f in units of the map
		out.theta = Theta{Gamma: -s.unit}
	}
	u, err := even(s, out.frame.U, out.theta) // curvatures of about 1
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if u, err = even(s, u, out.theta); err != nil {
			t.Fatal(err)
		}
	}
	out.frame = along(u)
	if out.l, err = newLadder(s, out.frame, out.theta, 1, 8, true); err != nil {
		t.Fatal(err)
	}
	return out
}

func spread(x []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sum += square(v - mean)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// off returns a frame whose E has the standard deviation e.
func (tr truth) wrong(e float64) *Frame {
	m := tr.s.dim()
	z := make([]float64, m*m)
	tr.s.random.Norm(z)
	return tr.frame.corrected(off(m, func(i, j int) float64 { return e * z[i*m+j] }))
}

// chi returns the median of χ² = R²/s² over all pairs of looks at 20 points, along a frame that is
// off by e, and of 0.3|v|/s, the signal.
func (tr truth) chi(t *testing.T, k *kind, step, e float64) (chi, signal float64) {
	t.Helper()
	m := tr.s.dim()
	same := off(m, func(int, int) float64 { return e })
	not := uncertainty{sd: same, eff: same, ell: make([]float64, m)}
	for i := range not.ell {
		not.ell[i] = tr.l.length() / 1.5
	}
	var all, signals []float64
	for range 20 {
		f := tr.wrong(e)
		steps := make([]float64, m)
		eps := make([]float64, m)
		for i := range steps {
			steps[i], eps[i] = step, min(math.Cbrt(3*tr.s.sigma*not.ell[i]), not.ell[i]/3)
		}
		var l *Look
		var err error
		if k == long {
			l, err = tr.s.longLook(tr.s.point(), f.U, steps, eps)
		} else {
			l, err = tr.s.shortLook(k, tr.s.point(), scaledRows(f.U, steps), tr.l.tau(k, step))
		}
		if err != nil {
			t.Fatal(err)
		}
		q, ok := equationOf(l.measure(tr.s, tr.theta), l, tr.frame, not)
		if !ok {
			t.Fatal("singular")
		}
		eachPair(m, func(i, j, _ int) {
			all = append(all, square(q.r.At(i, j))/q.s2.At(i, j))
			signals = append(signals, prior*math.Abs(q.v.At(i, j))/math.Sqrt(q.s2.At(i, j)))
		})
	}
	return median(all), median(signals)
}

// At the true frame what a look leaves is as large as it says, for every kind of look, with and
// without a map, at every step at which an error of the frame can be seen.
func TestLooksAreAsExactAsTheySay(t *testing.T) {
	for _, name := range []string{"rastrigin", "rastrigin-like", "levy", "styblinski-tang", "different-powers", "microring"} {
		for _, under := range []string{"", "log"} {
			for _, sigma := range []float64{0, 1e-8} {
				tr := newTruth(t, name, under, sigma)
				for _, k := range append([]*kind{long}, shortKinds...) {
					for step := tr.l.length() / 2; step > 1e-6; step /= rungFactor {
						if k == long && step < tr.l.length()/8 {
							break
						}
						if chi, signal := tr.chi(t, k, step, 1e-3); signal > 3 {
							t.Logf("%s %s σ %g %s t %.1e: %.2g (signal %.1e)", name, under, sigma, k.name, step, chi, signal)
							if !(chi > 0.1 && chi < 2) {
								t.Errorf("%s %s, σ = %g, %s, step %.1e of %.1e: χ² is %.2g", name, under, sigma, k.name, step, tr.l.length(), chi)
							}
						}
					}
				}
			}
		}
	}
	_ = kernel.Dot
}
