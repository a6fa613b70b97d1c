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
