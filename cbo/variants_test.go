package cbo

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// still is a gaussian that gives zeros, for steps without noise.
type still struct{}

func (still) Norm(dst []float64) { clear(dst) }

// quiet makes a swarm of one-dimensional particles without noise.
func quiet(t *testing.T, f func(x float64) float64, cfg Config, x ...float64) *swarm {
	t.Helper()
	cfg.Tau, cfg.Alpha = 0.25, Constant(0) // c is the mean
	s := swarmAt(t, objective.Func(1, func(x []float64) float64 { return f(x[0]) }), cfg, mat.NewDense(len(x), 1, x), nil)
	s.noise, s.jolt = still{}, still{}
	return s
}

// choose makes the next step's members the given ones, in that order.
func (s *swarm) choose(members ...int) {
	copy(s.batch.deck, members)
	s.batch.next = 0
	s.gather(0)
}

func wantParticles(t *testing.T, name string, s *swarm, want ...float64) {
	t.Helper()
	if got := s.x.RawMatrix().Data; !floats.EqualApprox(got, want, 1e-14) {
		t.Errorf("%s: particles %v, want %v", name, got, want)
	}
}

// Particles at 0, 1, 5 with f = (x−¾)²: c = 2 and f(c) = 1.5625. The first and
// the second are better than the consensus and do not drift. The third, worse,
// goes to 5 − ¼·3.
func TestHeavisideByHand(t *testing.T) {
	f := func(x float64) float64 { return (x - 0.75) * (x - 0.75) }
	s := quiet(t, f, Config{Correction: Heaviside{}}, 0, 1, 5)
	if err := s.step(ctx, 0, false); err != nil {
		t.Fatal(err)
	}
	wantParticles(t, "all", s, 0, 1, 4.25)

	// With the third and the first alone, c = 2.5 and f(c) = 3.0625. The third is
	// worse and goes to 5 − ¼·2.5. The first stays. The second takes no part.
	s = quiet(t, f, Config{Correction: Heaviside{}, Batch: 2}, 0, 1, 5)
	s.choose(2, 0)
	if err := s.step(ctx, 0, false); err != nil {
		t.Fatal(err)
	}
	wantParticles(t, "batch", s, 0, 1, 4.375)
	if s.energies[2] != f(4.375) || s.energies[0] != f(0) {
		t.Errorf("energies %v", s.energies)
	}
}

func TestRegularisedFactor(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ epsilon, excess, want float64 }{
		{2, 0, 0.5}, {2, 2, 0.5 + 0.5*math.Tanh(1)}, {2, -2, 0.5 - 0.5*math.Tanh(1)}, {2, inf, 1}, {2, -inf, 0},
		{0, 1e-3, 0.5 + 0.5*math.Tanh(1)}, // the default ε
	} {
		if got := (Regularised{c.epsilon}).Factor(c.excess); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("ε = %v: H(%v) = %v, want %v", c.epsilon, c.excess, got, c.want)
		}
	}
	if excess(inf, inf) != 0 || excess(3, 1) != 2 || excess(inf, 1) != inf {
		t.Error("f(x) − f(c) is wrong")
	}
	if (Full{}).Factor(-1) != 1 || (Heaviside{}).Factor(0) != 0 || (Heaviside{}).Factor(1e-300) != 1 {
		t.Error("a factor is wrong")
	}
}

// If rounding puts the consensus outside the box, it is evaluated inside.
func TestTheConsensusIsAskedInside(t *testing.T) {
	box := objective.Cube(1, 0, 10)
	s := quiet(t, func(x float64) float64 {
		if x < 0 || x > 10 {
			t.Errorf("asked at %v", x)
		}
		return x
	}, Config{Correction: Heaviside{}, Domain: Reflect{box}}, 1, 2)
	s.c[0] = 10.5
	if err := s.correct(ctx); err != nil {
		t.Fatal(err)
	}
}

