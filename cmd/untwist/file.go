package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// oneFile allows one argument, the problem file.
func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return usageError{fmt.Errorf("%s takes one problem file, not %q", cmd.CommandPath(), strings.Join(args, " "))}
	case len(args) == 1 && slices.Contains(problem.Names(), args[0]):
		return usageError{fmt.Errorf("%s takes a problem file; for the built-in problem write --problem %s", cmd.CommandPath(), args[0])}
	}
	return nil
}

// A source is where settings come from: flags and, where there is one, a problem file.
type source struct {
	flags *pflag.FlagSet
	file  *program.ProblemFile // nil: there is none
	lines map[string]int       // of the settings that were taken from the file
}

// readSource reads the problem file, if there is one, and sets the flags that it names.
// A flag on the command line wins. A setting for which a command has no flag is for
// another command.
func readSource(flags *pflag.FlagSet, args []string) (*source, error) {
	s := &source{flags: flags, lines: map[string]int{}}
	if len(args) == 0 {
		return s, nil
	}
	file, err := program.ReadFile(args[0])
	if err != nil {
		return nil, usageError{err}
	}
	s.file = file
	return s, s.take(slices.Concat(file.Objective, file.Run), isPath, func(_ program.Setting, flag *pflag.Flag) (bool, error) {
		return flag == nil || flag.Changed, nil
	})
}

// take sets flags to the settings of the file, but for those that are left out. A value that is a
// path is relative to the file's folder.
func (s *source) take(settings []program.Setting, isPath func(key, value string) bool, without func(program.Setting, *pflag.Flag) (bool, error)) error {
	for _, setting := range settings {
		flag := s.flags.Lookup(setting.Key)
		if left, err := without(setting, flag); left || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		for _, v := range setting.Values {
			given := v
			if isPath(setting.Key, v) {
				given = program.Absolute(s.file.Dir, v)
			}
			if err := flag.Value.Set(given); err != nil {
				return usageError{s.file.Wrong(setting.Line, "%s is %s: %v", setting.Key, v, err)}
			}
		}
		flag.Changed = true
		s.lines[setting.Key] = setting.Line
	}
	return nil
}

// isPath says that a setting of a problem file is a path. Templates are resolved by package
// program.
func isPath(key, value string) bool {
	switch key {
	case "journal", "from", "frame", "plot", "report", "trace":
		return true
	case "bounds", "start":
		return !strings.Contains(value, ":") // else it is a box
	case "x0":
		_, err := parseNumbers(value)
		return err != nil
	}
	return false
}

// given says whether a flag was given, on the command line or by the file.
func (s *source) given(flag string) bool { return s.flags.Changed(flag) }

// typed says whether a flag was given on the command line.
func (s *source) typed(flag string) bool { return s.given(flag) && s.lines[flag] == 0 }

// first returns the first of these flags that was given, "" if none was.
func (s *source) first(flags []string) string {
	if i := slices.IndexFunc(flags, s.given); i >= 0 {
		return flags[i]
	}
	return ""
}

// name returns the name of a setting as the user has given it: a flag, or a key of the
// file with its line.
func (s *source) name(flag string) string {
	if line := s.lines[flag]; line > 0 {
		return fmt.Sprintf("%s:%d: %s", s.file.Path, line, flag)
	}
	return "--" + flag
}

// wrong returns a usageError about a setting.
func (s *source) wrong(flag, format string, values ...any) error {
	return usageError{fmt.Errorf("%s: %s", s.name(flag), fmt.Sprintf(format, values...))}
}

// usage turns an error that names an option into a usageError that names the flag, or the
// line of the file, that sets the option. Other errors stay as they are.
func (s *source) usage(err error) error { return s.usageOf(err, flagOf) }

// usageOf is usage with these flags of the options.
func (s *source) usageOf(err error, flags map[string]string) error {
	bad, ok := errors.AsType[*objective.OptionError](err)
	switch {
	case !ok || flags[bad.Option] == "":
		return err
	case bad.Option == "Names" && s.file != nil:
		return usageError{fmt.Errorf("%s: [parameters]: %s", s.file.Path, bad.Reason)}
	}
	return s.wrong(flags[bad.Option], "%s", counted(bad.Reason))
}

// index is a number of a point, or one of several points, as Go counts them.
var index = regexp.MustCompile(`\b(x|Points)\[(\d+)\]`)

// counted returns a message of the library in which numbers of points, and points, are counted from
// 1, as this program does.
func counted(message string) string {
	return index.ReplaceAllStringFunc(message, func(word string) string {
		parts := index.FindStringSubmatch(word)
		k, _ := strconv.Atoi(parts[2])
		return fmt.Sprintf("%s %d", map[string]string{"x": "coordinate", "Points": "point"}[parts[1]], k+1)
	})
}

// wrongSpace returns a usageError about parameters that do not fit.
func (s *source) wrongSpace(err error) error {
	switch {
	case s.file != nil && len(s.file.Parameters) > 0:
		return usageError{s.file.Wrong(0, "[parameters]: %v", err)}
	case s.given("param"):
		return s.wrong("param", "%v", err)
	}
	return s.wrong(s.first([]string{"bounds", "start", "x0"}), "%v", err)
}
