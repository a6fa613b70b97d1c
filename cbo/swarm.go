package cbo

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A swarm has the particles of one run and the scratch space for its steps. In
// a step only the members of a batch move. Matrices marked "members" have a row
// for each member, the others have one for each particle.
type swarm struct {
	f   objective.Objective
	cfg Config

	x        *mat.Dense // particles x^(i)
	y        *mat.Dense // their duals; x itself without a mirror
	energies []float64  // f(x^(i))
	past     *mat.Dense // what the particles remember; x itself without memory
	pastE    []float64
	best     query.Best

	batch       *batch
	noise, jolt gaussian

	c, weights []float64
	shares     []float64  // scratch for the consensus, as long as weights
	probe      *mat.Dense // c as a point to evaluate
	fc         []float64  // f(c), where the correction asks for it
	h, ones    []float64  // members: the factor H; 1
	z          *mat.Dense // members: x − c
	xi, work   *mat.Dense // members × width of the noise
	dxi        *mat.Dense // members: D(z)ξ
	scratch    []float64  // one member
	moved      *mat.Dense // members: new positions y
	seen       *mat.Dense // members: new positions x; moved itself without a mirror
	movedE     []float64

	alpha float64    // α of this step
	last  float64    // that of the one before
	own   *mat.Dense // members: the consensus of each; nil: c is that of all
	p, q  *mat.Dense // members: drift and noise; nil without momentum
	kept  *mat.Dense // what momentum keeps of a particle; nil: nothing
	root  *root      // for noise that is made of the weights; nil: it is not
}

// gaussian is where the numbers ξ ~ N(0, I) come from.
type gaussian interface{ Norm(dst []float64) }

// newSwarm makes room for the particles of a run.
func newSwarm(f objective.Objective, cfg Config, run int) *swarm {
	d, n, b := f.Dim(), cfg.Particles, cfg.Batch
	seed := rng.Seed(cfg.Seed)
	width := cfg.Noise.Width(d)
	s := &swarm{
		f: f, cfg: cfg,
		x: mat.NewDense(n, d, nil), energies: make([]float64, n),
		batch: newBatch(n, b, seed.Stream("cbo", "batch", run)),
		noise: seed.Stream("cbo", "noise", run),
		jolt:  seed.Stream("cbo", "resample", run),
		c:     make([]float64, d), weights: make([]float64, b), shares: make([]float64, b),
		probe: mat.NewDense(1, d, nil), fc: make([]float64, 1),
		h: make([]float64, b), ones: make([]float64, b),
		z: mat.NewDense(b, d, nil), dxi: mat.NewDense(b, d, nil),
		xi: mat.NewDense(b, width, nil), work: mat.NewDense(b, width, nil),
		scratch: make([]float64, d),
		moved:   mat.NewDense(b, d, nil), movedE: make([]float64, b),
	}
	for m := range b {
		s.h[m], s.ones[m] = 1, 1
	}
	s.y, s.seen = s.x, s.moved
	if !cfg.Mirror.same() {
		s.y, s.seen = mat.NewDense(n, d, nil), mat.NewDense(b, d, nil)
	}
	if !cfg.Sight.all() {
		s.own = mat.NewDense(b, d, nil)
	}
	if cfg.Momentum.keeps() {
		s.p, s.q, s.kept = mat.NewDense(b, d, nil), mat.NewDense(b, d, nil), mat.NewDense(n, 2*d, nil)
	}
	if _, ok := cfg.Noise.(weighed); ok {
		s.root = newRoot(b, d)
	}
	return s
}

// begin draws the particles and evaluates them where they start. If there are more
// known points than particles, it evaluates all and starts at the best.
func (s *swarm) begin(ctx context.Context, run int) error {
	n, d := s.x.Dims()
	start, known := s.y, 0
	stream := rng.Seed(s.cfg.Seed).Stream("start", run)
	for i := range n {
		s.cfg.Box.Draw(start.RawRowView(i), stream)
	}
	if s.cfg.Points != nil && run == 0 {
		if known, _ = s.cfg.Points.Dims(); known > n {
			start = mat.NewDense(known, d, nil)
		}
		for i := range known {
			s.cfg.Mirror.dual(start.RawRowView(i), s.cfg.Points.RawRowView(i))
		}
	}
	if known < n { // known points are asked for as they are
		s.cfg.Domain.Confine(rows(start, known, n), s.scratch)
	}
	count, _ := start.Dims()
	seen := start
	if !s.cfg.Mirror.same() {
		seen = mat.NewDense(count, d, nil)
		s.cfg.Mirror.image(seen, start, s.scratch)
	}
	energies := make([]float64, count)
	if err := s.evaluate(ctx, seen, energies); err != nil {
		return err
	}
	for i, k := range best(energies, n) {
		s.y.SetRow(i, start.RawRowView(k))
		s.x.SetRow(i, seen.RawRowView(k))
		s.energies[i] = energies[k]
	}
	s.past, s.pastE = s.cfg.Memory.recall(s.x, s.energies)
	return nil
}

// best returns the n indices of the least energies, in ascending order.
func best(energies []float64, n int) []int {
	if n >= len(energies) {
		return ranks.First(len(energies))
	}
	index := inOrder(energies)[:n]
	slices.Sort(index)
	return index
}

// inOrder returns the indices of the energies from the least to the largest.
func inOrder(energies []float64) []int {
	return ranks.Order(len(energies), func(a, b int) int { return cmp.Compare(energies[a], energies[b]) })
}

// evaluate evaluates the points and keeps the best.
func (s *swarm) evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.f.Evaluate(ctx, points, values)
	known := values[:query.Evaluated(values, err)]
	for i, v := range known {
		if math.IsNaN(v) { // never in a run
			known[i] = math.Inf(1)
		}
	}
	s.best.OfferAll(points, known)
	return err
}

// gather forms the consensus of the next step's members, or one for each.
func (s *swarm) gather(k int) {
	s.batch.deal()
	s.last, s.alpha = s.alpha, s.cfg.Alpha.At(k)
	if e, ok := s.cfg.Alpha.(EffectiveSize); ok {
		for m, i := range s.batch.members {
			s.weights[m] = s.pastE[i]
		}
		s.alpha = e.fit(s.weights, s.shares, s.last)
	}
	consensus(s.c, s.weights, s.past, s.pastE, s.batch.members, s.alpha, s.shares)
	if s.own != nil {
		s.cfg.Sight.consensus(s.own, s.past, s.pastE, s.batch.members, s.alpha, s.z, s.shares)
	}
}

// centre returns the consensus of the m-th member.
func (s *swarm) centre(m int) []float64 {
	if s.own != nil {
		return s.own.RawRowView(m)
	}
	return s.c
}

// apart reports whether there is a coordinate in which particles are further apart
// than tolerance·max(1, |c_j|), or further from the consensus that each has of its own.
func (s *swarm) apart(tolerance float64) bool {
	if s.own != nil {
		for m, i := range s.batch.members {
			for j, c := range s.own.RawRowView(m) {
				if !(math.Abs(s.x.At(i, j)-c) <= tolerance*max(1, math.Abs(c))) {
					return true
				}
			}
		}
		return false
	}
	n, d := s.x.Dims()
	for j := range d {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range n {
			v := s.x.At(i, j)
			lo, hi = min(lo, v), max(hi, v)
		}
		if !(hi-lo <= tolerance*max(1, math.Abs(s.c[j]))) { // NaN counts as apart
			return true
		}
	}
	return false
}
