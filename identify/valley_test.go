package identify

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Sums of functions that are straight but for some places are identified, whatever they
// are, where their components are mixed by an orthogonal matrix or by directions drawn from
// the sphere.
func TestSurveyOfLocalisedCurvature(t *testing.T) {
	const d = 16
	ridges := map[string]func(z float64) float64{
		"log cosh":       func(z float64) float64 { return math.Abs(5*z) + math.Log1p(math.Exp(-10*math.Abs(z))) },
		"a root":         func(z float64) float64 { return math.Sqrt(1 + 30*z*z) },
		"wells in bowls": func(z float64) float64 { return 0.02*z*z - math.Exp(-10*z*z) },
		"a logarithm":    func(z float64) float64 { return math.Log(1 + 30*z*z) },
	}
	for name, ridge := range ridges {
		for seed := range uint64(sized(2, 1)) {
			for _, orthogonal := range []bool{true, false} {
				random := rng.Seed(seed).Stream("test")
				w, b := rng.Sphere(d, d, random), make([]float64, d)
				if orthogonal {
					kernel.Orthonormalise(w.RawMatrix())
				}
				for j := range b {
					b[j] = 2*random.Float64() - 1
				}
				f := objective.Func(d, func(x []float64) float64 {
					sum := 0.0
					for j := range b {
						sum += ridge(kernel.Dot(w.RawRowView(j), x) - b[j])
					}
					return sum
				})
				truth, err := frame.New(w)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Survey{Tolerance: 0.006}.Identify(ctx, f, Request{Box: objective.Cube(d, -5, 5), Seed: seed})
				if err != nil {
					t.Fatalf("%s, seed %d: %v", name, seed, err)
				}
				if c := frame.Compare(truth, got.Frame); got.Certificate.Verdict != certify.Separable || !(c.Error() < 0.05) {
					t.Errorf("%s, seed %d, orthogonal %v: %v, error %.2g", name, seed, orthogonal, got.Certificate, c.Error())
				}
			}
		}
	}
}

// A descent ends where every component of a sum of log cosh curves: within the width of its
// bend. It stays away from bounds.
func TestDescent(t *testing.T) {
	const d = 10
	w := rng.Sphere(d, d, rng.Seed(1).Stream("test"))
	kernel.Orthonormalise(w.RawMatrix())
	f := objective.Func(d, func(x []float64) float64 {
		sum := 0.0
		for j := range d {
			y := float64(1+j) / 2 * kernel.Dot(w.RawRowView(j), x)
			sum += math.Abs(y) + math.Log1p(math.Exp(-2*math.Abs(y)))
		}
		return sum
	})
	g := groundOf(f, 5, 1)
	for range 5 {
		x, err := descent{g}.from(g.draw())
		if err != nil {
			t.Fatal(err)
		}
		for j := range d {
			if y := float64(1+j) / 2 * kernel.Dot(w.RawRowView(j), x); math.Abs(y) > 1 {
				t.Errorf("component %d is at %.2g bends", j, y)
			}
		}
	}
	g.bounds = objective.Cube(d, 1, 21)
	x, err := descent{g}.from(slices.Repeat([]float64{6}, d))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range x {
		if v < 1+1-1e-12 || v > 21-1+1e-12 { // a tenth of the box's width, which is 10
			t.Errorf("coordinate %d is %v", k, v)
		}
	}
}

// The directions of BFGS with limited memory, by hand: f = x² + 4y², from (1, 1) with the
// slope (2, 8) to (0, 0) along a step s = (−1, −1), y = (−2, −8), sᵀy = 10, and back at
// (1, 1): q = g − αy with α = sᵀg/sᵀy = −1 is 0, β = 0, and the direction is αs·(−1) = s.
func TestMemoryByHand(t *testing.T) {
	m := &memory{}
	if got := m.direction([]float64{2, 8}); !slices.Equal(got, []float64{-2, -8}) {
		t.Errorf("without memory %v", got)
	}
	m.add([]float64{0, 0}, []float64{1, 1}, []float64{0, 0}, []float64{2, 8})
	if got := m.direction([]float64{2, 8}); !slices.Equal(got, []float64{-1, -1}) {
		t.Errorf("%v, want (-1, -1)", got)
	}
	m.add([]float64{1, 1}, []float64{0, 0}, []float64{-2, -8}, []float64{0, 0}) // f bends down: not kept
	if len(m.steps) != 1 {
		t.Errorf("%d pairs", len(m.steps))
	}
}

