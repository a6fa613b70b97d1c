package untwist

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/strategy"

	"github.com/untwist/untwist/internal/canon"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// A Journal says where a run is kept, and how.
type Journal struct {
	// File is where the journal is. Default: there is none.
	File string
	// HashPoints keeps a hash of each point instead of the point: 8 bytes instead of
	// 8 for each coordinate. It may change between runs of the same journal.
	HashPoints bool
	// Accept are parts of what the run is about that may differ from those in the file, as
	// paths such as Objective.Executable. The new ones are then recorded, so that they need
	// not be accepted again.
	Accept []string
	// Note is told in one line what the user should know, such as that the end of the
	// file was cut. It may be nil.
	Note func(line string) `fingerprint:"-"`
}

// free are the members of About that do not decide a run: the budget, with which it was
// planned, and what those keep there who ask and tell by a program.
var free = []string{"Budget", "Asked", "Leases"}

// open opens the journal of a run and returns f with its journal around it. A run that is
// resumed keeps to the plan that it was begun with.
func (r *run) open(f, guarded objective.Objective, command string, given Options) (objective.Objective, error) {
	about, err := About(f, command, given)
	if err != nil {
		return nil, err
	}
	o := r.options.Journal
	config := journal.Config{File: o.File, HashPoints: o.HashPoints, Accept: o.Accept, Note: o.Note}
	r.journal, err = journal.Open(config.For(f), journal.Header{
		Numerics: Numerics, Dim: f.Dim(), About: about, Free: free, Numbers: r.numbers.width(),
	})
	if err != nil {
		return nil, err
	}
	var planned struct{ Budget int }
	if err := json.Unmarshal(r.journal.Header().About, &planned); err != nil || planned.Budget < 1 {
		r.journal.Close()
		return nil, fmt.Errorf("the journal %s does not say with which budget its run was planned", r.options.Journal.File)
	}
	r.plan = planned.Budget
	r.recorded = r.journal.Wrap(guarded)
	return r.recorded, nil
}

// About returns what a journal says about a run: everything that decides it, as one line of
// canonical JSON. It has the command ("minimize", "probe" or "interactions"), the description of f, if f is
// an objective.Described, and the fingerprint of the options.
func About(f objective.Objective, command string, o Options) ([]byte, error) {
	options, err := o.Fingerprint(f.Dim())
	if err != nil {
		return nil, err
	}
	description := []byte("null")
	if d, ok := f.(objective.Described); ok {
		if description, err = canon.Marshal(d.Description()); err != nil {
			return nil, fmt.Errorf("the description of the objective: %w", err)
		}
	}
	return fmt.Appendf(nil, `{"Command":%q,"Objective":%s,%s`, command, description, options[1:]), nil
}

// resumed returns how many queries were answered from the journal.
func (r *run) resumed() int {
	if r.recorded == nil {
		return 0
	}
	return r.recorded.Resumed()
}

// vouched returns the error that says that the values of the run cannot be trusted: the one
// with which it has ended, or what the objective finds out now that nothing more is asked.
func (r *run) vouched(err error) error {
	var void *objective.VoidError
	if errors.As(err, &void) {
		return err
	}
	f, ok := r.f.(query.Voucher)
	if !ok || !errors.As(f.Vouch(), &void) {
		return nil
	}
	if r.journal == nil {
		return void
	}
	return r.journal.Void(void)
}

// voided is the account of a run whose values cannot be trusted.
func (r *run) voided() Account {
	return Account{Value: math.Inf(1), Status: objective.Failed, Seed: r.options.Seed, Queries: r.meter.Queries(), Budget: r.meter.Budget(), Resumed: r.resumed()}
}

// finish closes the journal.
func (r *run) finish() error {
	if r.journal == nil {
		return nil
	}
	return r.journal.Close()
}

// Numerics is raised when the same objective, options and seed begin to give other
// results. Runs of different numerics must not be mixed. A stored experiment refuses to
// continue, and so does everything else that continues or compares runs by their seeds.
const Numerics = 13

// Fingerprint returns everything that decides a run on a function of dim coordinates,
// except the function itself. It is one line of canonical JSON, with the defaults filled
// in. Two runs on the same function with equal fingerprints make the same queries in the
// same order.
//
// Options that decide only when a run ends, how fast it is and what is told of it are not in
// it: Time, Target, Tolerance, MaxFailures, KeepGoing, Workers, Progress, Seen and Journal.
//
// If an option has no canonical form, such as a function among a strategy's settings,
// Fingerprint returns an error that names it.
func (o Options) Fingerprint(dim int) ([]byte, error) {
	if dim < 1 {
		return nil, errNoObjective
	}
	if err := o.complete(dim); err != nil {
		return nil, err
	}
	if o.Parameters != nil { // they follow from them
		o.Start, o.Bounds = Box{}, Box{}
	}
	text, err := canon.Marshal(decisive{
		Numerics: Numerics, Dim: dim,
		Strategy: o.Strategy, Identifier: o.Identifier, Frame: o.Frame, Blocks: o.Blocks,
		Parameters: o.Parameters, Start: o.Start, Bounds: o.Bounds, Points: o.Points,
		Budget: o.Budget, Parallel: o.Parallel, NoiseLevel: o.NoiseLevel, Seed: o.Seed,
		Several: o.decidesSeveral(),
	})
	if err != nil {
		return nil, fmt.Errorf("this run cannot be fingerprinted: %w", err)
	}
	return text, nil
}

// decisive is what decides a run.
type decisive struct {
	Numerics, Dim int
	Strategy      strategy.Strategy
	Identifier    identify.Identifier
	Frame         *frame.Frame
	Blocks        [][]int
	Parameters    parameter.Space
	Start, Bounds objective.Box
	Points        [][]float64
	Budget        int
	Parallel      int
	NoiseLevel    float64
	Seed          uint64
	Several       *decisiveNumbers // nil: answers have a value alone, which is minimised without limits
}

// decisiveNumbers is what decides a run of answers with several numbers.
type decisiveNumbers struct {
	Residuals int
	Outputs   []Output
	Limits    []string
	Maximize  bool
}

// decidesSeveral returns that of the options.
func (o Options) decidesSeveral() *decisiveNumbers {
	if o.Residuals == 0 && o.Outputs == nil && o.Limits == nil && !o.Maximize {
		return nil
	}
	return &decisiveNumbers{o.Residuals, o.Outputs, o.Limits, o.Maximize}
}
