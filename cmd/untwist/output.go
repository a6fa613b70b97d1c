package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
)

// An outcome is what a command has found. It is told before it is drawn, so that nothing
// is lost if the program is ended while it draws.
type outcome interface {
	fmt.Stringer
	Warnings() []string
	Draw(dir string) error
}

// tell prints an outcome, for a program or for a person, and warnings about it.
func tell(cmd *cobra.Command, found outcome, asJSON bool) error {
	var err error
	if asJSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(found)
	} else {
		_, err = fmt.Fprint(cmd.OutOrStdout(), found)
	}
	for _, w := range found.Warnings() {
		note(cmd, "%s", w)
	}
	return err
}

// draw draws an outcome into the folder of the flag --plot, if that was given.
func draw(cmd *cobra.Command, found outcome, dir text) error {
	if dir == "" {
		return nil
	}
	err := found.Draw(string(dir))
	if errors.Is(err, report.ErrNothingToDraw) {
		note(cmd, "--plot: %v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}

// note says something on standard error, in one line.
func note(cmd *cobra.Command, format string, values ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "untwist: "+format+"\n", values...)
}

// folder makes the folder that a flag names, if there is none, and finds out whether files
// can be written there. It does nothing where the flag was not given. A name that ends like that
// of a picture is refused.
func folder(flag string, dir text) error {
	switch filepath.Ext(string(dir)) {
	case ".svg", ".png", ".pdf", ".eps", ".jpg", ".jpeg":
		return fmt.Errorf("%s %s: a folder is meant; %s", flag, dir, chart.OnlySVG)
	}
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(string(dir), 0o755)
	if err == nil {
		err = atomicfile.Folder(string(dir))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}
