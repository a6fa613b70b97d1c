package identify

import (
	"errors"

	"github.com/untwist/untwist/objective"
)

// A settler brings the blocks of candidates apart, by refining, splitting and joining
// them.
type settler struct {
	g         *ground
	tolerance float64 // the error E that is small enough
	measures  int     // points at which steps are measured
	stage     func(objective.Stage)
	thorough  bool // two Hessians are not enough
	strikes   int  // candidates that looked usable and were not
	// doubt is called before a round of so many queries that may well be in vain.
	doubt func(queries int) error

	best *candidate // the best so far, with all that is known about it
	now  *candidate // the one that is being settled, as it came, likewise
}

const (
	// apart is the error up to which blocks are apart. On the suite, refined frames of
	// functions that separate, into blocks or not, stood at 7e-6 or less, and those of
	// functions that do not at 0.01 and more; the certificate sees to these.
	apart = 0.02
	// mostStrikes is after how many strikes f does not separate: two may be bad luck.
	mostStrikes = 3
)

// lost reports whether so many candidates looked usable and were not that f does
// not separate.
func (s *settler) lost() bool { return s.strikes >= mostStrikes }

// know keeps what was learnt of a candidate, if it is the best so far or the one that is
// being settled, and returns it.
func (s *settler) know(c *candidate) *candidate {
	if s.best != nil && s.best.same(c) {
		s.best = c
	}
	if s.now != nil && s.now.same(c) {
		s.now = c
	}
	return c
}

// offer checks a candidate at some points and keeps it if it is typically better
// than the best.
func (s *settler) offer(c *candidate, points int) (*candidate, error) {
	c, err := c.checked(s.g, points)
	if err != nil {
		return nil, err
	}
	if s.best == nil || c.check.typical() <= s.best.check.typical() {
		s.best = c
	}
	return c, nil
}

// settle polishes a candidate. It returns the result if all blocks came apart, otherwise
// nil; and the candidate as it came, with what was learnt of it on the way.
func (s *settler) settle(c *candidate) (settled, now *candidate, err error) {
	s.stage(refinement)
	s.now = c
	settled, err = s.polish(c)
	if err == nil && settled.check.worst() <= apart {
		return settled, s.now, nil
	}
	s.strikes++
	s.stage(hessians)
	if errors.Is(err, errNearly) {
		err = nil
	}
	return nil, s.now, err
}

// early settles a frame from two Hessians, if most of it is as right as it has to be. Two
// Hessians diagonalise whatever f is, so that the check alone speaks for it. It returns nil
// if that does not make it right altogether, which is no strike: a third Hessian may.
func (s *settler) early(c *candidate) (*candidate, error) {
	if c == nil || s.thorough || !c.check.usable() || c.check.typical() > s.tolerance {
		return nil, nil
	}
	s.stage(refinement)
	defer s.stage(hessians)
	c, err := c.withSteps(s.g, s.measures)
	if err != nil {
		return nil, err
	}
	if c, err = s.determined(s.know(c)); err != nil || c.check.quantile(mostBlocks) > s.tolerance {
		return nil, err
	}
	strikes := s.strikes
	c, err = s.rounds(c, patience-1)
	s.strikes = strikes
	if errors.Is(err, errNearly) {
		return nil, nil
	}
	if err != nil || c.check.worst() > progress*s.tolerance {
		return nil, err
	}
	return c, nil
}

// The couplings within a block below which it is split: at first, and then, when all else
// is right, once more by a coarser threshold and by a finer one. Components that belong
// together couple by 1e-2 to 1e-1, and others by 1e-6 or less where Hessians are exact.
const (
	splitFirst  = 1e-3
	splitCoarse = 1e-2
	splitFine   = 1e-4
)

// polish refines a candidate until it passes its check to the tolerance or gets
// no better. Blocks that need not be are split, before and again when all else
// is right. Blocks that do not come apart are joined: for good, or, if what
// couples them is no more than errors too large to refine, until then.
func (s *settler) polish(c *candidate) (*candidate, error) {
	if c.check.worst() <= s.tolerance && largest(c.blocks) == 1 {
		return c, nil
	}
	measured, err := c.withSteps(s.g, s.measures)
	if err != nil {
		return nil, err
	}
	c = s.know(measured)
	c, finer, err := s.split(c, splitFirst)
	if err != nil {
		return nil, err
	}
	if finer != nil && finer.check.worst() <= apart {
		c = finer
	}
	if c, err = s.rounds(c, patience); err != nil {
		return nil, err
	}
	if c, err = s.coarser(c); err != nil {
		return nil, err
	}
	return s.finest(c)
}

// gain is by what factor a detour must better the worst error to be taken, and by what
// factor of the tolerance finer blocks may be worse than coarser ones.
const gain = 10

