// Package cbo is consensus-based optimisation. Particles x^(1), …, x^(n) drift
// towards a weighted mean of themselves, their consensus c, and explore around
// it:
//
//	c = Σ ω_i x^(i),   ω_i = exp(−α f(x^(i))) / Σ_j exp(−α f(x^(j)))
//	x ← x − λτ (x − c) + σ√τ D(x − c) ξ,   ξ ~ N(0, I)
//
// (Fiedler and Roith, "Consensus-based optimization for linearly separable
// functions", section 2.1; Pinnau, Totzeck, Tse and Martin 2017).
//
// Start with Run and Config. Each part has its own file: the consensus c, the
// noise D, the schedules of α and σ, one step, a run. Variants are values of
// small interfaces. You can add types of your own to the first four:
//
//	Schedule    Constant, Geometric; for α also EffectiveSize
//	Noise       Anisotropic (default), Isotropic, Additive, Covariance, Truncated{Of},
//	            Transformed{Frame, Of}, Blended{Frame, Beta, Of}
//	Domain      Clip (default), ClipIn{Frame}, Reflect{Box}, Free, and the projections Clamp{Box},
//	            Simplex, Sphere, Equalities, Scaled{Of}
//	Correction  Full (default), Heaviside, Regularised
//	Memory      Forget (default), Remember
//	Momentum    None (default), Inertia, Adam
//	Mirror      None (default), Onto{Set}, Entropy, Barrier{Box}
//	Sight       None (default), Polarised
//	Batch, Resample, Restarts, Stop
//
// Config.Hopping and Config.Sampling are whole methods made of these, and Config.With reads
// settings in words.
//
// The defaults are the settings of the paper's experiment on the whole space.
// The answer is the best point ever evaluated, not the last consensus.
package cbo

