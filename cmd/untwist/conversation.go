package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A conversation is a run that is asked and told by calls of the program. Every call makes the
// queries again that are in the journal, comes to the first that is not, and stops there.
type conversation struct {
	options untwist.Options
	dim     int // how many numbers a point has
	asked   asked
	changed bool // asked is to be recorded
	begun   bool // it was recorded before
	note    func(string)
}

// conversation returns the run that the flags describe, or the journal, or both: the flags
// that decide a run have to be all there, or none of them.
func (f *askFlags) conversation(cmd *cobra.Command, from *source, file string) (*conversation, error) {
	line := newProgressLine(cmd.ErrOrStderr(), true)
	deciding := from.first(decidingFlags)
	described := deciding != "" || from.file != nil
	c, err := recall(file, line.note)
	if err != nil && !described {
		if errors.Is(err, fs.ErrNotExist) {
			err = usageError{fmt.Errorf("%s is not there yet. What is to be asked for? Give --param NAME=LO:HI for each parameter, or --dim N with --bounds LO:HI, and --budget N", file)}
		}
		return nil, err
	}
	var was conversation
	if c != nil {
		was = *c
	}
	now := f.asked(from, was.asked)
	if !described {
		c.asked, c.changed = now, from.first(changingFlags) != ""
		return c, nil
	}
	if now.Budget == 0 {
		return nil, usageError{errors.New("how long may it take? Give --budget N, the most points to ask for")}
	}
	if was.begun && from.file == nil && from.first([]string{"param", "dim"}) == "" {
		return nil, usageError{fmt.Errorf("--%s decides the run, and %s is begun: give all such flags as the first time, or none of them", deciding, file)}
	}
	s, err := f.subjectToAsk(from, file)
	if err != nil {
		return nil, err
	}
	options, err := f.options(s, line)
	if err != nil {
		return nil, err
	}
	options.Progress, options.Workers = nil, 0
	return &conversation{options: options, dim: len(s.space), asked: now, changed: true, begun: was.begun, note: line.note}, nil
}

// subjectToAsk is the subject that the flags describe, without a function.
func (f *askFlags) subjectToAsk(from *source, file string) (subject, error) {
	if from.file == nil && from.first([]string{"param", "dim"}) == "" {
		return subject{}, usageError{errors.New("which parameters are there? Give --param NAME=LO:HI for each, or --dim N with --bounds LO:HI")}
	}
	f.chosen.Journal.File = file
	space, points, err := f.subject.where(from)
	if err != nil {
		return subject{}, err
	}
	numbers, _, err := f.subject.several.read(from)
	if err != nil {
		return subject{}, err
	}
	return subject{space: space, points: points, seed: f.subject.spec.Seed, several: numbers}, nil
}

// continues returns an error if the file is the journal of another run. If it has no answer, it
// would otherwise be begun anew.
func (c *conversation) continues(file string, was journal.Summary) error {
	options := c.options
	options.Journal.File = file
	if err := c.asked.apply(&options); err != nil {
		return err
	}
	about, err := untwist.About(&exchange{shape: shape{c.dim, c.numbers()}}, "minimize", options)
	if err != nil {
		return err
	}
	var differences []journal.Difference
	for _, d := range journal.Diff(was.About, about) {
		if member, _, _ := strings.Cut(d.Path, "."); !slices.Contains([]string{"Budget", "Asked", "Leases", "Numerics"}, member) {
			differences = append(differences, d)
		}
	}
	if len(differences) > 0 {
		return &journal.DiffersError{File: file, Differences: differences}
	}
	return nil
}

// A question is the points that are not told yet. tell takes the answer of one.
type question struct {
	points *mat.Dense
	number func(i int) int
	tell   func(i int, numbers []float64)
}

// space returns the parameters: x1, x2, … if they have no names.
func (c *conversation) space() parameter.Space {
	if c.options.Parameters == nil {
		return parameter.Plain(c.dim)
	}
	return c.options.Parameters
}

// numbers returns how many numbers an answer has; 0: a value alone.
func (c *conversation) numbers() int {
	return answered{Residuals: c.options.Residuals, Outputs: c.options.Outputs}.numbers()
}

// errPaused ends a run whose next values are told by a later call.
var errPaused = errors.New("the run waits for values")

// How long a call waits for another one that has the journal, when it says so, and how often
// it looks.
const (
	waitForLock = 10 * time.Minute
	sayItWaits  = 5 * time.Second
	lookAgain   = 20 * time.Millisecond
)

// play goes through the run as far as the journal has it, and calls ask with what follows. Then
// it ends with errPaused. If there is nothing to ask, it returns how the run has ended.
func (c *conversation) play(ctx context.Context, ask func(*journal.Journal, question) error) (untwist.Result, error) {
	o := c.options
	if err := c.asked.apply(&o); err != nil {
		return untwist.Result{}, err
	}
	x := &exchange{shape: shape{c.dim, c.numbers()}}
	x.ask = func(q question) error {
		if err := c.record(x.journal); err != nil {
			return err
		}
		return ask(x.journal, q)
	}
	x.opened = func(j *journal.Journal) error {
		if x.journal = j; !c.begun && j.Recorded() == 0 { // a strategy may still refuse these settings
			return nil
		}
		return c.record(j)
	}
	var result untwist.Result
	err := whileLocked(ctx, waitForLock, c.note, func() (err error) {
		result, err = untwist.Minimize(ctx, x, o)
		return err
	})
	return result, cmp.Or(context.Cause(ctx), err)
}

// whileLocked runs what opens a journal, again and again while somebody else has it, but no longer
// than so. After some seconds it says so.
func whileLocked(ctx context.Context, most time.Duration, note func(string), run func() error) error {
	for began, said := time.Now(), false; ; {
		err := run()
		locked, is := errors.AsType[*journal.LockedError](err)
		waited := time.Since(began)
		if !is || locked.Unsure || waited >= most {
			return err
		}
		if waited > sayItWaits && !said {
			note(fmt.Sprintf("%v; waiting for it", locked))
			said = true
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return err
		}
	}
}

// record keeps in the journal what it is asked for. Then it is not begun anew any more.
func (c *conversation) record(j *journal.Journal) error {
	if !c.changed {
		return nil
	}
	text, err := json.Marshal(c.asked)
	if err != nil {
		return err
	}
	return j.Amend("Asked", text)
}

// A shape is how many numbers a point has, and an answer; 0: a value alone.
type shape struct{ dim, numbers int }

func (s shape) Dim() int     { return s.dim }
func (s shape) Numbers() int { return s.numbers }

// An exchange is the objective of a conversation.
type exchange struct {
	shape
	opened  func(*journal.Journal) error
	journal *journal.Journal
	ask     func(question) error
	over    error // nothing is asked any more
}

func (x *exchange) Opened(j *journal.Journal) error { return x.opened(j) }

func (x *exchange) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return x.Each(ctx, points, values, func(int, objective.Answer) {})
}

// Each asks for all points. The answers that it tells are recorded, and the run ends.
func (x *exchange) Each(ctx context.Context, points *mat.Dense, _ []float64, tell func(int, objective.Answer)) error {
	if x.over != nil {
		return x.over
	}
	err := x.ask(question{
		points: points,
		number: func(i int) int { return query.NumberOf(ctx, i) },
		tell: func(i int, numbers []float64) {
			a := objective.Answer{Value: numbers[0]}
			if x.numbers > 0 {
				a.Numbers = numbers
			}
			tell(i, a)
		},
	})
	x.over = objective.Stop(cmp.Or(err, errPaused)) // whoever was told all has not been given what comes next
	return x.over
}
