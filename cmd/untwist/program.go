package main

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/objective"
)

// programFlags are the flags that say how a program is run.
type programFlags struct {
	program.Config // what flags set directly
	exec, result   string
	templates      []string
	minimum        *float64
}

// programOnly are the flags that have no meaning for built-in problems.
var programOnly = []string{"param", "protocol", "eof", "procs", "timeout", "retries", "keep-failed", "template", "result", "result-file", "minimum", "value", "accept-program", "residuals", "output", "maximize"}

func (f *programFlags) register(flags *pflag.FlagSet) {
	flags.Var(text(&f.exec), "exec", "minimise what the program `CMD` computes; words are split as a shell does it, but no shell is started; {name} stands for the value of a parameter, {all} for all values")
	flags.Var(text(&f.Protocol), "protocol", "how points and values are exchanged: `NAME` is once, lines, json, binary or batch (default once if there are placeholders or templates, else lines)")
	toggle(flags, &f.EOF, "eof", "close the program's input after each batch and start it anew for the next, for programs that answer at the end of their input")
	flags.Var(count(&f.Procs), "procs", "run this many processes at the same time; this never changes a result (default 1)")
	flags.Var(duration(&f.Timeout), "timeout", "the most time for a point, after which it has failed: 90s, 10m, 2h (default no limit)")
	flags.Var(whole(&f.Retries), "retries", "try a point again this often if the machine failed, not the point (default 1)")
	flags.Var(whole(&f.KeepFailed), "keep-failed", "keep the work folders of this many failed points (default 20)")
	flags.StringArrayVar(&f.templates, "template", nil, "`SRC=DST`: fill in the file SRC for each point and put it as DST into the work folder; may be given several times")
	flags.Var(text(&f.result), "result", "the value is the first group of this regular expression in what the program prints: `REGEX` (default: the last number printed)")
	flags.Var(text(&f.ResultFile), "result-file", "the value is the first number in the file `NAME` of the work folder")
	flags.Var(anyNumber.optional(&f.minimum), "minimum", "the least `VALUE` that the program can give, if you know it: targets of untwist compare are then gaps above it")
}

// config translates the flags for these parameters.
func (f *programFlags) config(s *source, space parameter.Space) (program.Config, error) {
	c := f.Config
	c.Names, c.Space = space.Names(), space
	if s.file != nil {
		c.Dir = s.file.Dir
	}
	var err error
	if c.Exec, err = program.Split(f.exec); err != nil {
		return c, s.wrong("exec", "%v", err)
	}
	if c.Templates, err = f.readTemplates(s); err != nil {
		return c, s.wrong("template", "%v", err)
	}
	if f.result != "" {
		if c.Result, err = regexp.Compile(f.result); err != nil {
			return c, s.wrong("result", "%v", err)
		}
		if c.Result.NumSubexp() == 0 {
			return c, s.wrong("result", "%s has no group: put parentheses around the number", f.result)
		}
	}
	return c, nil
}

// readTemplates reads SRC=DST. On the command line, SRC is relative to the current folder.
func (f *programFlags) readTemplates(s *source) (all []program.Template, err error) {
	for _, given := range f.templates {
		from, to, found := strings.Cut(given, "=")
		if !found || from == "" || to == "" {
			return nil, fmt.Errorf("%q is not SRC=DST, a file and the name under which it is put into the work folder", given)
		}
		if s.typed("template") {
			if from, err = filepath.Abs(from); err != nil {
				return nil, err
			}
		}
		all = append(all, program.Template{Source: from, Name: to})
	}
	return all, nil
}

// space returns the parameters of a program: those of the problem file, those of --param,
// or x1 … xN for --dim N. On top of a problem file, --param changes one of its parameters, and
// --bounds and --start change the limits of all, and where to look first.
func (f *subjectFlags) space(s *source) (parameter.Space, error) {
	inFile := s.file != nil && len(s.file.Parameters) > 0
	if !inFile && !s.given("param") {
		return f.numbered(s)
	}
	if s.given("dim") {
		return nil, s.wrong("dim", "the parameters have names, so their number is known")
	}
	var all parameter.Space
	if inFile {
		all = slices.Clone(s.file.Parameters)
	}
	for _, given := range f.params {
		p, err := parseParameter(given)
		if err != nil {
			return nil, s.wrong("param", "%v", err)
		}
		if !inFile {
			all = append(all, p)
			continue
		}
		i := slices.Index(all.Names(), p.Name)
		if i < 0 {
			return nil, s.wrong("param", "%s has no parameter %s", s.file.Path, p.Name)
		}
		p.Unit = all[i].Unit
		if p.Choices == nil && all[i].Choices == nil {
			p.Guess = guessWithin(all[i].Guess, p.Min, p.Max)
		}
		all[i] = p
	}
	return all, f.rebound(s, all)
}

