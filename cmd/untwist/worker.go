package main

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
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
		Args:  oneFile,
		RunE:  f.subject.with(f.ready, f.work),
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

// ready finds out how many processes there are. A worker shows no progress.
func (f *workerFlags) ready() (quiet bool, err error) {
	if f.server == "" {
		return true, usageError{errors.New("where is the run? Give --server URL, such as nats://127.0.0.1:4222")}
	}
	if p := &f.subject.program; p.Procs == 0 && p.Protocol != program.Batch {
		p.Procs = cores(os.DirFS("/"), os.Getenv, runtime.NumCPU())
	}
	return true, nil
}

func (f *workerFlags) work(_ *cobra.Command, from *source, s subject, line *progressLine) error {
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
	config, _, err := f.subject.config(from, s.space, line.note)
	if err != nil {
		return nil, err
	}
	config.Procs, config.FirstProc = 1, proc
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

// cores returns how many processes a worker should run at the same time, on a machine with these
// files, variables and processors: as many cores as the scheduler has given it, or the control
// group allows, or the machine has.
func cores(root fs.FS, getenv func(string) string, cpus int) int {
	if n, err := strconv.Atoi(getenv("SLURM_CPUS_PER_TASK")); err == nil && n > 0 {
		return n
	}
	if limit := cgroupLimit(root); limit < float64(cpus) {
		return max(int(math.Ceil(limit)), 1)
	}
	return max(cpus, 1)
}

// cgroupLimit returns how many processors the control groups of this process allow, of version
// 2 or 1; +Inf: they do not limit it.
func cgroupLimit(root fs.FS) float64 {
	limit := math.Inf(1)
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return limit
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, files := "sys/fs/cgroup", []string{"cpu.max"} // "max 100000" or "200000 100000"
		if parts[0] != "0" {
			if !strings.Contains(","+parts[1]+",", ",cpu,") {
				continue
			}
			base, files = "sys/fs/cgroup/cpu", []string{"cpu.cfs_quota_us", "cpu.cfs_period_us"}
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) { // its parents limit it too
			limit = min(limit, quota(root, path.Join(base, group), files))
			if group == "/" {
				break
			}
		}
	}
	return limit
}

// quota returns the quota of a group over its period, which are in one file or in two; +Inf:
// there is no limit.
func quota(root fs.FS, dir string, files []string) float64 {
	var all []float64
	for _, file := range files {
		data, err := fs.ReadFile(root, path.Join(dir, file))
		if err != nil {
			return math.Inf(1)
		}
		for word := range strings.FieldsSeq(string(data)) {
			v, _ := strconv.ParseFloat(word, 64) // 0: no number
			all = append(all, v)
		}
	}
	if len(all) != 2 || !(all[0] > 0 && all[1] > 0) {
		return math.Inf(1)
	}
	return all[0] / all[1]
}
