package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
)

// allCommand makes what is measured and is of another state of the code.
func allCommand() *cobra.Command {
	list := false
	cmd := &cobra.Command{
		Use:   "all [NAME…] [--list]",
		Short: "Measure again what documents rest on and is of another state of the code",
		RunE:  func(cmd *cobra.Command, names []string) error { return reproduceAll(cmd, names, list) },
	}
	cmd.Flags().BoolVar(&list, "list", false, "make nothing: say of which state of the code each is, and what makes it")
	return cmd
}

// reproduceAll goes through the list of what is measured, or some of it, in the top folder of the repository.
func reproduceAll(cmd *cobra.Command, names []string, list bool) error {
	all, err := experiment.ReadMade(".")
	if errors.Is(err, os.ErrNotExist) {
		return usageError{fmt.Errorf("there is no %s here: this command is for the top folder of the repository", experiment.MadeFile)}
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(m experiment.Made) bool { return m.Name == name }) {
			return usageError{fmt.Errorf("%s has no %s", experiment.MadeFile, name)}
		}
	}
	sources, err := experiment.NewSources(".")
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	defer table.Flush()
	for i := range all {
		m := &all[i]
		if len(names) > 0 && !slices.Contains(names, m.Name) {
			continue
		}
		today, err := sources.Sum(m.Packages)
		if err != nil {
			return err
		}
		if list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.Name, m.State(today), m.Takes, m.Command)
			continue
		}
		if m.Current(today) || m.Repeats == "by hand" && len(names) == 0 {
			continue
		}
		if err := makeAgain(cmd, m, today); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if m.Repeats == "by hand" {
			note(cmd, "%s: this goes into the page by hand", m.Name)
			continue
		}
		m.Stamp(today)
		if err := experiment.WriteMade(".", all); err != nil {
			return err
		}
	}
	return nil
}

// makeAgain runs the command, which goes on where it was ended, unless the code is another one.
func makeAgain(cmd *cobra.Command, m *experiment.Made, today string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out := filepath.Join(".reproduce", m.Name+"-"+today)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	note(cmd, "%s (%s): %s", m.Name, m.Takes, m.Command)
	ctx, stop := untilSignal()
	defer stop()
	sh := exec.CommandContext(ctx, "sh", "-ec", `untwist() { "$UNTWIST" "$@"; }; `+m.Command)
	sh.Env = append(os.Environ(), "OUT="+out, "UNTWIST="+self)
	sh.Stdout, sh.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	return sh.Run()
}
