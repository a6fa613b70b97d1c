package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/needs"
)

// finds fails unless a script has ended well and result.json has what one process finds.
func (p *place) finds(t *testing.T, script *proc, want map[string]any) {
	t.Helper()
	if status := script.wait(t); status != 0 {
		t.Fatalf("status %d: %s", status, script.err.String())
	}
	if diff := cmp.Diff(want, timeless(t, p.read(t, "result.json"))); diff != "" {
		t.Errorf("without workers (-) and with (+):\n%s", diff)
	}
}

// jobFor returns the number of a Slurm job for which the script chooses a port that is free.
func jobFor(t *testing.T) int {
	t.Helper()
	for {
		if port := freePort(t); port >= 20000 && port < 60000 {
			return port - 20000
		}
	}
}

// The script for Slurm: its exit status is that of the run, and it goes on where it stood.
func TestSlurmScript(t *testing.T) {
	t.Parallel()
	needs.Tools(t, "openssl")
	p := newPlace(t, "300")
	want := p.expected(t)
	script := p.block(t, "Slurm", map[string]string{"--ntasks=8": "--ntasks=3", "--cpus-per-task=16": "--cpus-per-task=2"})
	if !strings.Contains(script, "#SBATCH --ntasks=3 --cpus-per-task=2 --time=02:00:00\n") {
		t.Errorf("sbatch reads something else than this test: %s", script)
	}
	job := func(script string) *proc {
		return p.sh(t, "job", script, "SLURM_NTASKS=3", "SLURM_CPUS_PER_TASK=2", fmt.Sprint("SLURM_JOB_ID=", jobFor(t)))
	}
	p.pause = 50 * time.Millisecond // so that it takes longer than this
	short := job(swap(t, script, map[string]string{"116m": "2s", "115m": "1500ms"}))
	if status := short.wait(t); status != 0 || timeless(t, p.read(t, "result.json"))["status"] != "time-spent" {
		t.Errorf("a job that is too short ended with status %d, %s%s", status, p.read(t, "result.json"), short.err.String())
	}
	p.pause = time.Millisecond
	p.finds(t, job(script), want)
	p.write(t, "sim.toml", "nonsense")
	if status := job(strings.ReplaceAll(script, "115m", "115m --wait 100ms")).wait(t); status != 2 {
		t.Errorf("a job whose run cannot begin ends with status %d", status)
	}
}

// The script for ssh, with a certificate as the document makes it.
func TestSSHScript(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "300")
	want := p.expected(t)
	p.pause = time.Millisecond
	p.certified(t)
	script := p.sh(t, "script", p.block(t, "ssh", map[string]string{"4222": fmt.Sprint(p.port), "/shared/sim": p.dir}))
	p.finds(t, script, want)
	hosts := strings.Fields(string(p.read(t, "hosts")))
	if slices.Sort(hosts); !slices.Equal(hosts, []string{"node1", "node2", "node3"}) {
		t.Errorf("there were workers on %v", hosts)
	}
}

// The script for containers: one that is stopped hands in what it has begun, and another goes on.
func TestContainerScript(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "300")
	want := p.expected(t)
	p.pause = 2 * time.Millisecond
	p.certified(t)
	listen := p.line(t, "untwist minimize sim.toml --journal run.journal --listen 0.0.0.0:4222", map[string]string{"4222": fmt.Sprint(p.port)})
	run := p.sh(t, "coordinator", "exec "+strings.TrimSpace(listen)+" --json >result.json")
	script := p.block(t, "Containers", map[string]string{"--cpus 4": "--cpus 2", "host:4222": fmt.Sprint("localhost:", p.port)})
	container := p.sh(t, "container", script)
	until(t, run, func() bool { return len(logged(t, p.log)) > 20 })
	if stopped := p.sh(t, "stop", "docker stop worker1"); stopped.wait(t) != 0 {
		t.Error(stopped.err.String())
	}
	if status := container.wait(t); status != 143 {
		t.Errorf("the container ended with status %d: %s", status, container.err.String())
	}
	container = p.sh(t, "container", script)
	p.finds(t, run, want)
	if status := container.wait(t); status != 0 {
		t.Errorf("the container ended with status %d: %s", status, container.err.String())
	}
}

// A run that is killed leaves its journal, and nothing else.
func TestKilledRunLeavesNoFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "300")
	p.pause = time.Millisecond
	run := p.sh(t, "coordinator", fmt.Sprintf("exec untwist minimize sim.toml --journal run.journal --listen 127.0.0.1:%d", p.port))
	p.worker(t, "worker")
	until(t, run, func() bool { return len(logged(t, p.log)) > 5 })
	run.kill()
	left, err := filepath.Glob(filepath.Join(p.dir, "untwist-queue-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	p.read(t, "run.journal")
}

// A worker takes as many processes as Slurm gives it, and ends when its run has been gone for
// the time of --wait.
func TestWorkerOutlivesItsRun(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "300")
	p.pause = 200 * time.Millisecond // it must not end meanwhile
	run := p.minimize(t)
	server := fmt.Sprintf("nats://127.0.0.1:%d", p.port)
	worker := p.sh(t, "worker", "exec untwist worker sim.toml --wait 1s --server "+server, "SLURM_CPUS_PER_TASK=3")
	until(t, worker, func() bool { return len(logged(t, p.log)) > 5 })
	shown := p.start(t, "workers", "workers", "--json", "--server", server)
	if shown.wait(t) != 0 || !strings.Contains(shown.out.String(), `"state":"works","processes":3,`) {
		t.Errorf("the worker is shown as %s%s", shown.out.String(), shown.err.String())
	}
	run.kill()
	if status := worker.wait(t); status != 1 || !strings.Contains(worker.err.String(), "the coordinator has been gone for 1s") {
		t.Errorf("status %d, %s", status, worker.err.String())
	}
}

// A worker on which the program never works gets no more work, whoever comes first, and the run
// finds what it finds without it.
func TestBrokenWorkerIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, first := range flags.Sample([]string{"broken", "good", "nobody"}, 2) {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "300")
			want := p.expected(t)
			p.pause = time.Millisecond
			server := fmt.Sprintf("nats://127.0.0.1:%d", p.port)
			run := p.minimize(t)
			breaks := func() *proc {
				return p.sh(t, "broken", "exec untwist worker sim.toml --procs 2 --server "+server, "BENCH_LOG=/dev/null/none")
			}
			works := func() { p.worker(t, "good", "--procs", "1") }
			var broken *proc
			switch first {
			case "broken":
				broken = breaks()
				until(t, run, func() bool {
					shown := p.start(t, "workers", "workers", "--json", "--server", server)
					<-shown.ended
					return strings.Contains(shown.out.String(), `"last_failure"`)
				})
				works()
			case "good":
				works()
				until(t, run, func() bool { return p.evaluated(t) > 0 })
				broken = breaks()
			default:
				works()
				broken = breaks()
			}
			p.same(t, run, want)
			said := run.err.String()
			if strings.Contains(said, "different values") {
				t.Errorf("what a broken worker says is taken for values: %s", said)
			}
			found := strings.Contains(said, "no more work")
			// It hears that it is left out, or that the run has ended just then.
			if status := broken.wait(t); status > 1 || status == 1 && !found {
				t.Errorf("status %d, the broken worker says %s", status, broken.err.String())
			}
			if first == "broken" && !found {
				t.Errorf("it is not left out: %s", said)
			}
		})
	}
}
