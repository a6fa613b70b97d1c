package untwist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// Probe finds the coordinates in which f separates and certifies them. It does not
// search for the minimum.
//
// Strategy, Frame, Blocks, Points, Target and Tolerance are for Minimize and must not be
// given. As with Minimize, it is not an error
// if the budget is spent or ctx ends: Findings.Status says so, Findings has what was found
// so far, and the verdict is certify.Unknown. It is an error if f is constant, or is not
// finite where it has to be.
func Probe(ctx context.Context, f objective.Objective, o Options) (Findings, error) {
	by := o.Identifier
	if by == nil {
		by = identify.Survey{}
	}
	wrong := o.continuous("fix it to look for coordinates of the others")
	return look(ctx, f, o, "probe", wrong, func(ctx context.Context, r *run) (*identify.Finding, *InteractionGraph, error) {
		found, err := r.identify(ctx, by)
		return found, nil, err
	})
}

// look looks for what f is like by find, unless something is wrong with the options.
func look(ctx context.Context, f objective.Objective, o Options, command string, wrong error,
	find func(context.Context, *run) (*identify.Finding, *InteractionGraph, error)) (Findings, error) {
	nothing := Findings{Account: Account{Value: math.Inf(1), Status: objective.Failed}, Structure: noStructure(0)}
	if f == nil || f.Dim() < 1 {
		return nothing, errNoObjective
	}
	if err := cmp.Or(o.onlyToProbe(), wrong); err != nil {
		return nothing, err
	}
	r, err := newRun(f, command, o)
	if err != nil {
		return nothing, err
	}
	defer r.finish()
	ctx, cancel := o.timed(ctx)
	defer cancel()
	found, graph, err := find(ctx, r)
	if void := r.vouched(err); void != nil {
		nothing.Account = r.voided()
		return nothing, void
	}
	out, unscaled := r.findings(found)
	out.Structure.Interactions = graph
	if err = cmp.Or(err, unscaled, r.finish()); err == nil {
		out.Status = objective.Converged
		return out, nil
	}
	out.Status, err = objective.StatusOf(ctx, err)
	return out, err
}

// identify finds the coordinates.
func (r *run) identify(ctx context.Context, by identify.Identifier) (*identify.Finding, error) {
	found, returned, err := attend(ctx, func(d *desk) (*identify.Finding, error) {
		a := attended{d, r}
		grain, err := a.grain(ctx, by)
		if err != nil {
			return identify.Known(nil, nil), err
		}
		if _, paper := by.(identify.Paper); !paper {
			r.grain = &grain
		}
		found, err := identify.Find(ctx, by, a, identify.Request{Bounds: r.scale.Bounds(), Seed: r.options.Seed, Grain: grain, Stage: a.enter})
		if grain.Kind == objective.SinglePrecision {
			found.Notes = append(found.Notes, noiseInWords(Noise{Kind: grain.Kind, Sigma: grain.Absolute}))
		}
		return found, err
	})
	if !returned {
		found = identify.Known(nil, nil)
		found.Notes = []string{abandoned}
	}
	return found, err
}

// grain measures how exact the values of f are, for an identifier that wants to know it: the
// paper's does not. Random numbers come from the stream ("grain").
func (a attended) grain(ctx context.Context, by identify.Identifier) (objective.Grain, error) {
	if _, paper := by.(identify.Paper); paper {
		return objective.Rounding, nil
	}
	if sigma := a.run.options.NoiseLevel; sigma > 0 {
		return objective.Known(sigma), nil
	}
	a.enter(grains.OfNoise)
	return grains.Measure(ctx, a, objective.Cube(a.Dim(), -1, 1), rng.Seed(a.run.options.Seed).Stream("grain"))
}

// Interactions finds which parameters of f interact, by group tests with few queries: blocks, bands, sparse
// pairs, parameters that stand alone. It looks neither for other coordinates nor for the minimum. Two parameters
// do not interact if f is a sum of two functions, each of which depends on one of them. Findings.Interactions has
// what was found.
//
// Options are those of Probe; there must be no Identifier.
func Interactions(ctx context.Context, f objective.Objective, o Options) (Findings, error) {
	var wrong error
	if o.Identifier != nil {
		wrong = objective.BadOption("Identifier", "is for Minimize and Probe; Interactions looks for no coordinates")
	}
	return look(ctx, f, o, "interactions", wrong, func(ctx context.Context, r *run) (*identify.Finding, *InteractionGraph, error) {
		graph, err := r.interactions(ctx)
		return identify.Known(nil, nil), graph, err
	})
}

// interactions finds which parameters interact. Random numbers come from the stream ("interactions").
func (r *run) interactions(ctx context.Context) (*InteractionGraph, error) {
	found, returned, err := attend(ctx, func(d *desk) (*interact.Found, error) {
		a := attended{d, r}
		grain, err := a.grain(ctx, identify.Survey{})
		if err != nil {
			return &interact.Found{Kind: interact.Undecided}, err
		}
		r.grain = &grain
		a.enter(interact.Stage)
		return interact.Find(ctx, a, interact.Search{
			Box: interact.Within(r.scale.Bounds()), Grain: grain, Random: rng.Seed(r.options.Seed).Stream("interactions"),
		})
	})
	if !returned {
		return nil, err
	}
	return auto.Interactions(found), err
}

// onlyToProbe returns an *OptionError for the first option that is only for Minimize.
func (o *Options) onlyToProbe() error {
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"Strategy", o.Strategy != nil}, {"Frame", o.Frame != nil}, {"Blocks", o.Blocks != nil},
		{"Points", o.Points != nil}, {"Target", o.Target != nil}, {"Tolerance", o.Tolerance != 0},
		{"Limits", o.Limits != nil},
	} {
		if option.given {
			return objective.BadOption(option.name, "is for Minimize; Probe does not search")
		}
	}
	return nil
}

var errNoObjective = errors.New("untwist: the objective is nil or has no dimension")

// Findings say what Probe has found and what it cost. Point is the best point that was
// evaluated on the way.
type Findings struct {
	Account
	Structure
	// Noise is how exact f's values are; nil: the identifier does not ask for that.
	Noise *Noise
	// Forecast is about how many queries it was to take, and Odds the probability that f separates, as the search began;
	// 0: nobody has said.
	Forecast int
	Odds     float64
}

// String says in a sentence what was found.
func (f Findings) String() string {
	if f.Interactions != nil {
		return strings.Join(append([]string{f.Interactions.String()}, f.Notes...), "; ")
	}
	if f.Frame == nil && f.Status == objective.BudgetSpent {
		text := "no coordinates were found: the budget was spent first"
		if f.Forecast > 0 {
			text += fmt.Sprintf("; for %s it takes about %s queries where f separates", words.Count(f.Dim, "dimension", "dimensions"), words.Thousands(f.Forecast))
		}
		return text
	}
	return strings.Join(append([]string{f.Structure.String()}, f.Notes...), "; ")
}

// findings returns what was found, in the user's coordinates.
func (r *run) findings(found *identify.Finding) (Findings, error) {
	structure, err := r.structure(found)
	out := Findings{Account: r.account(), Structure: structure}
	out.Notes, out.Forecast, out.Odds = found.Notes, found.Forecast, found.Odds
	if g := r.grain; g != nil {
		out.Noise = &Noise{Kind: g.Kind}
		if g.Kind != objective.NoNoise {
			out.Noise.Sigma = g.Of(out.Value)
		}
	}
	return out, err
}

// An InteractionGraph says which parameters of f interact. They are counted from 0, without those that
// are fixed.
type InteractionGraph = identify.Interactions
