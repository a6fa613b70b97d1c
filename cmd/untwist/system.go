package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// system is the system on which the program runs, as Go names it.
var system = runtime.GOOS

// fitsSystem returns an error if a command does not run here. On Windows built-in problems can be
// minimised, and the library works; whatever starts programs, keeps journals together or serves
// others is for systems that are like Unix.
func fitsSystem(cmd *cobra.Command, args []string) error {
	if system != "windows" || !cmd.HasParent() {
		return nil
	}
	switch cmd.Name() {
	case "help", "problems":
		return nil
	case "minimize":
		if cmd.Flags().Changed("problem") && len(args) == 0 {
			return nil
		}
	}
	return usageError{fmt.Errorf("%s needs Linux, macOS or WSL; on Windows there are minimize --problem and problems", cmd.CommandPath())}
}
