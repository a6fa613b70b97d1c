package strategy

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/asktell"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
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
//	β = Π (1 − r)₊   over the last three checks
//
// of the particles moves in the frame. A frame of two Hessians is not checked, because any two
// diagonalise together. No Hessian is taken within ε² of the place of another, ε the step of
// the finite differences: it would be the same one up to their error, and prove nothing. After
// the first three checks s is halved with each Hessian, so that they become rare.
//
// Where f does not separate the check holds in part, or not at all: then β = 0, and the run is
// that of CBO with some queries less. There is no rule of its own for noise.
// docs/online.md has the method and what was measured.
//
// Config is as for CBO, but for its Noise, Domain and Observe, which are set.
type Online struct {
	Config cbo.Config
	// Share is s at the start, at least 0 and below 1. At 0 the run is that of CBO, to the bit.
	// Default ½.
	Share *float64
}

// usualShare is the default of Online.Share: as many queries to learn as to search.
const usualShare = 0.5

// Name returns "online".
func (Online) Name() string { return "online" }

// Minimize runs CBO, and learns, until it converges or the budget is spent.
func (o Online) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	share := usualShare
	if o.Share != nil {
		share = *o.Share
	}
	if !(share >= 0 && share < 1) {
		return Outcome{Status: objective.Failed}, objective.BadOption("Share", "%v, must be at least 0 and below 1", share)
	}
	task, err := task.asGiven(o, f.Dim())
	if err != nil {
		return Outcome{Status: objective.Failed}, err
	}
	l := &learner{
		f: f, bounds: task.Bounds, share: share, random: rng.Seed(task.Seed).Stream("online"),
		base: hessian.Orthonormal(kernel.Identity(f.Dim())),
	}
	l.blend(0)
	defer l.stop()
	cfg := o.Config
	cfg.Noise, cfg.Domain = &l.noise, &l.domain
	cfg.Observe = func(s cbo.State) { l.c = s.Consensus }
	outcome, err := runCBO(ctx, l, o, task, cfg)
	if l.beta > 0 {
		outcome.Learnt = &Learnt{Finding: l.finding()}
	}
	return outcome, err
}

// A learner is f to CBO: it evaluates the particles and, with them, points of its own.
type learner struct {
	f      objective.Objective
	bounds objective.Box
	random *rng.Stream
	share  float64   // s
	c      []float64 // the consensus point; nil before the first step

	noise  struct{ cbo.Noise }  // of the particles, from now on
	domain struct{ cbo.Domain } // as the noise has it

	talk  *asktell.Talk // with look, about one Hessian; nil: none is being taken
	asked *mat.Dense    // the points that it wants
	told  []float64     // their values, as far as they are known
	owed  float64       // how many queries it may make

	base   hessian.Basis // T, and the Hessians seen along it
	step   float64       // ε
	places [][]float64   // where Hessians were taken
	frame  *frame.Frame  // W̃; nil: none yet
	held   []float64     // 1 − r of the checks, or 0
	beta   float64
}

// Dim returns d.
func (l *learner) Dim() int { return l.f.Dim() }

// Evaluate evaluates the particles and s/(1−s) times as many points of a Hessian, in one
// batch, the particles first.
func (l *learner) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if l.c == nil || l.share == 0 || !l.wants(ctx) {
		return l.f.Evaluate(ctx, points, values)
	}
	n, d := points.Dims()
	rows, _ := l.asked.Dims()
	l.owed += float64(l.share / (1 - l.share) * float64(n))
	m := min(int(l.owed), rows-len(l.told))
	l.owed -= float64(m)

	all, both := mat.NewDense(n+m, d, nil), make([]float64, n+m)
	all.Copy(points)
	for k := range m {
		all.SetRow(n+k, l.asked.RawRowView(len(l.told)+k))
	}
	err := l.f.Evaluate(ctx, all, both)
	copy(values, both)
	if err != nil {
		return err
	}
	l.told = append(l.told, both[n:]...)
	if len(l.told) == rows {
		l.talk.Tell(l.told, nil)
		l.asked, l.told = nil, nil
		l.wants(ctx) // what is learnt counts from the next step on
	}
	return nil
}

// wants reports whether a Hessian is being taken, and begins one where the consensus is new.
func (l *learner) wants(ctx context.Context) bool {
	if l.talk == nil && l.isNew(l.c) {
		x := slices.Clone(l.c)
		l.talk = asktell.New(l.Dim(), func(f objective.Objective) error { return l.look(ctx, f, x) })
	}
	if l.talk != nil && l.asked == nil {
		if l.asked = l.talk.Ask(); l.asked == nil {
			l.talk = nil
		}
	}
	return l.asked != nil
}

// stop ends a Hessian that is being taken.
func (l *learner) stop() {
	if l.talk != nil {
		l.talk.Stop()
	}
}

// isNew reports whether x is further than ε² from all places, along some direction of T.
// Finite differences are wrong by O(ε²), and so far a Hessian does not change by more.
func (l *learner) isNew(x []float64) bool {
	z, along := make([]float64, len(x)), make([]float64, len(x))
	for _, place := range l.places {
		kernel.Difference(z, 1, x, place)
		kernel.MulVec(along, l.base.Dual.RawMatrix(), z)
		far := 0.0
		for _, v := range along {
			far = max(far, math.Abs(v))
		}
		if !(far > float64(l.step*l.step)) {
			return false
		}
	}
	return true
}

// look takes a Hessian at x, checks the frame by it and learns from it. One that f has
// spoilt by values that are not finite, or for which there is no room, is left out.
func (l *learner) look(ctx context.Context, f objective.Objective, x []float64) error {
	if l.places = append(l.places, x); len(l.places) > early {
		defer func() { l.share /= 2 }()
	}
	room := l.room(x)
	if len(l.base.Seen) < stepsChosen {
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
	l.check(e.Hessian)
	l.learn(e.Hessian)
	return nil
}

// early is how many Hessians are taken with the whole share, so that the next is the third check:
// one along the axes, three of which the first frame to be checked is made, and two.
const early = 6

// stepsChosen is for how many Hessians a step is chosen: for the one along the axes and for the
// first along whitened directions. All whitened directions have the same scale.
const stepsChosen = 2

// stepLines is along how many directions f is looked at to choose a step: see Stencil.Step.
const stepLines = 3

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
