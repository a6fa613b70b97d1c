package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/program"
)

// programFlags are the flags that say how a program is run.
type programFlags struct {
	program.Config // what flags set directly
	exec, result   string
	templates      []string
	minimum        *float64
}

// programOnly are the flags that have no meaning for built-in problems.
var programOnly = []string{"param", "protocol", "eof", "procs", "timeout", "retries", "keep-failed", "template", "result", "result-file", "minimum", "accept-program"}

// register declares the flags.
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

// config translates the flags for parameters of these names.
func (f *programFlags) config(s *source, names []string) (program.Config, error) {
	c := f.Config
	c.Names = names
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
