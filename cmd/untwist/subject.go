package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// A subject is a function to minimise, to probe or to check: the function itself, where to
// look, and what is known about it.
type subject struct {
	objective objective.Objective
	words     report.Subject
	start     objective.Box   // where to look first; zero: follows from the bounds
	bounds    objective.Box   // zero: there are none
	space     parameter.Space // the parameters, instead of start and bounds; nil: they have no names
	points    [][]float64     // known good points
	seed      uint64
	known     *report.Known      // nil: nothing is known
	program   *program.Objective // the objective as a program; nil: it is none
	caller    *caller            // the objective as the caller of this program; nil: it is not
	several   answered           // what an answer has besides a value, and what is limited
	unasked   bool               // the program speaks lines, and nobody has asked for that
}

// hasMinimum says whether the minimum of f is known.
func (s subject) hasMinimum() bool { return s.known != nil && !math.IsNaN(s.known.Minimum) }

// box returns where the search looks first, as far as that is known.
func (s subject) box() objective.Box {
	if s.start.IsZero() {
		return s.bounds
	}
	return s.start
}

// parameters returns the parameters: x1, x2, … if they have no names.
func (s subject) parameters() parameter.Space {
	if s.space == nil {
		return parameter.Plain(s.objective.Dim())
	}
	return s.space
}

// target returns the value of f at which to stop. v is a gap above the minimum if that is
// known, and otherwise a value of f; nil: the search does not stop early.
func (s subject) target(v *float64) *float64 {
	if v == nil || !s.hasMinimum() {
		return v
	}
	return new(s.known.Minimum + *v)
}

// close ends the subject's processes, and says where to look for failed points. It returns
// the error that stands, or else its own.
func (s subject) close(cmd *cobra.Command, stands error) error {
	if s.program == nil {
		return stands
	}
	err := cmp.Or(stands, s.program.Close())
	dir, n := s.program.Kept()
	var ended signalled
	switch {
	case n == 0:
	case err != nil && !errors.As(err, &ended): // all in one line
		return fmt.Errorf("%w; more is in %s", err, dir)
	default:
		note(cmd, "%s kept in %s", words.Count(n, "work folder of failed points is", "work folders of failed points are"), dir)
	}
	return err
}

// searchedIn says what is searched, in so many dimensions unless its parameters have names.
func searchedIn(name string, dim int, space parameter.Space) report.Subject {
	if space != nil {
		dim = space.Dim()
	}
	return report.Subject{Name: name, Dim: dim, Parameters: space}
}

// subjectFlags are the flags that choose a subject: a built-in problem or a program.
type subjectFlags struct {
	spec          problem.Spec // of a built-in problem
	program       programFlags
	params, x0    []string
	start, bounds string
	value         string // what f is, with its unit in brackets
	several       severalFlags
	caller        bool
	mixint        bool
	time          time.Duration // for all of the run; 0: there is no limit
	worker        bool          // of a run elsewhere: several processes may evaluate a built-in problem too
}

// builtInOnly are the flags that have no meaning for programs.
var builtInOnly = slices.Concat([]string{"components", "mix", "block", "blocks", "entries", "permute", "mixint"}, blemishes)

