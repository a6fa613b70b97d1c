package line

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// naiveFit solves the least-squares problem of a parabola by gonum's QR, and inverts XᵀX.
func naiveFit(taus, values []float64) (coefficients []float64, inverse *mat.Dense) {
	x := mat.NewDense(len(taus), 3, nil)
	for i, t := range taus {
		x.SetRow(i, []float64{1, t, t * t / 2})
	}
	var a, xx mat.Dense
	if err := a.Solve(x, mat.NewDense(len(values), 1, values)); err != nil {
		panic(err)
	}
	xx.Mul(x.T(), x)
	inverse = &mat.Dense{}
	if err := inverse.Inverse(&xx); err != nil {
		panic(err)
	}
	return a.RawMatrix().Data, inverse
}

// The normal equations give the coefficients and the variance that a naive solution has.
func TestNormalEquationsAreLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 30).Draw(t, "n")
		taus, values := make([]float64, n), make([]float64, n)
		var m normal
		for i := range taus {
			taus[i] = -1 + 2*float64(i)/float64(n-1) + rapid.Float64Range(-0.1, 0.1).Draw(t, "shift")
			values[i] = rapid.Float64Range(-10, 10).Draw(t, "value")
			m.add(taus[i], values[i])
		}
		want, inverse := naiveFit(taus, values)
		got, ok := m.solve(m.xv)
		at := rapid.Float64Range(-1, 1).Draw(t, "at")
		g := mat.NewVecDense(3, []float64{1, at, at * at / 2})
		leverage := mat.Inner(g, inverse, g)
		for i := range want {
			if !ok || math.Abs(got[i]-want[i]) > 1e-7*(1+math.Abs(want[i])) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
		if math.Abs(m.leverage(at)-leverage) > 1e-8*leverage {
			t.Fatalf("leverage %v, want %v", m.leverage(at), leverage)
		}
	})
}

// The values that fits give scatter as much as they say: of 400 fits of a noisy parabola the
// deviation from the true depth, in standard errors, has a variance of 1 ± 0.2, which is
// three standard deviations.
func TestTheErrorOfAFit(t *testing.T) {
	const sigma, runs = 0.1, 400
	stream := rng.Seed(1).Stream("test")
	sum := 0.0
	for range runs {
		f := &fit{centre: 0.1, half: 1}
		var seen []sample
		for _, at := range f.next(12) {
			seen = append(seen, sample{at, 3 + 2*(at-0.3)*(at-0.3) + sigma*stream.NormFloat64()})
		}
		f.solve(seen, sigma)
		z := (f.well.value - 3) / f.error
		sum += z * z
	}
	if v := sum / runs; math.Abs(v-1) > 0.2 {
		t.Errorf("the variance is %v, want 1", v)
	}
}

// Under noise every line finds its deepest well, also where the second is higher by only two
// standard deviations: then both are asked for again. Where it is far higher they are not.
func TestWellsUnderNoise(t *testing.T) {
	queries := func(tilt float64) (right, asked int) {
		for seed := range uint64(20) {
			stream := rng.Seed(seed).Stream("test")
			n := 0
			f := objective.Func(1, func(x []float64) float64 {
				n++
				a := x[0]
				return 10*(a*a-1)*(a*a-1) + tilt*a/2 + 0.1*stream.NormFloat64()
			})
			p, err := Minimize(ctx, f, []float64{0}, 10, eye(1), []Range{everywhere(-2, 2, 0.25)}, Config{Noise: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			if w := p[0].Wells[0]; math.Abs(w.Y+1) < 0.1 {
				right++
			}
			asked += n
		}
		return right, asked / 20
	}
	close, asked := queries(0.2)
	far, few := queries(4)
	if close < 18 || far != 20 || 2*asked < 3*few {
		t.Errorf("%d of 20 right with %d queries where wells are nearly the same, %d of 20 with %d where they are not", close, asked, far, few)
	}
}

// A window in which a well is no parabola becomes smaller, and what the parabola leaves is in
// the error; with noise alone it stays as it is.
func TestFitOfAWellThatIsNoParabola(t *testing.T) {
	for _, cubic := range []float64{0, 3} {
		f := &fit{half: 1}
		var seen []sample
		for _, x := range f.next(12) {
			seen = append(seen, sample{x, 10*x*x + cubic*x*x*x})
		}
		f.solve(seen, 0.01)
		if bent := cubic != 0; bent != (f.half == 0.5) || bent != (f.error > 0.05) {
			t.Errorf("cubic %v: half %v, error %v", cubic, f.half, f.error)
		}
		if off := math.Abs(f.well.value); off > 3*f.error {
			t.Errorf("cubic %v: the well is off by %v, and its error is %v", cubic, off, f.error)
		}
	}
}