// Memory by hand, f = |x|, λ_m = 0.4, no noise. The first particle has gone
// uphill from 1 to 3 and the second from −3 to 7. The consensus of what they
// remember is −1, and f(c) = 1. Both are worse than that now, so they drift:
//
//	3 − ¼(3−(−1)) − 0.4·¼(3−1) = 1.8,   7 − ¼·8 − 0.1·10 = 4
func TestMemoryUphillByHand(t *testing.T) {
	s := quiet(t, math.Abs, Config{Correction: Heaviside{}, Memory: Remember{Lambda: 0.4}}, 1, -3)
	s.x.SetCol(0, []float64{3, 7})
	copy(s.energies, []float64{3, 7})
	s.gather(0)
	if s.c[0] != -1 {
		t.Fatalf("consensus %v, want -1", s.c[0])
	}
	if err := s.step(ctx, 0, false); err != nil {
		t.Fatal(err)
	}
	wantParticles(t, "uphill", s, 1.8, 4)
	if s.past.At(0, 0) != 1 || s.past.At(1, 0) != -3 {
		t.Errorf("remembered %v", s.past.RawMatrix().Data)
	}

	// H = 0 does not weaken the pull of memory. With 1 and 9 remembered, c = 5.
	// The first, at 3, is better than that: 3 − 0.1·2. The second, at 9, is worse:
	// 9 − ¼·4. The batch has the two in reverse order.
	s = quiet(t, math.Abs, Config{Correction: Heaviside{}, Memory: Remember{Lambda: 0.4}, Batch: 2}, 1, 100, 9)
	s.x.Set(0, 0, 3)
	s.energies[0] = 3
	s.choose(2, 0)
	if err := s.step(ctx, 0, false); err != nil {
		t.Fatal(err)
	}
	wantParticles(t, "batch", s, 2.8, 100, 8)
	if s.past.At(2, 0) != 8 || s.pastE[2] != 8 || s.past.At(0, 0) != 1 {
		t.Errorf("remembered %v", s.past.RawMatrix().Data)
	}
}