func (f *subjectFlags) register(flags *pflag.FlagSet) {
	f.spec.Dim = 10
	flags.StringVar(&f.spec.Name, "problem", "", "`NAME` of a built-in problem: one of "+problem.Choice())
	f.program.register(flags)
	f.several.register(flags)
	flags.StringArrayVar(&f.params, "param", nil, "`NAME=LO:HI` or NAME=WORD,WORD: a parameter of the program with its limits, then :int for integers, :step=S for steps and :log for a logarithmic scale, or its choices; may be given several times, in order")
	flags.Var(count(&f.spec.Dim), "dim", "number of dimensions d; the parameters of a program are then x1 … xd")
	flags.Var(count(&f.spec.Components), "components", "number of components m of a built-in problem, from 1 to dim (default dim)")
	flags.StringVar(&f.spec.Mix, "mix", "", "mixing matrix W of a built-in problem: one of "+strings.Join(problem.Mixes(), ", ")+" (default paper; microring: banded; bbob-…: its own rotations, or block)")
	flags.Var(count(&f.spec.Block), "block", "components in a block of ridge-blocks (default 4)")
	flags.Var(count(&f.spec.BlockCount), "blocks", "blocks of blocks-elliptic and blocks-rastrigin, 7 or 20 (default 7)")
	flags.Var(count(&f.spec.Entries), "entries", "entries in a row of W, for --mix banded and sparse (default 3; microring: its own band)")
	toggle(flags, &f.spec.Permute, "permute", "put the columns of W into random order, for --mix banded and sparse")
	toggle(flags, &f.mixint, "mixint", "give the parameters of a built-in problem, by fifths, 2, 4, 8 or 16 values, or any; its minimum is then not known")
	b := &f.spec.Blemishes
	registerBlemishes(flags, b, atLeast0.flag(&b.Coupling), text(&b.Map), atLeast0.flag(&b.Noise))
	flags.Var(seed(&f.spec.Seed), "seed", "all randomness, a built-in problem's and the search's, follows from it")
	flags.Var(text(&f.start), "start", "`LO:HI` or FILE: where to look first; this is not a limit (default the bounds, else the problem's domain)")
	flags.Var(text(&f.bounds), "bounds", "`LO:HI` or FILE with a line \"LO HI\" for each coordinate: nothing outside is ever queried")
	flags.StringArrayVar(&f.x0, "x0", nil, "`V,V` or FILE: the numbers of a point with commas between them, or a file with a point on each line: known points to start from; may be given several times")
	flags.Var(text(&f.value), "value", "what the value of a program is, with its unit in brackets, for reports: 'cost [EUR]'")
	toggle(flags, &f.program.KeepGoing, "keep-going", "go on however many queries fail")
	toggle(flags, &f.caller, "caller", "minimise what whoever started this program computes")
	flags.Lookup("caller").Hidden = true
}

// An action is what a command does with a subject.
type action func(cmd *cobra.Command, from *source, s subject, line *progressLine) error

// with makes a command of what it does with the subject that the flags describe. Then the subject's
// processes end. When the flags are known, ready says whether no progress is shown.
func (f *subjectFlags) with(ready func() (quiet bool, err error), do action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		from, err := readSource(cmd.Flags(), args)
		if err != nil {
			return err
		}
		quiet, err := ready()
		if err != nil {
			return err
		}
		line := newProgressLine(cmd.ErrOrStderr(), quiet)
		s, err := f.subject(from, line.note)
		if err != nil {
			return from.usage(err)
		}
		s.words.Value, s.words.Unit = quantity(f.value)
		s.words.Maximize = s.several.Maximize
		return s.close(cmd, from.usage(do(cmd, from, s, line)))
	}
}

// subject makes the subject that the flags describe. note is told what the user should know
// while a program runs.
func (f *subjectFlags) subject(s *source, note func(string)) (subject, error) {
	own := s.file != nil || s.given("exec")
	switch {
	case f.caller:
		return f.called(s)
	case s.file != nil && (s.given("problem") || s.typed("exec")):
		return subject{}, usageError{fmt.Errorf("%s already says what to minimise: --problem and --exec cannot be given with it", s.file.Path)}
	case s.given("problem") && s.given("exec"):
		return subject{}, usageError{errors.New("--problem and --exec exclude each other: one names a built-in problem, the other a program of yours")}
	case own:
		if flag := s.first(builtInOnly); flag != "" {
			return subject{}, s.wrong(flag, "is for built-in problems, and this is a program")
		}
		return f.own(s, note)
	case f.spec.Name == "":
		return subject{}, usageError{fmt.Errorf("which function? Give a problem file, --exec with a program of yours, or --problem: one of %s", problem.Choice())}
	}
	others := programOnly
	if f.worker {
		others = allBut(others, "procs")
	}
	if flag := s.first(others); flag != "" {
		hint := ""
		if flag == "procs" {
			hint = "; use --workers"
		}
		return subject{}, s.wrong(flag, "is for programs, and %s is a built-in problem%s", f.spec.Name, hint)
	}
	return f.builtIn()
}

