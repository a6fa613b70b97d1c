package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/program"
)

// explain says what a user can do about an error of a run, where the error itself cannot
// know. It returns the error that is to be shown.
func (s subject) explain(cmd *cobra.Command, err error) error {
	if errors.Is(err, untwist.ErrAllFailed) {
		s.hint(cmd)
	}
	if differs, ok := errors.AsType[*journal.DiffersError](err); ok && s.program != nil && !slices.ContainsFunc(differs.Differences, decisive) {
		return fmt.Errorf("%s was begun with another program, or another version of it (%s): to go on all the same, add --accept-program; or name another journal",
			differs.File, strings.Join(changed(differs.Differences, s.program.Description().(program.Description)), ", "))
	}
	return err
}

// decisive says that a difference is one that --accept-program does not accept.
func decisive(d journal.Difference) bool {
	return !slices.ContainsFunc(acceptable, func(part string) bool { return strings.HasPrefix(d.Path, part) })
}

// changed returns the files of a program, and the templates, that differ.
func changed(all []journal.Difference, now program.Description) (files []string) {
	for _, d := range all {
		var i int
		if n, _ := fmt.Sscanf(d.Path, "Objective.Executable[%d]", &i); n == 1 && i < len(now.Executable) {
			files = append(files, now.Executable[i].Path)
		}
		if n, _ := fmt.Sscanf(d.Path, "Objective.Templates[%d]", &i); n == 1 && i < len(now.Templates) {
			files = append(files, "the template of "+now.Templates[i].Name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// hint says how the program got its points, if nobody has asked for that way.
func (s subject) hint(cmd *cobra.Command) {
	if s.unasked {
		note(cmd, "the command has no placeholder, so the program gets each point as a line on its standard input, and has to answer with a line that is the value and nothing else; if it takes its parameters as arguments, write {all}, or {name} for each, into the command")
	}
}