// Observe sees the current particles and their values.
func TestObserveSeesThePresent(t *testing.T) {
	f := func(x []float64) float64 { return math.Sin(5*x[0]) + x[0]*x[0] }
	_, err := Run(ctx, objective.Func(1, f), Config{Memory: Remember{Lambda: 0.4}, Stop: Stop{Steps: 20}, Observe: func(s State) {
		for i, v := range s.Values {
			if v != f(s.Particles.RawRowView(i)) {
				t.Fatalf("step %d: particle %d has value %v", s.Step, i, v)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// jolts records the steps in which the particles are shaken.
type jolts struct {
	step  *int
	shook []int
}

func (j *jolts) Norm(dst []float64) {
	clear(dst)
	if len(j.shook) == 0 || j.shook[len(j.shook)-1] != *j.step {
		j.shook = append(j.shook, *j.step)
	}
}

func TestResamplingWaits(t *testing.T) {
	step := 0
	cfg := Config{Resample: Resample{Wait: 3}, Stop: Stop{Steps: 11}, Observe: func(s State) { step = s.Step }}
	if err := cfg.complete(1); err != nil {
		t.Fatal(err)
	}
	s := newSwarm(objective.Func(1, func([]float64) float64 { return 7 }), cfg, 0)
	j := &jolts{step: &step}
	s.jolt = j
	if _, status, err := s.run(ctx, 0); err != nil || status != objective.StepLimit {
		t.Fatalf("status %v, error %v", status, err)
	}
	if !slices.Equal(j.shook, []int{3, 6, 9}) {
		t.Errorf("shaken before steps %v, want 3, 6, 9", j.shook)
	}
	// Particles that will be shaken apart have not converged, however close they are.
	r, err := Run(ctx, sphere(1), Config{Sigma: Constant(0), Resample: Resample{Wait: 1e6}, Stop: Stop{Steps: 3000}})
	if err != nil || r.Status != objective.StepLimit {
		t.Errorf("status %v, error %v", r.Status, err)
	}
}

// Every run has its own random streams, one for each purpose.
func TestStreamsAreApart(t *testing.T) {
	cfg := Config{Batch: 25}
	if err := cfg.complete(1); err != nil {
		t.Fatal(err)
	}
	seen := map[float64]string{}
	decks := map[string]bool{}
	for run, name := range []string{"first", "second"} {
		s := newSwarm(sphere(1), cfg, run)
		for purpose, g := range map[string]gaussian{"noise": s.noise, "jolt": s.jolt} {
			xi := make([]float64, 1)
			g.Norm(xi)
			if other, twice := seen[xi[0]]; twice {
				t.Errorf("%s of the %s run is %s", purpose, name, other)
			}
			seen[xi[0]] = purpose + " of the " + name + " run"
		}
		s.batch.deal()
		decks[string(rune(s.batch.deck[0]))+string(rune(s.batch.deck[1]))+string(rune(s.batch.deck[2]))] = true
	}
	if len(decks) != 2 {
		t.Error("two runs deal the same batches")
	}
}

// Two deals of three from six take every particle, each round in another order.
func TestBatchesAreShuffledAnew(t *testing.T) {
	b := newBatch(6, 3, rng.Seed(1).Stream("test"))
	orders := map[[6]int]bool{}
	for range 20 {
		var order [6]int
		b.deal()
		copy(order[:], b.members)
		b.deal()
		copy(order[3:], b.members)
		orders[order] = true
		taken := order[:]
		slices.Sort(taken)
		if !slices.Equal(taken, []int{0, 1, 2, 3, 4, 5}) {
			t.Fatalf("two deals take %v", taken)
		}
	}
	if len(orders) < 10 {
		t.Errorf("%d orders in 20 rounds", len(orders))
	}
}

func TestStopRulesAreExact(t *testing.T) {
	constant := objective.Func(2, func([]float64) float64 { return 7 })
	r, err := Run(ctx, constant, Config{Stop: Stop{Stall: 5, Spread: -1}})
	if err != nil || r.Steps != 5 {
		t.Errorf("stalled after %d steps, want 5; error %v", r.Steps, err)
	}
	r, err = Run(ctx, constant, Config{Stop: Stop{Steps: 4, Spread: -1}, Restarts: 2})
	if err != nil || r.Steps != 12 || r.Runs != 3 {
		t.Errorf("%d steps in %d runs, want 12 in 3; error %v", r.Steps, r.Runs, err)
	}
}

func TestApart(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want bool
	}{
		{[]float64{0, 0}, []float64{0, 0}, false},
		{[]float64{0, 0}, []float64{0, 1e-9}, true}, // in the second coordinate alone
		{[]float64{0, 1e6}, []float64{0, 1e6 + 1e-6}, false},
		{[]float64{0, 1}, []float64{0, 1 + 1e-6}, true},
		{[]float64{0, math.NaN()}, []float64{0, 0}, true},
	} {
		s := &swarm{x: mat.NewDense(2, 2, slices.Concat(c.a, c.b)), c: c.b}
		if got := s.apart(1e-10); got != c.want {
			t.Errorf("%v and %v are apart: %v", c.a, c.b, got)
		}
	}
}

func TestKnownPointsBelongToTheFirstRun(t *testing.T) {
	_, err := Run(ctx, sphere(1), Config{Points: mat.NewDense(1, 1, []float64{0.123}), Restarts: 1, Stop: Stop{Steps: 1}, Observe: func(s State) {
		if known := s.Particles.At(0, 0) == 0.123; s.Step == 0 && known != (s.Run == 0) {
			t.Errorf("run %d starts at %v", s.Run, s.Particles.At(0, 0))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// When a batch ends in the middle, values from the batch before it are not mistaken
// for values of the points that were not evaluated.
func TestNoStaleValues(t *testing.T) {
	f := func(x float64) float64 { return math.Abs(x - 0.2) }
	for stop := 51; stop < 400; stop += 13 {
		ctx, cancel := context.WithCancel(ctx)
		calls := 0
		r, err := Run(ctx, objective.Func(1, func(x []float64) float64 {
			if calls++; calls == stop {
				cancel()
			}
			return f(x[0])
		}), Config{})
		if err != nil || r.Status != objective.Cancelled || r.Value != f(r.Point[0]) {
			t.Fatalf("stopped after %d queries: value %v at %v, status %v, error %v", stop, r.Value, r.Point, r.Status, err)
		}
	}
}

func TestClippingByHand(t *testing.T) {
	inf := math.Inf(1)
	x := mat.NewDense(1, 3, []float64{-7, 3, 9})
	Clip{5}.Confine(x, nil)
	if !floats.Equal(x.RawRowView(0), []float64{-5, 3, 5}) {
		t.Errorf("(-7, 3, 9) is clipped to %v", x.RawRowView(0))
	}
	turned, err := frame.New(mat.NewDense(2, 2, []float64{0.6, 0.8, -0.8, 0.6}))
	if err != nil {
		t.Fatal(err)
	}
	few, err := frame.New(mat.NewDense(1, 2, []float64{0.6, 0.8}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		frame     *frame.Frame
		radius    float64
		x, y      float64
		wantLimit bool
	}{
		{turned, 0.5, 0.6, 0.8, true},   // y = (1, 0)
		{turned, 0.5, 0.36, 0.48, true}, // y = (0.6, 0)
		{turned, 0.5, 0.27, 0.36, false},
		{turned, 10, 6e30, 8e30, true},
		{few, 10, 6e25, 8e25, true},
		{few, 1e8, math.Inf(-1), math.NaN(), true},
	} {
		p := mat.NewDense(1, 2, []float64{c.x, c.y})
		ClipIn{c.frame, c.radius}.Confine(p, make([]float64, 2))
		y := mat.NewDense(1, c.frame.Components(), nil)
		c.frame.Coordinates(y, p)
		if got := floats.Norm(y.RawRowView(0), inf); !(got <= c.radius*(1+1e-12)) || (got >= c.radius*(1-1e-12)) != c.wantLimit {
			t.Errorf("(%g, %g) at radius %g ends at y = %v", c.x, c.y, c.radius, y.RawMatrix().Data)
		}
	}
	// These are reflected to just inside a face, and rounding would put them outside.
	for _, c := range [][3]float64{{0.40000000000000013, -1.2, 0.4}, {0.3000000000000001, -1.2, 0.3}, {0.4000000000000002, -0.8, 0.4}} {
		if v := reflect(c[0], c[1], c[2]); !(c[1] <= v && v <= c[2]) {
			t.Errorf("%v is reflected to %v outside [%v, %v]", c[0], v, c[1], c[2])
		}
	}
}

// A failed particle at infinity does not spoil the consensus. Equal energies have the
// mean as their consensus, however large α times the energy is.
func TestConsensusFarOut(t *testing.T) {
	inf := math.Inf(1)
	if c, _ := consensusOf(mat.NewDense(2, 1, []float64{1, inf}), []float64{0, inf}, 100); c[0] != 1 {
		t.Errorf("consensus %v, want 1", c[0])
	}
	x := mat.NewDense(3, 1, []float64{1, 2, 6})
	for _, e := range []float64{0, 1, 1e5, 1e9, 1e14, 1e30, -1e30, 1e300} {
		for _, alpha := range []float64{1, 100, 1e5} {
			if c, w := consensusOf(x, []float64{e, e, e}, alpha); !(math.Abs(c[0]-3) <= 1e-5) {
				t.Errorf("E = %g, α = %g: consensus %v, weights %v", e, alpha, c[0], w)
			}
		}
	}
}

func TestVariantsCheckTheirSettings(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := frame.Identity(2)
	for _, cfg := range []Config{
		{Lambda: inf}, {Sigma: Constant(inf)}, {Resample: Resample{Wait: 1, Sigma: inf}},
		{Noise: Transformed{}}, {Noise: Transformed{Frame: two}},
		{Domain: Clip{}}, {Domain: Clip{nan}}, {Domain: Clip{-1}},
		{Domain: ClipIn{}}, {Domain: ClipIn{two, 1}}, {Domain: ClipIn{frame.Identity(3), 0}},
		{Domain: Reflect{}}, {Domain: Reflect{objective.Cube(2, 0, 1)}}, {Domain: Reflect{objective.Cube(3, 0, inf)}},
		{Correction: Regularised{-1}}, {Correction: Regularised{nan}},
		{Alpha: EffectiveSize{}}, {Alpha: EffectiveSize{1}}, {Noise: Truncated{}}, {Noise: Truncated{Covariance{}, 1}},
		{Noise: Transformed{frame.Identity(3), Transformed{Frame: frame.Identity(3)}}}, {Noise: Blended{frame.Identity(3), 1, Truncated{}}},
		{Momentum: Inertia{1}}, {Momentum: Inertia{nan}}, {Momentum: Adam{Beta1: 1}}, {Sight: Polarised{}}, {Sight: Polarised{nan}},
		{Sight: Polarised{1}, Noise: Covariance{}}, {Sight: Polarised{1}, Correction: Heaviside{}},
		{Mirror: Onto{}}, {Mirror: Onto{Sphere{}}}, {Mirror: Barrier{objective.Cube(2, 0, 1)}}, {Domain: Clamp{objective.Cube(2, 0, 1)}},
		{Domain: Equalities{}}, {Domain: Equalities{mat.NewDense(1, 3, []float64{1, 1, 1}), []float64{1}}},
		{Domain: Equalities{mat.NewDense(1, 2, []float64{0.6, 0.8}), []float64{1}}}, {Domain: Scaled{Of: Sphere{-1}}},
		{Memory: Remember{Lambda: nan}}, {Memory: Remember{Lambda: -1}}, {Memory: Remember{Sigma: inf}},
	} {
		if err := cfg.complete(3); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}
