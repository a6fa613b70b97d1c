package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// checkFlags are the flags of check as they were given.
type checkFlags struct {
	subject subjectFlags
	budget  int
	time    time.Duration
	json    bool
}

// checkCommand tries a function before it is minimised.
func checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [FILE.toml]",
		Short: "Try a program before it is minimised",
		Args:  oneFile,
		RunE:  f.subject.with(unseen, f.check),
	}
	flags := cmd.Flags()
	f.subject.register(flags)
	flags.Var(count(&f.budget), "budget", "how many queries a whole run will spend")
	flags.Var(duration(&f.time), "time", "how long a whole run may take: 90s, 10m, 2h")
	toggle(flags, &f.json, "json", "print one JSON object")
	return cmd
}

// check evaluates the subject and says what came of it.
func (f *checkFlags) check(cmd *cobra.Command, _ *source, s subject, _ *progressLine) error {
	ctx, stop := s.until()
	defer stop()
	f0 := s.objective
	if s.several.numbers() > 0 {
		f0 = query.NewReader(f0, s.several.reading())
	}
	w := &witness{f: query.NewGuard(f0)}
	w.f.Timed = true
	err := w.question(ctx, s)
	if err = cmp.Or(context.Cause(ctx), err); err != nil {
		return err
	}
	found := report.Check{
		Subject: s.words, Seed: s.seed, Start: [2]objective.Answer(w.answers[:2]), Others: w.answers[2:],
		Procs: f.subject.program.Procs, Budget: f.budget, Time: f.time, Residuals: s.several.Residuals, Outputs: s.several.Outputs,
	}
	if s.caller != nil {
		return s.caller.last(newResultForm(found, untwist.Account{}))
	}
	told, unusable := tell(cmd, found, f.json), found.Unusable()
	if unusable != nil {
		s.hint(cmd)
	}
	return cmp.Or(told, unusable)
}

// unseen is ready for a command that shows no progress.
func unseen() (quiet bool, err error) { return true, nil }

// otherPoints is how many points are evaluated besides the start point.
const otherPoints = 20

// A witness is an objective that remembers all answers.
type witness struct {
	f       *query.Guard
	answers []objective.Answer
}

func (w *witness) Dim() int { return w.f.Dim() }

func (w *witness) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	before := len(w.answers)
	ctx = query.WithNumbers(ctx, func(i int) int { return before + i + 1 })
	w.answers = append(w.answers, make([]objective.Answer, len(values))...)
	return w.f.Each(ctx, points, values, func(i int, a objective.Answer) { w.answers[before+i] = a }) // maybe from several goroutines
}

// question asks for the start point twice, one after the other, and then for other points.
func (w *witness) question(ctx context.Context, s subject) error {
	box, start := s.box(), []float64(nil)
	var f objective.Objective = w
	if s.space != nil {
		c := parameter.NewCoordinates(w, s.space)
		f, box, start = c, s.space.Start(), c.Know(s.space.Middle())
		if len(s.points) > 0 && s.space.Guess() == nil {
			start = c.Know(s.points[0])
		}
	} else if len(s.points) > 0 {
		start = s.points[0]
	}
	switch err := box.CheckFinite(); {
	case err == nil:
	case !s.start.IsZero():
		return objective.BadOption("Start", "%v", err)
	case errors.Is(err, objective.ErrNarrow):
		return objective.BadOption("Bounds", "%v", err)
	default:
		return objective.BadOption("Start", "needed, because the bounds are too wide to start in (%v)", err)
	}
	if start == nil {
		for i := range box.Lo {
			start = append(start, box.Lo[i]+(box.Hi[i]-box.Lo[i])/2)
		}
	}
	values := make([]float64, otherPoints)
	for range 2 {
		if err := f.Evaluate(ctx, mat.NewDense(1, len(start), start), values[:1]); err != nil {
			return err
		}
	}
	stream := rng.Seed(s.seed).Stream("check")
	others := mat.NewDense(otherPoints, len(start), nil)
	for i := range otherPoints {
		box.Draw(others.RawRowView(i), stream)
	}
	return f.Evaluate(ctx, others, values)
}
