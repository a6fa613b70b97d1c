package strategy

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Online is consensus-based optimisation whose frame is learnt while it runs: the paper's
// second method without its first stage, an answer to its last question (section 5).
//
// Particles move as those of CBO do. With the n queries of a step go s/(1−s)·n others, into
// the entries of a Hessian at the consensus point, along directions T that the Hessians seen
// so far have whitened. A complete Hessian first checks the frame W̃ made of those before it.
// In the frame and in the coordinates given, what part of a Hessian is off the diagonal?
//
//	r = max_k ρ(W̃⁻ᵀH_kW̃⁻¹)/ρ(H_k),   ρ(M_k) = Σ_{i≠j} M_k,ij²/σ_iσ_j / Σ_ij M_k,ij²/σ_iσ_j,
//
// over all Hessians, the new one included, with σ_i² = Σ_k M_k,ii². Then it joins them, and
// joint diagonalisation goes on from W̃. The noise is Blended: a part
//
//	β = Π (1 − r)₊²   over the last three checks
//
// of the particles moves in the frame. A frame of two Hessians is not checked, because any two
// diagonalise together. No Hessian is taken within ε² of the place of another, ε the step of
// the finite differences: it would be the same one up to their error, and prove nothing.
//
// Where f does not separate, the queries for Hessians are missed. So s falls as the frame fails, and
// then with each Hessian, the faster the more particles trust the frame,
//
//	s ← s·max(¼, 1 − r)   with each of the first three checks,   s ← s/(2+2β)   with all others,
//
// and if the queries up to the third check are more than 1/20 of the budget, no Hessian is taken.
// Then, and with s = 0, the run is that of CBO, to the bit. There is no rule of its own for noise.
// docs/online.md has the method and what was measured.
//
// Config is as for CBO; its Noise is one in the frame, as far as particles trust it.
type Online struct {
	Config cbo.Config
	// Share is s at the start, at least 0 and below 1. Default ½.
	Share *float64
}

const (
	usualShare = 0.5                     // the default of Online.Share: as many queries to learn as to search
	checks     = 3                       // of which β is made: one could hold by chance, several places may be in one valley
	leastHeld  = 0.25                    // what is left of s when one of them fails
	firstFrame = 3                       // Hessians of which the first frame to be checked is made
	untilBeta  = 1 + firstFrame + checks // Hessians, one of them along the axes
	budgetPart = 20                      // these may take 1/20 of the budget
	stepsTaken = 2                       // a step is chosen for the Hessian along the axes and for the first whitened one: all of those have one scale
	stepLines  = 3                       // directions along which f is looked at to choose a step: see Stencil.Step
	longestNew = 1.0 / 32                // ε counts as this at most where places are compared
)

// Name returns "online".
func (Online) Name() string { return "online" }

// Minimize runs CBO, and learns, until it converges or the budget is spent.
func (o Online) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	share, d := usualShare, f.Dim()
	if o.Share != nil {
		share = *o.Share
	}
	if !(share >= 0 && share < 1) {
		return Outcome{Status: objective.Failed}, objective.BadOption("Share", "%v, must be at least 0 and below 1", share)
	}
	task, err := task.asGiven(o, d)
	if err != nil {
		return Outcome{Status: objective.Failed}, err
	}
	cost := untilBeta*hessian.Symmetric.Queries(d) + stepsTaken*hessian.Symmetric.StepQueries(stepLines)
	if cost > task.Budget/budgetPart {
		share = 0
	}
	l := &learner{
		aside: aside{f: f, share: share}, bounds: task.Bounds, random: rng.Seed(task.Seed).Stream("online"),
		base: hessian.Orthonormal(kernel.Identity(d)), of: o.Config.Noise,
	}
	l.next = l.hessian
	l.blend(0)
	defer l.stop()
	cfg := inUnits(o.Config, task.Start, nil)
	if task.Start = objective.Cube(d, -1, 1); cfg.Sigma == nil {
		cfg.Sigma = cbo.UsualSigma(l.noise.Noise, d)
	}
	if _, everywhere := cfg.Noise.(cbo.Covariance); !everywhere { // which is the same in all coordinates
		cfg.Noise = &l.noise
	}
	if cfg.Domain == nil && cfg.Mirror == nil {
		cfg.Domain = &l.domain
	}
	told := cfg.Observe
	cfg.Observe = func(s cbo.State) {
		if l.c = s.Consensus; told != nil {
			told(s)
		}
	}
	outcome, err := runCBO(ctx, l, o, task, cfg)
	if l.beta > 0 {
		outcome.Learnt = &Learnt{Finding: l.finding()}
	}
	return outcome, err
}

// A learner is f to CBO, and takes Hessians aside.
type learner struct {
	aside
	bounds objective.Box
	random *rng.Stream
	c      []float64 // the consensus point; nil before the first step

	of     cbo.Noise            // in the frame, and in the coordinates given; nil: anisotropic
	noise  struct{ cbo.Noise }  // of the particles, from now on
	domain struct{ cbo.Domain } // as the noise has it

	base   hessian.Basis // T, and the Hessians seen along it
	step   float64       // ε
	places [][]float64   // where Hessians were taken
	frame  *frame.Frame  // W̃; nil: none yet
	held   []float64     // (1 − r)₊ of the checks
	beta   float64
}

// hessian begins a Hessian where the consensus is new.
func (l *learner) hessian(ctx context.Context) func(objective.Objective) error {
	if l.c == nil || !l.isNew(l.c) {
		return nil
	}
	x := slices.Clone(l.c)
	return func(f objective.Objective) error { return l.look(ctx, f, x) }
}