// coarser joins what couples, if that helps: at once, or when what was joined
// has fallen apart again in a better way.
func (s *settler) coarser(c *candidate) (*candidate, error) {
	joined, err := s.join(c)
	if joined == nil || err != nil {
		return c, err
	}
	refined, err := s.rounds(joined, patience)
	if err != nil {
		return nil, err
	}
	if refined.check.worst() <= c.check.worst()/gain {
		return refined, nil
	}
	_, split, err := s.split(joined, splitFirst)
	if split == nil || err != nil {
		return c, err
	}
	if refined, err = s.rounds(split, patience); err != nil || refined.check.worst() > c.check.worst()/gain {
		return c, err
	}
	return refined, nil
}

// finest splits blocks as far as it can without losing what was reached.
func (s *settler) finest(c *candidate) (*candidate, error) {
	for _, threshold := range []float64{splitCoarse, splitFine} {
		next, finer, err := s.split(c, threshold)
		if err != nil {
			return nil, err
		}
		if c = next; finer == nil || finer.check.worst() > apart {
			continue
		}
		if finer, err = s.rounds(finer, patience); err != nil {
			return nil, err
		}
		if finer.check.worst() <= max(gain*s.tolerance, c.check.worst()) {
			return finer, nil
		}
	}
	return c, nil
}

const (
	mostRounds = 10 // more than enough: the suite took six at most
	patience   = 3  // rounds without progress
	progress   = 2  // by what factor a round must better an error to count; most square it
	// wild is the factor by which a first round makes the typical error worse where f
	// does not separate. On the suite it was 2.2 to 120 there, and at most 0.71 where it
	// does.
	wild = 3
)

// rounds refines all pairs of blocks, then those that need it most: with an
// error of E somewhere, others below E² cannot be told from its effects. It gives up after
// so many rounds without progress.
func (s *settler) rounds(c *candidate, patience int) (*candidate, error) {
	groups := allGroups(c.blocks)
	refined := c.check.quantile(mostBlocks) <= s.tolerance // most of them are
	for round, failed := 0, 0; round < mostRounds && failed < patience; round++ {
		worst := c.check.worst()
		if worst <= s.tolerance {
			again, err := c.checked(s.g, checkPoints) // the points may have been blind
			if err != nil {
				return c, err
			}
			c = s.know(c.recheckedTo(again.check))
			if worst = c.check.worst(); worst <= progress*s.tolerance {
				return c, nil
			}
		}
		if round > 0 || refined {
			groups = badGroups(c, max(s.tolerance, min(worst*worst, worst/progress)))
		}
		if len(groups) == 0 {
			return c, nil
		}
		if n := len(allGroups(c.blocks)); failed > 0 && float64(len(groups)) > (1-mostPairs)*float64(n) {
			if err := s.doubt(wholeDesigns * len(pairsOf(groups))); err != nil {
				return c, err
			}
		}
		now, next, err := s.round(c, groups)
		if c = now; next == nil || err != nil {
			return c, err
		}
		if next.check.worst() > worst/progress {
			failed++
		}
		if next.check.typical() > wild*c.check.typical() && round == 0 {
			s.strikes++ // the model does not hold
			return c, nil
		}
		if next.check.worst() <= worst || next.check.typical() < c.check.typical()/progress {
			if c = next; c.check.worst() > s.tolerance {
				if c, err = remapped(s, c); err != nil {
					return c, err
				}
			}
		}
	}
	return c, nil
}

// determined returns the candidate refined where its Hessians say little. Pairs for which
// that changes much are looked at again, since what is left is of third order.
func (s *settler) determined(c *candidate) (*candidate, error) {
	next, groups := c, allGroups(c.blocks)
	for k := 0; k < passes && len(groups) > 0; k++ {
		e, now, err := supplement(s.g, next, groups)
		if err != nil {
			return c, err
		}
		if e == nil {
			break
		}
		if next = now.redrawn(s.g, e); next == nil {
			return c, nil
		}
		groups = large(e, groups)
	}
	return next.checked(s.g, checkPoints)
}

// round refines some pairs of blocks. It returns the candidate with what was seen on
// the way, and the refined one; nil if there is none, or if the frame falls apart.
func (s *settler) round(c *candidate, groups []*group) (now, next *candidate, err error) {
	e, c, err := refine(s.g, c, groups)
	if e == nil || err != nil { // f fails wherever blocks could be tested
		return c, nil, err
	}
	if s.know(c); e == nil {
		return c, nil, nil
	}
	if next = c.redrawn(s.g, e); next == nil {
		return c, nil, nil
	}
	next, err = next.checked(s.g, checkPoints)
	return c, next, err
}
