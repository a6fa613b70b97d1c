package program

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// OptimizerConfig says how somebody's optimiser is run.
type OptimizerConfig struct {
	// Exec is the command, as one would type it (see Split). No shell is started.
	Exec string
	// Dir is the folder in which the program runs, and against which its paths are
	// resolved. "": the current folder.
	Dir string
	// Timeout is the most time that the program may take until it has written its next
	// points. 0: no limit.
	Timeout time.Duration
	// Note is told, in one line without a full stop, what the user should know while the
	// program runs. It may be called from several goroutines. nil: nobody is told.
	Note func(line string)
}

// An Optimizer is a program that minimises what it is asked to. NewOptimizer makes one, and
// Close ends it.
//
// A process is started for each run. It reads one line,
//
//	{"dim":2,"lower":[-5.0,-5.0],"upper":[5.0,5.0],"budget":400,"seed":1}
//
// and then, as often as it likes, writes points and reads their values:
//
//	{"points":[[0.5,1.5],[2.0,3.0]]}
//	{"values":[2.5,null]}
//
// The value null says that f failed at the point. Points may lie outside of the box, which
// says where to look, not where f is defined. The run is over when the program closes its
// output or ends, or when the budget is spent or the target is reached: then its input ends
// after the last values, which may be fewer than the points it asked for, and it should end
// soon. After some seconds it is ended, with everything it has started.
type Optimizer struct {
	config   OptimizerConfig
	command  []string // its first word is the path of the program
	files    []File
	patience patience

	life    context.Context // ends with Close
	end     context.CancelCauseFunc
	running sync.RWMutex // held for reading by each run

	mu       sync.Mutex
	guardian *guardian.Guardian // nil: there was no run yet

	silent, lingered sync.Once // for notes
}

// NewOptimizer returns an optimiser. It checks that the program can be started; if a
// setting is wrong, the error is an *objective.OptionError. Nothing is started before the
// first run.
func NewOptimizer(c OptimizerConfig) (o *Optimizer, err error) {
	o = &Optimizer{config: c, patience: ordinary}
	if o.command, err = Split(c.Exec); err != nil {
		return nil, objective.BadOption("Exec", "%v", err)
	}
	switch {
	case len(o.command) == 0 || o.command[0] == "":
		return nil, objective.BadOption("Exec", "there is no command")
	case strings.ContainsRune(c.Exec, 0):
		return nil, objective.BadOption("Exec", "there is a zero byte in the command")
	case c.Timeout < 0:
		return nil, objective.BadOption("Timeout", "is %v, and must not be negative", c.Timeout)
	}
	if o.config.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, objective.BadOption("Dir", "%v", err)
	}
	if o.command[0], err = findProgram(o.command[0], o.config.Dir); err != nil {
		return nil, err
	}
	if o.files, err = digests(o.config.Dir, o.command); err != nil {
		return nil, err
	}
	if o.config.Note == nil {
		o.config.Note = func(string) {}
	}
	o.life, o.end = context.WithCancelCause(context.Background())
	return o, nil
}

// Settings tells the optimiser from others, and from itself after a change: its command,
// and a digest of the program and of the files that are words of the command.
func (o *Optimizer) Settings() string {
	sum := sha256.New()
	for _, file := range o.files {
		io.WriteString(sum, file.Digest)
	}
	return fmt.Sprintf("exec:%s %.4x", o.config.Exec, sum.Sum(nil))
}

// Minimize starts the program and has it minimise f, with at most budget queries. The error
// says what is wrong with the program, or with f. Reasons to stop are no errors, except for
// the end of the context. Several runs may go on at the same time.
func (o *Optimizer) Minimize(ctx context.Context, f objective.Objective, box objective.Box, budget int, seed uint64) error {
	if err := box.Check(f.Dim()); err != nil {
		return err
	}
	if err := box.CheckFinite(); err != nil {
		return err
	}
	if budget < 1 {
		return fmt.Errorf("a budget of %d queries was given to an optimiser, and it should be 1 at least", budget)
	}
	o.running.RLock()
	defer o.running.RUnlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(o.life, func() { cancel(context.Cause(o.life)) })()

	child, err := o.start()
	if err != nil {
		return err
	}
	r := optimizerRun{
		dialogue: dialogue{child: child, patience: o.patience, timeout: o.config.Timeout, silent: o.noteSilence},
		f:        f, left: budget,
	}
	r.say(appendTask(nil, box, budget, seed))
	concluded, err := r.serve(ctx)
	switch {
	case err != nil:
		r.drop()
		return err
	case !concluded:
		return r.verdict()
	case r.conclude():
		o.lingered.Do(func() {
			o.config.Note("the optimiser did not end although its input had ended, and was ended; it should end then")
		})
	}
	return nil
}

// start starts a process.
func (o *Optimizer) start() (*child, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.life.Err() != nil {
		return nil, context.Cause(o.life)
	}
	if o.guardian == nil {
		g, err := guardian.Start("")
		if err != nil {
			return nil, fmt.Errorf("the process that watches over the optimiser could not be started: %w", err)
		}
		o.guardian = g
	}
	child, err := newChild(o.guardian, guardian.Command{
		Path: o.command[0], Args: o.command, Dir: o.config.Dir, Env: surroundings(),
	})
	if err != nil {
		return nil, notStarted(o.command[0], err)
	}
	return child, nil
}

// noteSilence tells the user, once, that a process has not asked for anything.
func (o *Optimizer) noteSilence(quiet time.Duration) {
	o.silent.Do(func() {
		o.config.Note(fmt.Sprintf("the optimiser has not asked for a point for %.2g s; it may be buffering its output "+
			"(flush=True in Python, fflush() in C), or not end its lines", quiet.Seconds()))
	})
}

var errOptimizerClosed = errors.New("the optimiser was closed")

// Close ends all runs and everything that they have started. It may be called again.
func (o *Optimizer) Close() error {
	o.end(errOptimizerClosed)
	o.running.Lock()
	defer o.running.Unlock()
	if o.guardian == nil {
		return nil
	}
	return o.guardian.Close()
}

// An optimizerRun is a run: a dialogue about f.
type optimizerRun struct {
	dialogue
	f    objective.Objective
	left int // of the budget
}

// serve evaluates what the process asks for, until it has closed its output or there is no
// more to be said: concluded.
func (r *optimizerRun) serve(ctx context.Context) (concluded bool, err error) {
	for {
		line, err := r.line(ctx)
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		points, err := readPoints(line, r.f.Dim())
		if err != nil {
			return false, err
		}
		values, err := r.evaluate(ctx, points)
		status, failure := objective.StatusOf(ctx, err)
		switch {
		case failure != nil:
			return false, failure
		case ctx.Err() != nil && err != nil && !slices.Contains(spent, status):
			return false, context.Cause(ctx)
		}
		r.say(appendValues(nil, values))
		if err != nil || r.left == 0 {
			return true, nil
		}
	}
}

// spent are the reasons to stop that do not come from the context.
var spent = []objective.Status{objective.BudgetSpent, objective.TargetReached, objective.ToleranceReached}

// evaluate returns the values of as many points as the budget allows, and as f evaluates.
func (r *optimizerRun) evaluate(ctx context.Context, points []float64) ([]float64, error) {
	d := r.f.Dim()
	n := min(len(points)/d, r.left)
	values := make([]float64, n)
	err := r.f.Evaluate(ctx, mat.NewDense(n, d, points[:n*d]), values)
	values = values[:query.Evaluated(values, err)]
	r.left -= len(values)
	return values, err
}
