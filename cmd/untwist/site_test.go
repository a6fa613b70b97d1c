package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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
	subject  []string
	budget   string
	pause    time.Duration // for each point
	alone    bool          // the server is a process of its own

	mu    sync.Mutex
	procs []*proc
}

// A proc is a process of a site.
type proc struct {
	*exec.Cmd
	name     string
	out, err bytes.Buffer
	ended    chan struct{} // closed when it has ended
}

func newSite(t *testing.T, budget string, subject ...string) *site {
	t.Helper()
	s := &site{dir: t.TempDir(), port: freePort(t), budget: budget}
	s.via, s.log = s.port, filepath.Join(s.dir, "evaluated.log")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(s.dir, "bench") // TestMain goes by the name
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	for _, word := range subject {
		s.subject = append(s.subject, strings.Replace(word, "BENCH", link, 1))
	}
	t.Cleanup(func() {
		for _, p := range s.procs {
			_ = p.Process.Kill()
			<-p.ended
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
	p := &proc{Cmd: command(t, context.Background(), args...), name: name, ended: make(chan struct{})}
	if name == "nats" {
		p.Args[0] = name
	}
	p.Dir = s.dir
	p.Env = append(os.Environ(), "BENCH_LOG="+s.log, "BENCH_PAUSE="+s.pause.String(), "NATS_DIR="+s.dir)
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
	where := []string{"--listen", fmt.Sprintf("127.0.0.1:%d", s.port)}
	if s.alone {
		where = []string{"--server", fmt.Sprintf("nats://127.0.0.1:%d", s.port)}
	}
	args := append([]string{"minimize", "--json", "--quiet", "--budget", s.budget, "--journal", "run.journal"}, s.subject...)
	return s.start(t, "coordinator", append(append(args, where...), more...)...)
}

// worker starts a worker.
func (s *site) worker(t *testing.T, name string, more ...string) *proc {
	t.Helper()
	args := append([]string{"worker", "--server", fmt.Sprintf("nats://127.0.0.1:%d", s.via)}, s.subject...)
	return s.start(t, name, append(args, more...)...)
}

// nats starts the server.
func (s *site) nats(t *testing.T) *proc {
	t.Helper()
	return s.start(t, "nats", fmt.Sprint(s.port))
}

// kill kills a process.
func (p *proc) kill() {
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

// A proxy passes connections on, and can cut them.
type proxy struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	conns []net.Conn
}

func newProxy(t *testing.T, port int) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: fmt.Sprintf("127.0.0.1:%d", port)}
	t.Cleanup(func() { l.Close(); p.cut() })
	go p.accept()
	return p
}

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.to)
		if err != nil {
			in.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, in, out)
		p.mu.Unlock()
		go p.pass(in, out)
		go p.pass(out, in)
	}
}

// pass passes on what comes, and ends both connections when one ends.
func (p *proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	_, _ = io.Copy(to, from)
}

// cut cuts all connections, wherever in a message they are.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // what is under way is lost
		}
		c.Close()
	}
	p.conns = nil
}