// quantity returns the name and the unit of "cost [EUR]".
func quantity(text string) (name, unit string) {
	if before, inside, found := strings.Cut(strings.TrimSpace(text), "["); found && strings.HasSuffix(inside, "]") {
		return strings.TrimSpace(before), strings.TrimSpace(strings.TrimSuffix(inside, "]"))
	}
	return strings.TrimSpace(text), ""
}

// allBut returns a list of flags without these.
func allBut(flags []string, these ...string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(flag string) bool { return slices.Contains(these, flag) })
}

// own makes a subject of the user's program.
func (f *subjectFlags) own(s *source, note func(string)) (subject, error) {
	if f.program.exec == "" {
		return subject{}, usageError{s.file.Wrong(0, "[objective] needs exec, the command that computes a value")}
	}
	space, points, err := f.where(s)
	if err != nil {
		return subject{}, err
	}
	config, numbers, err := f.config(s, space, note)
	if err != nil {
		return subject{}, err
	}
	p, err := program.New(config)
	if err != nil {
		return subject{}, s.usage(err)
	}
	if f.program.Protocol == "" && strings.Contains(f.program.exec, "{in}") && strings.Contains(f.program.exec, "{out}") {
		note("the program is started for each point, and {in} has a line \"name value\" for each parameter (--protocol once); with --protocol batch it is started for each batch, and {in} has a line for each point")
	}
	name := f.program.exec
	if s.file != nil {
		name = s.file.Path
	}
	return subject{
		unasked:   f.program.Protocol == "" && p.Description().(program.Description).Protocol == program.Lines,
		objective: p, program: p, space: space, points: points, seed: f.spec.Seed, several: numbers,
		words: searchedIn(name, len(space), space),
	}, nil
}

// config says how the program is run, and what it answers.
func (f *subjectFlags) config(s *source, space parameter.Space, note func(string)) (c program.Config, numbers answered, err error) {
	if c, err = f.program.config(s, space); err == nil {
		numbers, c.Outputs, err = f.several.read(s)
	}
	c.Note, c.Residuals = note, numbers.Residuals
	return c, numbers, err
}

// where returns the parameters and the known points of an objective of the user's own.
func (f *subjectFlags) where(s *source) (parameter.Space, [][]float64, error) {
	space, err := f.space(s)
	if err != nil {
		return nil, nil, err
	}
	points, err := parsePoints(f.x0, space)
	if err != nil {
		return nil, nil, s.wrong("x0", "%v", err)
	}
	if s.first([]string{"bounds", "start", "param"}) == "" && (s.file == nil || len(s.file.Parameters) == 0) {
		for i := range space {
			space[i].Guess = &points[0][i]
		}
		points = points[1:]
	}
	if err := space.Check(); err != nil {
		return nil, nil, s.wrongSpace(err)
	}
	return space, points, nil
}

// calledWithout are the flags for which a caller has its own way, besides those for built-in
// problems and programs.
var calledWithout = []string{"problem", "exec", "dim", "bounds", "start", "x0"}

// called makes a subject of whoever has started this program.
func (f *subjectFlags) called(s *source) (subject, error) {
	others := slices.Concat(calledWithout, builtInOnly, allBut(programOnly, "procs", "value")) // callers have these two
	if flag := s.first(others); flag != "" || s.file != nil {
		return subject{}, usageError{fmt.Errorf("--caller takes neither a problem file nor --%s", cmp.Or(flag, "exec"))}
	}
	c, err := newCaller(os.Stdin, os.Stdout)
	if err != nil {
		return subject{}, usageError{err}
	}
	return c.subject(f.spec.Seed)
}