import (
	"math"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Config has the settings of a run. Zero values mean the defaults, which are those
// of the paper's experiment on the whole space.
//
// A variant (Noise, Domain, Correction, Memory, Momentum, Mirror, Sight, Sigma, Alpha) may have a method
// Check(d int) error. Run calls it before the first query.
type Config struct {
	// Particles is n. Default 50.
	Particles int
	// Box is where particles start, uniformly. Default [-1, 1]^d.
	Box objective.Box
	// Points are known good points inside the Domain. The first particles start
	// there instead. If there are more points than Particles, all of them are
	// evaluated and the particles start at the best.
	Points *mat.Dense

	// Tau is the step size τ. Default 0.03.
	Tau float64
	// Lambda is the strength λ of the drift. Default 1.
	Lambda float64
	// Sigma is the strength σ of the noise. Default UsualSigma of the noise: 7.1, or
	// √(2/d) for Isotropic.
	Sigma Schedule
	// Alpha is the exponent α of the weights. Default Geometric{100, 1.005, 1e5}; with
	// Polarised Constant(100), since the limit of large α has one consensus.
	Alpha Schedule

	// Noise is D. Default Anisotropic.
	Noise Noise
	// Domain limits where particles may be. Default Clip{1e8}.
	Domain Domain
	// Correction weakens the drift of good particles. Default Full: no correction.
	Correction Correction
	// Memory lets particles remember their best. Default Forget: no memory.
	Memory Memory
	// Momentum lets particles go on as they went. Default None.
	Momentum Momentum
	// Mirror is ∇φ*, by which particles are seen. Default None. With another, Domain limits
	// the dual particles.
	Mirror Mirror
	// Sight is which particles a particle sees. Default None: one consensus of all.
	Sight Sight
	// Batch is how many particles, chosen at random, form a consensus and move
	// in each step, which then costs that many queries. Default all.
	Batch int
	// Resample shakes the particles when the best value stalls. Default never.
	Resample Resample

	// Stop says when a run ends, apart from budget, target and context.
	Stop Stop
	// Restarts is how many independent runs may follow one that has converged,
	// stalled or reached its limit of steps. Default 0.
	Restarts int

	// Seed determines all randomness.
	Seed uint64
	// Observe, if not nil, is called before every step. It must not change
	// what it is shown.
	Observe func(State) `fingerprint:"-"`
}

// Resample adds σ_r√τ ξ, ξ ~ N(0, I), to every particle that moves, whenever the
// best value has not improved for Wait steps. Then it waits for another Wait steps.
type Resample struct {
	Wait  int     // 0: never
	Sigma float64 // σ_r; 0: 0.1
}

// Stop has the rules by which a run ends.
type Stop struct {
	// Spread: the run has converged when in every coordinate all particles
	// are within Spread·max(1, |c_j|) of each other. Default 1e-14, so close
	// that only rounding still moves them. Negative: never.
	Spread float64
	// Stall: the run has stalled when the best value has not improved for
	// this many steps. Default 0: never.
	Stall int
	// Steps is the most steps of one run. Default 0: no limit.
	Steps int
}

// A State is what Observe is shown.
type State struct {
	Run, Step int
	Particles *mat.Dense
	Values    []float64
	Consensus []float64
	// Alpha is α, and Effective the effective sample size (Σω)²/Σω² of the consensus.
	Alpha, Effective float64
}

// complete fills in the defaults and returns an error that names a bad field.
func (c *Config) complete(d int) error {
	setDefault(&c.Particles, 50)
	setDefault(&c.Tau, 0.03)
	setDefault(&c.Lambda, 1)
	setDefault(&c.Batch, c.Particles)
	setDefault(&c.Resample.Sigma, 0.1)
	setDefault(&c.Stop.Spread, 1e-14)
	if c.Box.Lo == nil && c.Box.Hi == nil {
		c.Box = objective.Cube(d, -1, 1)
	}
	setVariant(&c.Noise, Noise(Anisotropic{}))
	setVariant(&c.Sight, Sight(None{}))
	if c.Sigma == nil {
		c.Sigma = UsualSigma(c.Noise, d)
	}
	if c.Alpha == nil && c.Sight.all() {
		c.Alpha = Geometric{Start: 100, Factor: 1.005, Limit: 1e5}
	}
	setVariant(&c.Alpha, Schedule(Constant(100)))
	setVariant(&c.Domain, Domain(Clip{1e8}))
	setVariant(&c.Correction, Correction(Full{}))
	setVariant(&c.Memory, Memory(Forget{}))
	setVariant(&c.Momentum, Momentum(None{}))
	setVariant(&c.Mirror, Mirror(None{}))
	return c.check(d)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// setVariant is setDefault for variants, which need not be comparable.
func setVariant[T any](field *T, value T) {
	if any(*field) == nil {
		*field = value
	}
}

// check returns an error that names the first bad field.
func (c *Config) check(d int) error {
	if err := c.Box.Check(d); err != nil {
		return objective.BadOption("Box", "%v", err)
	}
	if err := c.Box.CheckFinite(); err != nil {
		return objective.BadOption("Box", "%v", err)
	}
	if c.Points != nil {
		if _, cols := c.Points.Dims(); cols != d {
			return objective.BadOption("Points", "points of %d coordinates, the objective has %d", cols, d)
		}
	}
	most, sigma, alpha := query.MaxBatch(d), c.Sigma.At(0), c.Alpha.At(0)
	switch {
	case c.Particles < 1 || c.Particles > most:
		return objective.BadOption("Particles", "%d, must be from 1 to %d for %d dimensions", c.Particles, most, d)
	case c.Tau == 0 || !nonNegative(c.Tau):
		return objective.BadOption("Tau", "%v, must be a number above 0", c.Tau)
	case !nonNegative(c.Lambda):
		return objective.BadOption("Lambda", "%v, must be a number of at least 0", c.Lambda)
	case !nonNegative(sigma):
		return objective.BadOption("Sigma", "%v, must be a number of at least 0", sigma)
	case !nonNegative(alpha):
		return objective.BadOption("Alpha", "%v, must be a number of at least 0", alpha)
	case c.Batch < 1 || c.Batch > c.Particles:
		return objective.BadOption("Batch", "%d, must be from 1 to the number of particles, %d", c.Batch, c.Particles)
	case c.Resample.Wait < 0 || !nonNegative(c.Resample.Sigma):
		return objective.BadOption("Resample", "%+v, must be finite and not negative", c.Resample)
	case c.Stop.Stall < 0 || c.Stop.Steps < 0 || math.IsNaN(c.Stop.Spread):
		return objective.BadOption("Stop", "%+v, stall and steps must not be negative, and spread must not be NaN", c.Stop)
	case c.Restarts < 0:
		return objective.BadOption("Restarts", "%d, must not be negative", c.Restarts)
	}
	return c.checkVariants(d)
}

// checkVariants calls Check on the variants that have it.
func (c *Config) checkVariants(d int) error {
	for _, v := range []struct {
		option  string
		variant any
	}{
		{"Sigma", c.Sigma}, {"Alpha", c.Alpha}, {"Noise", c.Noise},
		{"Domain", c.Domain}, {"Correction", c.Correction}, {"Memory", c.Memory},
		{"Momentum", c.Momentum}, {"Mirror", c.Mirror}, {"Sight", c.Sight},
	} {
		if checker, ok := v.variant.(interface{ Check(d int) error }); ok {
			if err := checker.Check(d); err != nil {
				return objective.BadOption(v.option, "%v", err)
			}
		}
	}
	if _, covariance := c.Noise.(Covariance); !c.Sight.all() && (covariance || c.Correction.Asks()) {
		return objective.BadOption("Sight", "%T, particles of which have each their consensus: noise by covariance, and a correction that asks for f(c), need one", c.Sight)
	}
	return nil
}

// nonNegative reports whether v is a finite number of at least 0.
func nonNegative(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
