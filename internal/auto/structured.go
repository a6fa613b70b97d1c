package auto

import (
	"context"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// large is the number of dimensions from which on it is looked which variables interact: below it a survey
// that knows nothing of that takes no more than some twenty thousand queries.
const large = 128

// priced is how many times what it costs to look for interactions a survey that knows nothing of them must take at
// least, for that to be worth it.
const priced = 20

// dense is what it costs where all variables interact.
const dense = 140

// perInteraction is how many queries for each dimension may go into the search for interactions: sparse
// pairs take 160 at most.
const perInteraction = 200

// structured looks which variables interact, where there are many. If they make up several sets, it minimises
// over each of them by itself: another status than Running says that this has come to its end. If they are one
// set in which few pairs interact, the finding has coordinates from sparse Hessians. nil: nothing like
// that was found, and f is as any other.
func (r *run) structured(ctx context.Context) (*identify.Finding, objective.Status, error) {
	d := r.f.Dim()
	if d < large || r.part || r.task.Frame != nil || r.task.Identifier != nil || !r.measured ||
		r.f.grain.Kind != objective.NoNoise || identify.Least(d) < priced*dense || r.task.Budget < perDimension*d {
		return nil, objective.Running, nil
	}
	found, err := r.interactions(ctx, nil, nil)
	if err != nil {
		return nil, objective.Running, err
	}
	r.learnt.Interactions = Interactions(found)
	switch {
	case found.Kind == interact.Dense, found.Kind == interact.Undecided, len(found.Groups) == 0:
		return nil, objective.Running, nil
	case len(found.Groups) == 1 && len(found.Groups[0]) == d:
		at, err := r.sparsely(ctx, found)
		if at == nil && err == nil {
			err = r.sparseDescent(ctx, found)
		}
		return at, objective.Running, err
	}
	status, err := r.inParts(ctx, found)
	return nil, status, err
}

// interactions looks which of the live variables interact, from a point; nil: all, and a random one.
func (r *run) interactions(ctx context.Context, live []int, from []float64) (*interact.Found, error) {
	r.f.stage(interact.Stage)
	return interact.Find(ctx, r.f, interact.Search{
		Box: interact.Within(r.task.Bounds), Grain: r.f.grain, Random: rng.Seed(r.task.Seed).Stream("auto", "interactions", r.f.queries),
		Live: live, Point: from, Most: min(perInteraction*r.f.Dim(), r.task.Budget/2),
	})
}

// Interactions is what was found, for users.
func Interactions(found *interact.Found) *identify.Interactions {
	return &identify.Interactions{
		Kind: string(found.Kind), Groups: found.Groups, Alone: found.Alone, Unseen: found.Unseen, Band: found.Reach, Ring: found.Ring,
		Edges: found.Edges(), Pairs: found.Pairs, Effects: found.Effects, Changes: found.Changes, Margin: found.Margin, Queries: found.Queries,
	}
}
