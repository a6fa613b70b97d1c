// Command untwist minimises black-box functions globally.
//
//	untwist init './sim --k {k} --depth {depth}'
//	untwist check sim.toml
//	untwist minimize sim.toml --journal sim.journal
//	untwist help
//
// What it finds goes to standard output, everything else to standard error. It exits
// with 0 when it is done, 1 on an error, 2 on bad usage, and 3 if ask has nothing more to ask
// for. SIGINT ends it with 130 and
// SIGTERM with 143; the best point so far is still printed.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/store"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// The exit statuses of the program; signalled has those for signals.
const (
	exitDone  = 0
	exitError = 1
	exitUsage = 2
	// exitNothing is that of ask on a run that is done.
	exitNothing = 3
)

// exitStatuses explains the exit statuses in help texts.
const exitStatuses = `The exit status is 0 when the program is done, 1 on an error, 2 on bad usage, 130 when
SIGINT (Ctrl-C) has ended it and 143 when SIGTERM has. After a signal the best that was
found so far is still printed; a second signal ends the program at once.`

// A usageError is a mistake on the command line, found before anything was run.
type usageError struct{ error }

func run(args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "untwist",
		Short:         "Minimise black-box functions globally",
		Long:          "Minimise black-box functions globally.\n\n" + exitStatuses + " ask ends with\n3 when its run is done.",
		Version:       store.Version(),
		Annotations:   map[string]string{arguments: program.Quote(args)},
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q: must be one of minimize, probe, check, init, worker, workers, journal, ask, tell, problems, compare, reproduce, help", args[0])}
			}
			return nil
		},
		PersistentPreRunE: fitsSystem,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w (%s --help lists the flags)", err, cmd.CommandPath())}
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(minimizeCommand(), probeCommand(), checkCommand(), initCommand(), workerCommand(), workersCommand(), journalCommand(), askCommand(), tellCommand(), compareCommand(), reproduceCommand(), drawCommand())
	inOrder(root)
	root.AddCommand(problemsCommand())
	explain(root)

	err := root.Execute()
	var ended signalled
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, done{}):
		return exitNothing
	case errors.As(err, &ended):
		return ended.status()
	}
	fmt.Fprintf(stderr, "untwist: %v\n", err)
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return exitError
}

// inOrder has help texts list flags in the order in which they are declared.
func inOrder(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	for _, c := range cmd.Commands() {
		inOrder(c)
	}
}

// helpText has what commands say at length, and examples.
//
//go:embed help.txt
var helpText string

// explain gives commands what the text has under their names.
func explain(cmd *cobra.Command) {
	if _, text, there := strings.Cut(helpText, "=== "+cmd.Name()+"\n"); there {
		text, _, _ = strings.Cut(strings.TrimSuffix(text, "\n"), "\n=== ")
		text = strings.NewReplacer("{exit}", exitStatuses, "{methods}", strings.Join(experiment.MethodNames(), ", ")).Replace(text)
		cmd.Long, cmd.Example, _ = strings.Cut(text, "\n--- examples\n")
	}
	for _, c := range cmd.Commands() {
		explain(c)
	}
}

// flagOf is the flag that sets each option.
var flagOf = map[string]string{
	"Name": "problem", "Dim": "dim", "Components": "components", "Mix": "mix", "Block": "block", "BlockCount": "blocks", "Entries": "entries", "Interactions": "interactions", "Permute": "permute",
	"Single": "single", "Coupling": "coupling", "CouplingKind": "coupling-kind", "Map": "map", "Noise": "noise", "NoiseRelative": "noise-relative",
	"ScaleValue": "scale-value", "Offset": "offset", "Digits": "digits", "Failing": "failing", "FailingBeyond": "failing-beyond",
	"Frame": "frame", "Blocks": "frame", "Identifier": "identifier", "Start": "start", "Bounds": "bounds", "Points": "x0",
	"Budget": "budget", "Target": "target", "Workers": "workers",
	"Strategy": "strategy", "Particles": "particles", "Sigma": "sigma", "Tau": "tau", "Alpha": "alpha", "Share": "share", "CBO": "cbo", "Batch": "cbo batch", "Domain": "cbo", "Mirror": "cbo", "Sight": "cbo", "Trace": "trace",
	"Exec": "exec", "Names": "param", "Parameters": "param", "Protocol": "protocol", "EOF": "eof", "Procs": "procs",
	"Timeout": "timeout", "Retries": "retries", "KeepFailed": "keep-failed", "Templates": "template", "Result": "result",
	"ResultFile": "result-file", "Time": "time", "Tolerance": "tolerance", "MaxFailures": "max-failures", "Parallel": "parallel",
	"NoiseLevel": "noise-level", "Residuals": "residuals", "Outputs": "output", "Limits": "limit", "Maximize": "maximize",
	"Listen": "listen", "Live": "live", "Server": "server", "User": "user", "Verify": "verify",
	"Problems": "problems", "Methods": "methods", "Sizes": "sizes", "Runs": "runs", "Gap": "gap", "Seed": "seed",
}

// takes refuses fewer or more arguments than a command takes, which is then said in words.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError{fmt.Errorf("%s takes %s", cmd.CommandPath(), what)}
		}
		return nil
	}
}

// noArguments refuses arguments that are not flags.
func noArguments(cmd *cobra.Command, args []string) error {
	return takes(0, 0, fmt.Sprintf("flags only, not %q", strings.Join(args, " ")))(cmd, args)
}

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
