package identify

import "math"

// settle polishes a proposal and returns it if that brought all blocks apart,
// nil if it did not.
func (r *road) settle(p *proposal) (*proposal, error) {
	r.stage("refinement")
	p, err := r.polish(p)
	if err == nil && p.check.worst() <= apart {
		return p, nil
	}
	r.strikes++
	r.stage("hessians")
	return nil, err
}

// lost reports whether so many proposals looked usable and were not that f does
// not separate.
func (r *road) lost() bool { return r.strikes >= 3 }

// polish refines a proposal until it passes its check to the tolerance or gets
// no better. Blocks that need not be are split, before and again when all else
// is right. Where some blocks do not come apart those that couple are joined:
// for good, or, if what couples them is no more than errors too large to refine,
// until then.
func (r *road) polish(p *proposal) (*proposal, error) {
	if p.check.worst() <= r.tolerance && largest(p.chart.blocks) == 1 {
		return p, nil
	}
	err := r.measure(p.chart)
	if err != nil {
		return nil, err
	}
	if p, err = r.finer(p); err != nil {
		return nil, err
	}
	if p, err = r.rounds(p); err != nil {
		return nil, err
	}
	if p.check.worst() > apart {
		coarser, err := r.join(p)
		if coarser == nil || err != nil {
			return p, err
		}
		if coarser, err = r.finer(coarser); err != nil {
			return nil, err
		}
		if coarser, err = r.rounds(coarser); err != nil || coarser.check.worst() > apart {
			return p, err
		}
		p = coarser
	}
	finest, err := r.finer(p)
	if finest == p || err != nil {
		return p, err
	}
	return r.rounds(finest)
}

// finer returns a proposal with its blocks split as far as they fall apart.
func (r *road) finer(p *proposal) (*proposal, error) {
	finer, err := r.split(p)
	if finer == nil || finer.check.worst() > max(apart, 3*p.check.worst()) {
		return p, err
	}
	return finer, nil
}

const (
	mostRounds = 10
	patience   = 3 // rounds without improvement
)

// rounds refines all pairs of blocks, then those that need it most: with an
// error of E somewhere, others below E² cannot be told from its effects.
func (r *road) rounds(p *proposal) (*proposal, error) {
	groups := allGroups(p.chart.blocks)
	for round, failed := 0, 0; round < mostRounds && failed < patience; round++ {
		worst := p.check.worst()
		if worst <= r.tolerance {
			again, err := r.check(p.chart, 2) // the points may have been blind
			if err != nil {
				return p, err
			}
			p.check.add(again)
			if worst = p.check.worst(); worst <= r.tolerance {
				return p, nil
			}
		}
		if round > 0 {
			groups = badGroups(p.chart, p.check, max(r.tolerance, worst*worst))
		}
		next, err := r.round(p, groups)
		if next == nil || err != nil {
			return p, err
		}
		if next.check.worst() > worst/2 {
			failed++
		}
		if next.check.typical() > 3*p.check.typical() && round == 0 {
			r.strikes++ // the model does not hold
			return p, nil
		}
		if next.check.worst() <= worst || next.check.typical() < p.check.typical()/2 {
			p = next
		}
	}
	return p, nil
}

// round refines some pairs of blocks; nil if the frame falls apart.
func (r *road) round(p *proposal, groups []*group) (*proposal, error) {
	e, err := r.refine(p.chart, groups)
	if err != nil {
		return nil, err
	}
	c := r.redraw(p.chart, e)
	if c == nil {
		return nil, nil
	}
	return r.propose(c)
}

func (r *road) propose(c *chart) (*proposal, error) {
	k, err := r.check(c, 2)
	return &proposal{c, k, nil}, err
}

const (
	coupled = 0.01 // the error of a block, and the coupling of a pair, that does not go away
	looks   = 3    // designs in which the couplings of pairs are measured
)

// join joins the blocks that refinement could not bring apart, if they are not
// most of them: those among which mixed differences stay. It returns nil if
// there are none.
func (r *road) join(p *proposal) (*proposal, error) {
	var culprits [][]int
	for b, block := range p.chart.blocks {
		if p.check.residue[b] > p.check.floor && p.check.err(b) > coupled {
			culprits = append(culprits, block)
		}
	}
	if n := len(culprits); n < 2 || n > len(p.chart.blocks)/2 {
		return nil, nil
	}
	groups := allGroups(culprits)
	pairs := pairsOf(groups)
	sum := make([]float64, len(pairs)) // of squares
	for range looks {
		g, err := r.newDesign(p.chart, involved(groups))
		if err != nil {
			return nil, err
		}
		values, err := r.mixed(g, pairs)
		if err != nil {
			return nil, err
		}
		for k, q := range pairs {
			unit := math.Sqrt(p.chart.curvature[q[0]]*p.chart.curvature[q[1]]) * g.h[q[0]] * g.h[q[1]]
			sum[k] += square(values[k] / unit)
		}
	}
	graph := newGraph(len(p.chart.spread))
	for _, block := range p.chart.blocks {
		for _, i := range block {
			graph.join(block[0], i)
		}
	}
	for k, q := range pairs {
		if math.Sqrt(sum[k]/looks) > coupled {
			graph.join(q[0], q[1])
		}
	}
	if graph.parts == len(p.chart.blocks) {
		return nil, nil
	}
	return r.propose(p.chart.withBlocks(graph.blocks()))
}