// rebound gives named parameters the limits of --bounds and the ranges of --start.
func (f *subjectFlags) rebound(s *source, all parameter.Space) error {
	for _, box := range []struct {
		flag string
		text string
		set  func(p *parameter.Parameter, lo, hi *float64)
	}{
		{"bounds", f.bounds, func(p *parameter.Parameter, lo, hi *float64) {
			p.Min, p.Max, p.Low, p.High, p.Guess = lo, hi, nil, nil, guessWithin(p.Guess, lo, hi)
		}},
		{"start", f.start, func(p *parameter.Parameter, lo, hi *float64) { p.Low, p.High = lo, hi }},
	} {
		if !s.given(box.flag) {
			continue
		}
		if !s.typed(box.flag) {
			return s.wrong(box.flag, "the limits of parameters with names are in [parameters]")
		}
		b, err := parseBox(box.text, len(all))
		if err != nil {
			return s.wrong(box.flag, "%v", err)
		}
		for i := range all {
			if lo, hi := side(b, i); all[i].Fixed == nil && all[i].Choices == nil {
				box.set(&all[i], lo, hi)
			}
		}
	}
	return nil
}

// guessWithin returns a guess if it is within new limits, and otherwise nil.
func guessWithin(guess, lo, hi *float64) *float64 {
	if guess != nil && (lo == nil || *guess >= *lo) && (hi == nil || *guess <= *hi) {
		return guess
	}
	return nil
}

// parseParameter reads NAME=LO:HI[:int][:step=S][:log], or NAME=WORD,WORD,….
func parseParameter(given string) (parameter.Parameter, error) {
	name, limits, found := strings.Cut(given, "=")
	parts := strings.Split(limits, ":")
	p := parameter.Parameter{Name: name}
	bad := fmt.Errorf("%q is not NAME=LO:HI with two numbers, and then :int, :step=S or :log if need be, or NAME=WORD,WORD,… with its choices", given)
	if found && len(parts) == 1 && strings.Contains(limits, ",") {
		p.Choices = strings.Split(limits, ",")
		return p, nil
	}
	if !found || len(parts) < 2 {
		return p, bad
	}
	for _, kind := range parts[2:] {
		step, isStep := strings.CutPrefix(kind, "step=")
		switch v, err := strconv.ParseFloat(step, 64); {
		case kind == "log":
			p.Log = true
		case kind == "int":
			p.Integer = true
		case isStep && err == nil:
			p.Step = &v
		default:
			return p, bad
		}
	}
	lo, errLo := strconv.ParseFloat(parts[0], 64)
	hi, errHi := strconv.ParseFloat(parts[1], 64)
	if errLo != nil || errHi != nil {
		return p, bad
	}
	p.Min, p.Max = &lo, &hi
	return p, nil
}

func (f *subjectFlags) numbered(s *source) (parameter.Space, error) {
	if !s.given("dim") {
		if s.file != nil {
			return nil, usageError{fmt.Errorf("%s: there is no table [parameters]: it says which parameters the program has, such as k = { min = 0, max = 5 }", s.file.Path)}
		}
		return nil, usageError{fmt.Errorf("--exec: which parameters does the program have? Give --param NAME=LO:HI for each, or --dim N with --bounds LO:HI")}
	}
	if s.first([]string{"bounds", "start", "x0"}) == "" {
		return nil, s.wrong("dim", "it is not known where to look: give --bounds LO:HI (limits), --start LO:HI (where to look first) or --x0 V,V,… (a known good point)")
	}
	dim := f.spec.Dim
	bounds, err := parseBox(f.bounds, dim)
	if err != nil {
		return nil, s.wrong("bounds", "%v", err)
	}
	start, err := parseBox(f.start, dim)
	if err != nil {
		return nil, s.wrong("start", "%v", err)
	}
	if f.bounds == "" && f.start == "" { // --x0 says where to look
		return parameter.Plain(dim), nil
	}
	return plainSpace(dim, start, bounds), nil
}

// side returns the two ends of a side of a box, nil where there are none.
func side(b objective.Box, i int) (lo, hi *float64) {
	if b.IsZero() {
		return nil, nil
	}
	if !math.IsInf(b.Lo[i], -1) {
		lo = &b.Lo[i]
	}
	if !math.IsInf(b.Hi[i], 1) {
		hi = &b.Hi[i]
	}
	return lo, hi
}