// isNew reports whether x is further than ε² from all places, along some direction of T.
// Finite differences are wrong by O(ε²), and so far a Hessian does not change by more. Where f is
// quadratic as far as any step reaches, a long ε says nothing about f, and counts as longestNew.
func (l *learner) isNew(x []float64) bool {
	z, along := make([]float64, len(x)), make([]float64, len(x))
	epsilon := min(l.step, longestNew)
	for _, place := range l.places {
		kernel.Difference(z, 1, x, place)
		kernel.MulVec(along, l.base.Dual.RawMatrix(), z)
		far := 0.0
		for _, v := range along {
			far = max(far, math.Abs(v))
		}
		if !(far > float64(epsilon*epsilon)) {
			return false
		}
	}
	return true
}

// look takes a Hessian at x, checks the frame by it and learns from it. One that f has
// spoilt by values that are not finite, or for which there is no room, is left out.
func (l *learner) look(ctx context.Context, f objective.Objective, x []float64) error {
	l.places = append(l.places, x)
	room := l.room(x)
	if len(l.base.Seen) < stepsTaken {
		step, err := l.chooseStep(ctx, f, x, room)
		if err != nil {
			return err
		}
		l.step = step
	}
	if l.step > room {
		return nil
	}
	e, err := hessian.Symmetric.At(ctx, f, x, l.base.T, l.step)
	if err != nil || e.Missing > 0 || !kernel.AllFinite(e.Hessian) {
		return err
	}
	seen := l.base
	seen.Seen = append(slices.Clip(seen.Seen), e.Hessian)
	if l.frame != nil && len(seen.Seen) > 1+firstFrame {
		l.check(seen)
	}
	l.learn(seen)
	return nil
}

// check tells by a Hessian that had no part in it, and by all that had, whether the frame holds,
// and sets β and s accordingly.
func (l *learner) check(seen hessian.Basis) {
	held := max(0, 1-worst(seen, l.frame)) // (1 − r)₊
	l.held = append(l.held, held)
	if n := len(l.held); n >= checks {
		beta := 1.0
		for _, held := range l.held[n-checks:] {
			beta = float64(beta * held * held)
		}
		l.blend(beta)
	}
	if len(l.held) <= checks {
		l.share *= max(leastHeld, held)
	} else {
		l.share /= 2 * (1 + l.beta)
	}
}

// worst returns the largest r of the Hessians seen along whitened directions: a frame has to hold at
// all places. (Errors of the one along the axes are large where f curves little.)
func worst(b hessian.Basis, w *frame.Frame) float64 {
	b.Seen = b.Seen[1:]
	inFrame, given := hessian.OffDiagonal(b.InCoordinates(w)), hessian.OffDiagonal(b.InCoordinates(frame.Identity(w.Dim())))
	largest := 0.0
	for k := range inFrame {
		r := inFrame[k] / given[k]
		if math.IsNaN(r) {
			r = 1 // 0/0: neither is better
		}
		largest = max(largest, r)
	}
	return largest
}

// learn whitens T, and diagonalises the Hessians seen along whitened directions: from the frame where
// it has held, else from new pencils.
func (l *learner) learn(seen hessian.Basis) {
	base, err := seen.Whitened()
	if err != nil {
		return // no curvature anywhere
	}
	l.base = base
	whitened := base.Seen[1:]
	if len(whitened) < 2 {
		return
	}
	var joint *jointdiag.Joint
	if l.beta > 0 {
		joint, err = jointdiag.Improve(whitened, kernel.Times(l.frame.Matrix(), mat.DenseCopyOf(base.T.T())))
	} else {
		joint, err = jointdiag.Diagonalise(whitened, l.random)
	}
	if err != nil {
		return
	}
	if w, err := frame.New(kernel.Times(joint.W, base.Dual)); err == nil {
		l.frame = w
	}
}

// blend sets β, and with it the noise of the particles and where they are kept.
func (l *learner) blend(beta float64) {
	l.beta = beta
	l.noise.Noise, l.domain.Domain = l.of, inside(l.bounds)
	if l.of == nil {
		l.noise.Noise = cbo.Anisotropic{}
	}
	if beta == 0 {
		return
	}
	blended := cbo.Blended{Frame: l.frame, Beta: beta, Of: l.of}
	l.noise.Noise = blended
	if clip, ok := l.domain.Domain.(cbo.Clip); ok { // bounds, where there are any, are those of x
		l.domain.Domain = cbo.ClipBlended{Blended: blended, Radius: clip.Radius}
	}
}

// finding is the frame in which particles move.
func (l *learner) finding() *identify.Finding {
	found := identify.Known(l.frame, nil)
	found.Before, found.After = l.base.InFrame(frame.Identity(l.Dim())), l.base.InFrame(l.frame)
	return found
}

// chooseStep chooses ε along some directions of T.
func (l *learner) chooseStep(ctx context.Context, f objective.Objective, x []float64, room float64) (float64, error) {
	d := len(x)
	at, along := mat.NewDense(stepLines, d, nil), mat.NewDense(stepLines, d, nil)
	for i := range stepLines {
		at.SetRow(i, x)
		along.SetRow(i, l.base.T.RawRowView(l.random.IntN(d)))
	}
	return hessian.Symmetric.Step(ctx, f, at, along, room, objective.Rounding)
}

// room returns the longest step, up to 1, with which x ± ε(T_i + T_j) stays within the bounds.
func (l *learner) room(x []float64) float64 {
	room := 1.0
	d, _ := l.base.T.Dims()
	for i := range d {
		for k, t := range l.base.T.RawRowView(i) {
			if t != 0 {
				room = min(room, (x[k]-l.bounds.Lo[k])/math.Abs(2*t), (l.bounds.Hi[k]-x[k])/math.Abs(2*t))
			}
		}
	}
	return room
}
