package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

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

// A signalled error says that a signal has ended a run. What was found is printed by
// then.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return "ended by a signal: " + s.signal.String() }

// status is the exit status, as a shell gives it to a program that a signal has killed:
// 130 for SIGINT and 143 for SIGTERM.
func (s signalled) status() int { return 128 + int(s.signal) }

// untilSignal returns a context that ends with the first SIGINT or SIGTERM, so that a run
// can end in good order. Its cause is then a signalled error. A second signal kills the
// program, unless it comes at once.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			cancel(signalled{s.(syscall.Signal)})
			time.Sleep(echoes)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// echoes is how long a signal that comes again is taken for the same one. The command
// timeout sends it to the program and then to its process group, and whoever passes Ctrl-C
// on sends it to a program that the terminal has told already.
const echoes = 500 * time.Millisecond
