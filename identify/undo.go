package identify

import (
	"context"
	"errors"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A map that is nearly straight in the middle of the box bends f where that is not seen: the
// plain road comes to a frame that is right, or nearly so, and fails at last where values are
// large. Then the frame tells the map. That also serves a frame that is known from elsewhere.

// undone returns the ground of ψ(f) for the ψ that makes the mixed differences of f over random
// squares least, in a frame with some blocks; nil if none makes them clearly less.
func undone(g *ground, f *frame.Frame, blocks [][]int) (*ground, error) {
	if g.psi != nil || g.mapless || len(blocks) < 2 {
		return nil, nil
	}
	squares, err := squaresOf(g, f, blocks, mapSplits)
	if err != nil {
		return nil, err
	}
	return undoneBy(g, squares), nil
}

// undoneBy returns it for squares that are known.
func undoneBy(g *ground, corners []outer.Corners) *ground {
	if g.psi != nil || g.mapless {
		return nil
	}
	psi := clearing(corners, nil)
	if psi == nil {
		return nil
	}
	var values []outer.Sample
	for _, c := range corners {
		for _, v := range c {
			values = append(values, outer.Sample{Value: v})
		}
	}
	return mapped(g, psi, values)
}

// A recorder is f, and remembers its values.
type recorder struct {
	objective.Objective
	values []float64
}

// Evaluate evaluates f.
func (r *recorder) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := r.Objective.Evaluate(ctx, points, values)
	r.values = append(r.values, values...)
	return err
}

// corners returns the values four by four, as a certificate asks for them, without those of
// which one is not finite.
func (r *recorder) corners() []outer.Corners {
	var all []outer.Corners
	for c := range slices.Chunk(r.values, 4) {
		if len(c) == 4 && !slices.ContainsFunc(c, func(v float64) bool { return !kernel.Finite(v) }) {
			all = append(all, outer.Corners(c))
		}
	}
	return all
}

// settled settles a candidate from forward differences, on f or under a map: one that shows
// over the whole box before, or one that its frame tells if it does not settle on f.
func (m mapper) settled(c *candidate, chain hessian.Chain) (proposal, error) {
	if proposed, err := m.p.hesitate(c, chain); proposed.done() || err != nil {
		return proposed, err
	}
	settled, now, err := m.p.settler.settle(c)
	if settled != nil || err != nil {
		return proposal{settled: settled}, err
	}
	g, err := undone(m.p.g, now.frame, now.blocks)
	if g == nil || err != nil {
		return proposal{}, err
	}
	return m.on(g, chain)
}

// errInstead ends a refinement that has led to a proposal of another kind: under a map, or with
// couplings.
var errInstead = errors.New("identify: there is another frame")

// stalled is called where a refinement makes no progress, before a part that takes so many
// queries. It looks once whether the best frame so far tells a map, and then whether to go on.
func (m mapper) stalled(queries int) error {
	if best := m.p.settler.best; !m.p.unmapped && best != nil && m.p.chain.Points != nil {
		m.p.unmapped = true
		g, err := undone(m.p.g, best.frame, best.blocks)
		if err != nil {
			return err
		}
		if g != nil {
			if m.p.instead, err = m.on(g, m.p.chain); err != nil {
				return err
			}
			if m.p.instead.done() {
				return errInstead
			}
		}
	}
	return nearRoad(m).stalled(queries)
}

// bent looks for a map under which a frame that has settled, and failed its certificate,
// passes it. It returns nil if there is none.
func (w *work) bent(found Finding, s *span, c *candidate, verdict certify.Verdict) (*Finding, error) {
	if c == nil || verdict != certify.NotSeparable {
		return nil, nil
	}
	g, err := undone(w.g, c.frame, c.blocks)
	if g == nil || err != nil {
		return nil, err
	}
	mapped, err := bentOn(w, g, found, s, c)
	if mapped != nil || err != nil {
		return mapped, err
	}
	// There is a map, and it was not found: what follows may well be in vain.
	return nil, w.by.doubt(wholeDesigns * len(c.spread) * len(c.spread) / 2)
}

// bentOn is bent on the ground of a map.
func bentOn(w *work, g *ground, found Finding, s *span, c *candidate) (*Finding, error) {
	var err error
	settler := &settler{g: g, tolerance: w.Tolerance, thorough: w.thorough, measures: w.Measures, stage: w.stage, doubt: func(int) error { return nil }}
	if c, err = newCandidate(g, c.frame, c.blocks).looked(g); err != nil {
		return nil, err
	}
	if c, err = settler.offer(c, checkPoints); err != nil || !c.check.usable() {
		return nil, err
	}
	if c, err = remapped(settler, c); err != nil {
		return nil, err
	}
	settled, _, err := settler.settle(c)
	if settled == nil || err != nil {
		return nil, err
	}
	on := *w
	on.g = g
	found.Map = g.psi.Scaled(1 / g.factor)
	if err := on.conclude(&found, s, proposal{settled: settled, ground: g}, settled); err != nil {
		return nil, err
	}
	if v := found.Certificate.Verdict; v != certify.Separable && v != certify.Blocks {
		return nil, nil
	}
	*w = on
	return &found, nil
}

// under certifies a known frame, which f itself has failed, under the map that it tells. It
// returns the finding as it was if there is none.
func (w *work) under(found *Finding) (*Finding, error) {
	w.stage(certificate)
	g, err := undone(w.g, found.Frame, found.Blocks)
	if g == nil || err != nil {
		return found, err
	}
	on, mapped := *w, *found
	on.g, mapped.Map = g, g.psi.Scaled(1/g.factor)
	if err := on.certify(&mapped, 0); err != nil {
		return found, err
	}
	if v := mapped.Certificate.Verdict; v != certify.Separable && v != certify.Blocks {
		return found, nil
	}
	*w = on
	return &mapped, nil
}
