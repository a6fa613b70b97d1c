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
// is right. Blocks that do not come apart are joined: for good, or, if what
// couples them is no more than errors too large to refine, until then.
func (r *road) polish(p *proposal) (*proposal, error) {
	if p.check.worst() <= r.tolerance && largest(p.chart.blocks) == 1 {
		return p, nil
	}
	if err := r.measure(p.chart); err != nil {
		return nil, err
	}
	finer, err := r.split(p, 1e-3)
	if err != nil {
		return nil, err
	}
	if finer != nil && finer.check.worst() <= apart {
		p = finer
	}
	if p, err = r.rounds(p); err != nil {
		return nil, err
	}
	if p, err = r.coarser(p); err != nil {
		return nil, err
	}
	return r.finest(p)
}

// coarser joins what couples, if that helps: at once, or when what was joined
// has fallen apart again in a better way.
func (r *road) coarser(p *proposal) (*proposal, error) {
	joined, err := r.join(p)
	if joined == nil || err != nil {
		return p, err
	}
	refined, err := r.rounds(joined)
	if err != nil {
		return nil, err
	}
	if refined.check.worst() <= p.check.worst()/10 {
		return refined, nil
	}
	split, err := r.split(joined, 1e-3)
	if split == nil || err != nil {
		return p, err
	}
	if refined, err = r.rounds(split); err != nil || refined.check.worst() > p.check.worst()/10 {
		return p, err
	}
	return refined, nil
}

// finest splits blocks as far as it can without losing what was reached.
func (r *road) finest(p *proposal) (*proposal, error) {
	for _, threshold := range []float64{1e-2, 1e-4} {
		q, err := r.split(p, threshold)
		if err != nil {
			return nil, err
		}
		if q == nil || q.check.worst() > apart {
			continue
		}
		if q, err = r.rounds(q); err != nil {
			return nil, err
		}
		if q.check.worst() <= max(10*r.tolerance, p.check.worst()) {
			return q, nil
		}
	}
	return p, nil
}

const (
	mostRounds = 10
	patience   = 3 // rounds without improvement
)

// rounds refines all pairs of blocks, then those that need it most: with an
// error of E somewhere, others below E² cannot be told from its effects.
func (r *road) rounds(p *proposal) (*proposal, error) {
	groups := allGroups(p.chart.blocks)
	refined := p.check.typical() <= r.tolerance // but for some
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
		if round > 0 || refined {
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

const (
	stuck = 100 // times the typical error, or the tolerance, is what refinement should have mended
	weak  = 0.1 // of a component's strongest coupling is one that does not count
	looks = 3   // designs in which the couplings of pairs are measured
)

// join joins blocks that refinement could not bring apart, if they are not most
// of them: each with that to which it couples most, and others to which it does
// nearly as much. It returns nil if there are none.
func (r *road) join(p *proposal) (*proposal, error) {
	least := stuck * max(p.check.typical(), r.tolerance)
	var culprits [][]int
	for b, block := range p.chart.blocks {
		if p.check.residue[b] > p.check.floor && p.check.err(b) > least {
			culprits = append(culprits, block)
		}
	}
	if n := len(culprits); n < 2 || n > max(2, len(p.chart.blocks)/2) {
		return nil, nil
	}
	groups := allGroups(culprits)
	pairs := pairsOf(groups)
	coupling, err := r.couplings(p.chart, groups, pairs)
	if err != nil {
		return nil, err
	}
	strongest := make([]float64, len(p.chart.spread))
	for k, q := range pairs {
		for _, i := range q {
			strongest[i] = max(strongest[i], coupling[k])
		}
	}
	graph := newGraph(len(p.chart.spread))
	for _, block := range p.chart.blocks {
		for _, i := range block {
			graph.join(block[0], i)
		}
	}
	for k, q := range pairs {
		if coupling[k] > weak*min(strongest[q[0]], strongest[q[1]]) {
			graph.join(q[0], q[1])
		}
	}
	if graph.parts == len(p.chart.blocks) || graph.parts == 1 {
		return nil, nil
	}
	return r.propose(p.chart.withBlocks(graph.blocks()))
}

// couplings returns how strongly some pairs couple, by mixed differences.
func (r *road) couplings(c *chart, groups []*group, pairs [][2]int) ([]float64, error) {
	coupling := make([]float64, len(pairs))
	for range looks {
		g, err := r.newDesign(c, involved(groups))
		if err != nil {
			return nil, err
		}
		values, err := r.mixed(g, pairs)
		if err != nil {
			return nil, err
		}
		for k, q := range pairs {
			unit := math.Sqrt(c.curvature[q[0]]*c.curvature[q[1]]) * g.h[q[0]] * g.h[q[1]]
			coupling[k] = max(coupling[k], math.Abs(orZero(values[k]/unit)))
		}
	}
	return coupling, nil
}

// propose checks a chart.
func (r *road) propose(c *chart) (*proposal, error) {
	k, err := r.check(c, 2)
	return &proposal{c, k, nil}, err
}
