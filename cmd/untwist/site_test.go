package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServer is a NATS server as a process of its own: nats PORT.
func natsServer() {
	var port int
	fmt.Sscan(os.Args[1], &port)
	dir, err := os.MkdirTemp(os.Getenv("NATS_DIR"), "store")
	if err != nil {
		os.Exit(1)
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir})
	if err != nil {
		os.Exit(1)
	}
	s.Start()
	s.WaitForShutdown()
}

// patient is how long a test waits for something that has to happen.
const patient = 2 * time.Minute

// A site is a run with its workers, all processes of their own.
type site struct {
	dir, log string
	port     int // of the server
	via      int // the port that workers connect to
	host     string
	subject  []string
	budget   string
	pause    time.Duration // for each point
	alone    bool          // the server is a process of its own
	secret   []string      // the flags that other addresses than this machine's need
	inside   []string      // the command that runs a worker elsewhere
	wrong    string        // the share of the points at which the next worker is wrong

	mu    sync.Mutex
	procs []*proc
}

// A proc is a process of a site.
type proc struct {
	*exec.Cmd
	name     string
	out, err talk
	ended    chan struct{} // closed when it has ended
	killed   bool
}

// A talk is what a process has written so far.
type talk struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *talk) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *talk) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

func newSite(t *testing.T, budget string, subject ...string) *site {
	t.Helper()
	s := &site{dir: t.TempDir(), port: freePort(t), host: "127.0.0.1", budget: budget}
	s.via, s.log = s.port, filepath.Join(s.dir, "evaluated.log")
	program := benchIn(t, s.dir)
	for _, word := range subject {
		s.subject = append(s.subject, strings.Replace(word, "BENCH", program, 1))
	}
	t.Cleanup(func() {
		for _, p := range s.procs {
			p.kill()
			if t.Failed() {
				t.Logf("%s: %s", p.name, p.err.String())
			}
		}
	})
	return s
}

// freePort returns a port that nobody uses.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start starts a process.
func (s *site) start(t *testing.T, name string, args ...string) *proc {
	t.Helper()
	return s.begin(t, name, command(t, context.Background(), args...))
}

// begin begins a command.
func (s *site) begin(t *testing.T, name string, cmd *exec.Cmd) *proc {
	t.Helper()
	p := &proc{Cmd: cmd, name: name, ended: make(chan struct{})}
	p.Dir = s.dir
	p.Env = append(os.Environ(), "BENCH_LOG="+s.log, "BENCH_PAUSE="+s.pause.String(), "BENCH_WRONG="+s.wrong, "NATS_DIR="+s.dir)
	p.Stdout, p.Stderr = &p.out, &p.err
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.Wait(); close(p.ended) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.procs = append(s.procs, p)
	return p
}

// minimize starts the run.
func (s *site) minimize(t *testing.T, more ...string) *proc {
	t.Helper()
	where := []string{"--listen", fmt.Sprintf("%s:%d", s.host, s.port)}
	if s.alone {
		where = []string{"--server", fmt.Sprintf("nats://%s:%d", s.host, s.via)}
	}
	args := append([]string{"minimize", "--json", "--quiet", "--budget", s.budget, "--journal", "run.journal"}, s.subject...)
	return s.start(t, "coordinator", slices.Concat(args, where, s.secret, more)...)
}

// worker starts a worker.
func (s *site) worker(t *testing.T, name string, more ...string) *proc {
	t.Helper()
	args := slices.Concat([]string{"worker", "--server", fmt.Sprintf("nats://%s:%d", s.host, s.via)}, s.subject, s.secret, more)
	if len(s.inside) == 0 {
		return s.start(t, name, args...)
	}
	return s.begin(t, name, exec.Command(s.inside[0], append(s.inside[1:], args...)...))
}

// nats starts the server.
func (s *site) nats(t *testing.T) *proc {
	t.Helper()
	cmd := command(t, context.Background(), fmt.Sprint(s.port))
	cmd.Args[0] = "nats" // TestMain goes by the name
	return s.begin(t, "nats", cmd)
}

// kill kills a process.
func (p *proc) kill() {
	p.killed = true
	_ = p.Process.Kill()
	<-p.ended
}

// wait waits for a process to end, and returns its exit status.
func (p *proc) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patient):
		t.Fatalf("%s does not end: %s", p.name, p.err.String())
	}
	return p.ProcessState.ExitCode()
}

// until waits until something is so, or a process has ended.
func until(t *testing.T, p *proc, so func() bool) {
	t.Helper()
	late := time.After(patient)
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-again.C:
		case <-p.ended:
			return
		case <-late:
			t.Fatalf("nothing happens: %s", p.err.String())
		}
	}
}

// evaluated returns how many points the log has.
func (s *site) evaluated(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}
