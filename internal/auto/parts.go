package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// peels is how often it is looked again for variables that heavier ones have hidden: weights that span
// fifteen orders of magnitude are three or four layers.
const peels = 12

// sureSight is the least mixed difference, in thresholds, with which a group is taken for what it seems.
// Groups with a lesser one wait until those have come down that hide it.
const sureSight = 100

// mostPolishes is how often all parts are polished in turn: each time the others are lower, and f more exact.
const mostPolishes = 8

// inParts minimises over the sets of variables that do not interact, one after the other, the heaviest first.
// Then it looks again, from the point found, at variables that were hidden. Parts that do not come to their end
// are tried again, with more queries each time.
func (r *run) inParts(ctx context.Context, found *interact.Found) (objective.Status, error) {
	var parts []*part
	hidden := []int(nil)
	for range peels {
		fresh, wait := r.parts(found)
		for _, p := range fresh {
			if err := p.minimize(ctx, r, len(parts)); err != nil {
				return objective.Running, err
			}
			if p.status == objective.Unbounded {
				return p.status, nil
			}
			parts = append(parts, p)
		}
		if err := r.polished(ctx, parts); err != nil {
			return objective.Running, err
		}
		if len(wait) == 0 || len(fresh) == 0 && slices.Equal(wait, hidden) {
			break
		}
		hidden = wait
		var err error
		if found, err = r.interactions(ctx, hidden, slices.Clone(r.f.best.Point)); err != nil {
			return objective.Running, err
		}
		if found.Kind == interact.Undecided {
			break
		}
	}
	for slices.ContainsFunc(parts, func(p *part) bool { return !p.done() }) {
		for k, p := range parts {
			if p.done() {
				continue
			}
			if err := p.minimize(ctx, r, k); err != nil {
				return objective.Running, err
			}
		}
		if err := r.polished(ctx, parts); err != nil {
			return objective.Running, err
		}
	}
	r.noteParts(parts)
	return objective.Converged, r.whole(ctx, parts)
}

// parts returns the parts that were found, the heaviest first, and the variables that have to wait.
func (r *run) parts(found *interact.Found) (all []*part, wait []int) {
	wait = slices.Clone(found.Unseen)
	sure := func(g []int) bool {
		return !slices.ContainsFunc(g, func(i int) bool { return found.Sight[i] > 0 && found.Sight[i] < sureSight })
	}
	any := slices.ContainsFunc(found.Groups, sure) || len(found.Alone) > 0
	for k, g := range found.Groups {
		if any && !sure(g) {
			wait = append(wait, g...)
			continue
		}
		p := &part{section: &section{f: r.f, variables: g}}
		if k < len(found.Effects) {
			p.effect = found.Effects[k]
		}
		all = append(all, p)
	}
	if len(found.Alone) > 0 {
		p := &part{section: &section{f: r.f, variables: found.Alone}, alone: true}
		for _, c := range found.Changes {
			p.effect = math.Max(p.effect, c)
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b *part) int { return cmp.Compare(b.effect, a.effect) })
	slices.Sort(wait)
	return all, wait
}

// polished takes Newton steps in all parts, for as long as that helps.
func (r *run) polished(ctx context.Context, parts []*part) error {
	for range mostPolishes {
		before := r.f.best.Value
		for _, p := range parts {
			if err := p.polish(ctx, r); err != nil {
				return err
			}
		}
		if !(before-r.f.best.Value > r.f.none(r.f.best.Value)) || before-r.f.best.Value < math.Abs(before)/2 {
			return nil
		}
	}
	return nil
}

// noteParts says what was searched.
func (r *run) noteParts(parts []*part) {
	groups, alone := 0, 0
	for _, p := range parts {
		if p.alone {
			alone += len(p.section.variables)
		} else {
			groups++
		}
	}
	r.learnt.Note("%s of variables that interact with no others were minimised one by one, and %s",
		words.Count(groups, "group", "groups"), words.Count(alone, "single variable", "single variables"))
}

// whole puts the coordinates of all parts together.
func (r *run) whole(context.Context, []*part) error { return nil }
