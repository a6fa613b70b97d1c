package model

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
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

// wrong returns a frame whose E has the standard deviation e.
func (tr truth) wrong(e float64) *Frame {
	m := tr.s.dim()
	z := make([]float64, m*m)
	tr.s.random.Norm(z)
	return tr.frame.corrected(off(m, func(i, j int) float64 { return e * z[i*m+j] }))
}

// chi returns the median of χ² = R²/s² over all pairs of looks at 20 points, along a frame that is
// off by e.
func (tr truth) chi(t *testing.T, k *kind, step, e float64) float64 {
	t.Helper()
	m := tr.s.dim()
	same := off(m, func(int, int) float64 { return e })
	not := uncertainty{sd: same, eff: same, ell: make([]float64, m)}
	steps, eps := make([]float64, m), make([]float64, m)
	for i := range steps {
		not.ell[i] = tr.l.length() / 1.5
		steps[i], eps[i] = step, min(math.Cbrt(3*tr.s.sigma*not.ell[i]), not.ell[i]/3)
	}
	var all []float64
	for range 20 {
		f := tr.wrong(e)
		l := &Look{kind: k, x: tr.s.point(), steps: scaledRows(f.U, steps), tau: tr.l.tau(k, step), h: steps, eps: eps, ends: scaledRows(f.U, eps)}
		if err := tr.s.look(l); err != nil {
			t.Fatal(err)
		}
		q := equationOf(l.measure(tr.s, tr.theta), l, tr.frame, not)
		eachPair(m, func(i, j, _ int) { all = append(all, square(q.r.At(i, j))/q.s2.At(i, j)) })
	}
	return median(all)
}

// At the true frame what a look leaves is noise, and as large as it says, for every kind of look,
// with and without a map, at every step: the median of χ² with one degree of freedom is 0.45. Noise
// in f(x) is in all pairs, so that twenty looks scatter.
func TestLooksAtTheTrueFrameLeaveNoise(t *testing.T) {
	for _, name := range flags.Sample([]string{"rastrigin", "rastrigin-like", "levy", "styblinski-tang", "log-cosh", "microring"}, 3) {
		for _, under := range []string{"", "log"} {
			tr := newTruth(t, name, under, 1e-8)
			for _, k := range append([]*kind{long}, shortKinds...) {
				for step := tr.l.length() / 2; step > tr.l.length()/100; step /= rungFactor {
					if chi := tr.chi(t, k, step, 0); !(chi > 0.2 && chi < 0.9) {
						t.Errorf("%s %s, %s, step %.1e of %.1e: χ² is %.2g", name, under, k.name, step, tr.l.length(), chi)
					}
				}
			}
		}
	}
}

// Along a frame that is a little off truncation adds no more than looks say.
func TestTruncationIsNotMoreThanLooksSay(t *testing.T) {
	for _, name := range flags.Sample([]string{"rastrigin", "rastrigin-like", "levy", "styblinski-tang"}, 2) {
		for _, sigma := range []float64{0, 1e-8} {
			tr := newTruth(t, name, "", sigma)
			for _, k := range append([]*kind{long}, shortKinds...) {
				for step := tr.l.length() / 2; step > 1e-5; step /= rungFactor {
					if chi := tr.chi(t, k, step, 1e-3); !(chi < 1) {
						t.Errorf("%s, σ = %g, %s, step %.1e of %.1e: χ² is %.2g", name, sigma, k.name, step, tr.l.length(), chi)
					}
				}
			}
		}
	}
}
