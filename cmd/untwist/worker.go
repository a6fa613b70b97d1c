package main

import (
	"cmp"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/cluster"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/objective"
)

// workerFlags are the flags of worker as they were given.
type workerFlags struct {
	accessFlags
	subject               subjectFlags
	walltime, wait, grace time.Duration
}

// workerCommand evaluates points of a run elsewhere.
func workerCommand() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker [FILE.toml]",
		Short: "Evaluate points of a run on another machine",
		Long: `Evaluate points for untwist minimize --listen, or any run on a NATS server, until the run is
over. The problem file is the same as there: the command that computes a value comes from
this file alone, never from the network. docs/cluster.md explains it.

A worker can come and go at any time. After SIGTERM or SIGINT it takes no more work, and has
--grace for what it has begun. It ends when the run is over, and when the server or the run
has been gone for the time of --wait.

The exit status is 0 when the run is over or --walltime is spent, 1 on an error, 2 on bad
usage, 130 after SIGINT and 143 after SIGTERM.`,
		Example: `  untwist worker sim.toml --server nats://127.0.0.1:4222
  untwist worker sim.toml --server tls://host:4222 --token-file secret --tls-ca c.pem --walltime 2h`,
		Args: oneFile,
		RunE: f.run,
	}
	flags := cmd.Flags()
	f.subject.register(flags)
	f.subject.worker = true
	f.accessFlags.register(flags, "the server of the run, `URL`: nats://HOST:PORT or tls://HOST:PORT")
	flags.Var(duration(&f.walltime), "walltime", "end after this time, and begin nothing that takes longer: 2h (default no limit)")
	flags.Var(duration(&f.wait), "wait", "wait this long for a server or a run that is not there (default 1m)")
	flags.Var(duration(&f.grace), "grace", "the most time to finish what was begun when a signal ends the worker (default 20s)")
	flags.Lookup("procs").Usage = "evaluate `N` points at the same time, each with a program of its own (default SLURM_CPUS_PER_TASK, else as many as there are cores; for a batch program 1)"
	for _, hidden := range []string{"caller", "keep-going", "x0"} {
		flags.Lookup(hidden).Hidden = true
	}
	return cmd
}

// defaultGrace is less than the 30 seconds after which Slurm, Kubernetes and others kill.
const defaultGrace = 20 * time.Second

// run works for a run.
func (f *workerFlags) run(cmd *cobra.Command, args []string) error {
	return f.subject.with(cmd, args, func() (bool, error) {
		if f.server == "" {
			return true, usageError{errors.New("where is the run? Give --server URL, such as nats://127.0.0.1:4222")}
		}
		if p := &f.subject.program; p.Procs == 0 && p.Protocol != program.Batch {
			p.Procs = coresAllowed()
		}
		return true, nil
	}, f.work)
}

// work works with a subject.
func (f *workerFlags) work(from *source, s subject, line *progressLine) error {
	if s.caller != nil {
		return usageError{errors.New("a worker has no caller")}
	}
	access, err := f.access(false)
	if err != nil {
		return err
	}
	if err := access.CheckServer(f.server); err != nil {
		return err
	}
	about, err := s.about()
	if err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	return cluster.Work(ctx, cluster.WorkerConfig{
		Server: f.server, Access: access, About: about, Dim: s.objective.Dim(), Procs: max(f.subject.program.Procs, 1),
		Open: func(proc int) (objective.Objective, error) { return f.open(s, from, line, proc) },
		Wait: f.wait, Walltime: f.walltime, Grace: cmp.Or(f.grace, defaultGrace), Note: line.note,
	})
}

// open makes what one process of the worker evaluates with: a program of its own, or the
// built-in problem.
func (f *workerFlags) open(s subject, from *source, line *progressLine, proc int) (objective.Objective, error) {
	if s.program == nil {
		return s.objective, nil
	}
	config, err := f.subject.program.config(from, s.space.Names())
	if err != nil {
		return nil, err
	}
	config.Procs, config.FirstProc, config.Note = 1, proc, line.note
	config.KeepFailed = new(keptBy(proc, max(f.subject.program.Procs, 1), config.KeepFailed))
	return program.New(config)
}

// keptBy returns how many folders of failed points a process of a worker keeps: its share of
// those that all keep together. nil: those are program.DefaultKeepFailed.
func keptBy(proc, procs int, all *int) int {
	n := program.DefaultKeepFailed
	if all != nil {
		n = *all
	}
	return (n + procs - proc) / procs
}
