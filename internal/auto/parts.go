package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

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
	var hidden []int
	for range mostTurns {
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
			if !p.done() {
				if err := p.minimize(ctx, r, k); err != nil {
					return objective.Running, err
				}
			}
		}
		if err := r.polished(ctx, parts); err != nil {
			return objective.Running, err
		}
	}
	if err := r.onceMore(ctx, parts); err != nil {
		return objective.Running, err
	}
	r.noteParts(parts)
	return objective.Converged, r.whole(ctx, parts)
}

// mostAgain is how often all parts are searched once more, as long as that helps.
const mostAgain = 3

// onceMore searches all parts again where there are bounds: they may have kept lines from the deepest well.
func (r *run) onceMore(ctx context.Context, parts []*part) error {
	for range mostAgain {
		before := r.f.best.Value
		if !r.task.Bounded() {
			return nil
		}
		for _, p := range parts {
			if err := p.again(ctx, r); err != nil {
				return err
			}
		}
		if err := r.polished(ctx, parts); err != nil || !(before-r.f.best.Value > r.f.tolerance()) {
			return err
		}
	}
	return nil
}

// parts returns the parts that were found, the heaviest first, and the variables that have to wait.
func (r *run) parts(found *interact.Found) (all []*part, wait []int) {
	wait = slices.Clone(found.Unseen)
	sure := func(g []int) bool {
		return !slices.ContainsFunc(g, func(i int) bool { return found.Sight[i] > 0 && found.Sight[i] < sureSight })
	}
	any := slices.ContainsFunc(found.Groups, sure) || len(found.Alone) > 0
	light := &part{section: &section{f: r.f, variables: slices.Clone(found.Alone)}, blocks: certify.Singles(len(found.Alone))}
	for _, c := range found.Changes {
		light.effect = math.Max(light.effect, c)
	}
	for k, g := range found.Groups {
		effect := 0.0
		if k < len(found.Effects) {
			effect = found.Effects[k]
		}
		switch {
		case any && !sure(g):
			wait = append(wait, g...)
		case len(g) <= smallGroup:
			s := light.section
			block := ranks.First(len(g))
			for i := range block {
				block[i] += len(s.variables)
			}
			s.variables, light.blocks = append(s.variables, g...), append(light.blocks, block)
			light.effect = math.Max(light.effect, effect)
		default:
			all = append(all, &part{section: &section{f: r.f, variables: g}, effect: effect})
		}
	}
	if len(light.blocks) > 0 {
		all = append(all, light)
	}
	slices.SortStableFunc(all, func(a, b *part) int { return cmp.Compare(b.effect, a.effect) })
	slices.Sort(wait)
	return all, wait
}

// smallGroup is the most variables of a group that is searched by CMA-ES together with other small ones and
// with lines along single variables: a survey of its own would take more.
const smallGroup = 5

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

func (r *run) noteParts(parts []*part) {
	groups, alone := 0, 0
	for _, p := range parts {
		if p.blocks == nil {
			groups++
		}
		for _, b := range p.blocks {
			if len(b) == 1 {
				alone++
			} else {
				groups++
			}
		}
	}
	r.learnt.Note("%s of variables that interact with no others were minimised one by one, and %s",
		words.Count(groups, "group", "groups"), words.Count(alone, "single variable", "single variables"))
}

// whole puts the coordinates of all parts together, and has random splits certify them. Variables of a part without
// coordinates are a block, and variables that nobody has seen are themselves.
func (r *run) whole(ctx context.Context, parts []*part) error {
	d := r.f.Dim()
	if d > mostRows {
		return nil // a full matrix would take longer than the run
	}
	w, blocks, left := mat.NewDense(d, d, nil), [][]int(nil), ranks.First(d)
	var profiles []frame.Profile
	row := 0
	add := func(variables []int, found *identify.Finding) {
		for _, b := range found.Blocks {
			block := slices.Clone(b)
			for k := range block {
				block[k] += row
			}
			blocks = append(blocks, block)
		}
		for j, v := range variables {
			for k, i := range variables {
				w.Set(row+j, i, found.Frame.Matrix().At(j, k))
			}
			left[v] = -1
		}
		row += len(variables)
	}
	for _, p := range parts {
		variables, found := p.section.variables, p.found()
		if found == nil {
			add(variables, identify.Known(frame.Identity(len(variables)), [][]int{ranks.First(len(variables))}))
			continue
		}
		for _, q := range p.run.learnt.Profiles {
			q.Component += row
			profiles = append(profiles, q)
		}
		add(variables, found)
	}
	if left = slices.DeleteFunc(left, func(i int) bool { return i < 0 }); len(left) > 0 {
		add(left, identify.Known(frame.Identity(len(left)), certify.Singles(len(left))))
	}
	return r.certified(ctx, w, blocks, profiles)
}

// certified tests coordinates by random splits, and keeps them.
func (r *run) certified(ctx context.Context, w *mat.Dense, blocks [][]int, profiles []frame.Profile) error {
	at, err := frame.New(w)
	if err != nil {
		return nil // what was found is rougher than it seemed
	}
	found := identify.Known(at, blocks)
	r.f.stage(objective.Stage{Name: "certificate", Purpose: objective.ToCheck})
	test := certify.Test{Bounds: r.task.Bounds, Slack: roughMost, Grain: r.f.grain, Seed: r.task.Seed}
	if found.Certificate, err = test.Splits(ctx, r.f, at, blocks); err != nil {
		return err
	}
	r.learnt.Finding, r.learnt.Profiles = found, profiles
	r.task.Found(found)
	return nil
}