// Around the minimum of −Σ cos x_i the second difference along tξ is 2Σ(1 − cos tξ_i)/t², on
// average 2d(1 − exp(−t²/2))/t²: by a fifth smaller at t = 1 than at 0, and by more than half
// at t = 2. Points of a valley, and the spread that it says they have, agree.
func TestValley(t *testing.T) {
	const d = 40
	f := objective.Func(d, func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum -= math.Cos(v)
		}
		return sum
	})
	g := groundOf(f, 5, 3)
	v := &valley{bottom: make([]float64, d), t: kernel.Identity(d), size: 1}
	size, err := v.width(g)
	if err != nil || size != 1 {
		t.Errorf("width %v, error %v; want 1: the whole of what is tried", size, err)
	}
	v.t.Scale(8, v.t)
	if size, err = v.width(g); err != nil || size != 0.125 {
		t.Errorf("width %v, error %v; want 1/8", size, err)
	}
	w := make([]float64, d)
	w[0], w[1] = 0.6, 0.8
	v.size, g.valley = 0.25, v
	sum := 0.0
	const n = 2000
	for range n {
		x := g.draw()
		sum += square(kernel.Dot(w, x))
	}
	if got, want := math.Sqrt(sum/n), g.spread(w); math.Abs(got-want) > 0.1*want || math.Abs(want-2) > 1e-12 {
		t.Errorf("a spread of %v, and it says %v", got, want)
	}
}

// One curvature in twenty below a hundredth of the largest is not many, more are.
func TestUnseen(t *testing.T) {
	c := &candidate{curvature: slices.Repeat([]float64{1}, 10)}
	lambda := slices.Repeat([]float64{0.5}, 10)
	c.sightings = []sighting{{nil, lambda}, {nil, slices.Clone(lambda)}}
	for k, want := range []bool{false, false, true} {
		if got := unseen(c); got != want {
			t.Errorf("%d of 20: %v", k, got)
		}
		lambda[k] = 0.009
	}
	c.sightings = append(c.sightings, sighting{nil, nans(10)}) // says nothing
	if !unseen(c) {
		t.Error("what is not known counts as seen")
	}
}

// Where f fails in most of the box, it is drawn together until f is finite at half of the
// points; where f fails by chance it is not lost, and where f is finite it stays.
func TestGather(t *testing.T) {
	const d = 12
	for name, c := range map[string]struct {
		fails func(x []float64) bool
		same  bool
	}{
		"nowhere":    {func([]float64) bool { return false }, true},
		"a wall":     {func(x []float64) bool { return floatsSum(x) > -3 }, false},
		"everywhere": {func([]float64) bool { return true }, true},
	} {
		queries := 0
		f := query.NewGuard(objective.Func(d, func(x []float64) float64 {
			if queries++; c.fails(x) {
				return math.NaN()
			}
			return floatsSum(x)
		}))
		g := groundOf(f, 1, 4)
		values, err := gather(g)
		if err != nil || len(values) > queries {
			t.Fatalf("%s: %d values, %v", name, len(values), err)
		}
		if same := slices.Equal(g.box.Lo, objective.Cube(d, -1, 1).Lo); same != c.same {
			t.Errorf("%s: the box is from %v", name, g.box.Lo)
		}
		for k := range d {
			if g.box.Lo[k] < -1 || g.box.Hi[k] > 1 || !(g.box.Lo[k] < g.box.Hi[k]) {
				t.Errorf("%s: coordinate %d is from %v to %v", name, k, g.box.Lo[k], g.box.Hi[k])
			}
		}
		finite := 0
		for range 100 {
			if !c.fails(g.draw()) {
				finite++
			}
		}
		if name == "a wall" && finite < 25 {
			t.Errorf("%d of 100 points are finite", finite)
		}
	}
}

func floatsSum(x []float64) float64 { return mat.Sum(mat.NewVecDense(len(x), x)) }
