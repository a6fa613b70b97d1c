package guardian

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const patienceOfTests = time.Minute

// A stage is a guardian and the programs of one test, which carry a token.
type stage struct {
	*testing.T
	g     *Guardian
	token string
}

// newStage starts a guardian that is quick to kill.
func newStage(t *testing.T) *stage {
	t.Helper()
	g, err := startIn("", 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t, g, rand.Text()}
	t.Cleanup(func() {
		g.Close()
		s.nobody("after Close")
	})
	return s
}

func (s *stage) command(words ...string) Command {
	return Command{Path: "/proc/self/exe", Args: append([]string{actor, s.token}, words...), Env: os.Environ(), Stderr: os.Stderr}
}

// run starts a program without its output.
func (s *stage) run(words ...string) *Process {
	s.Helper()
	p, err := s.g.Run(s.command(words...))
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// talk starts a program and returns its output too.
func (s *stage) talk(words ...string) (*Process, *bufio.Reader) {
	s.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { read.Close() })
	read.SetReadDeadline(time.Now().Add(patienceOfTests))
	c := s.command(words...)
	c.Stdout = write
	p, err := s.g.Run(c)
	write.Close()
	if err != nil {
		s.Fatal(err)
	}
	return p, bufio.NewReader(read)
}

// up waits until n programs are ready and returns their numbers.
func (s *stage) up(out *bufio.Reader, n int) (pids []int) {
	s.Helper()
	for len(pids) < n {
		line, err := out.ReadString('\n')
		if err != nil {
			s.Fatalf("%d of %d programs are up: %v", len(pids), n, err)
		}
		if number, found := strings.CutPrefix(line, "up "); found {
			pid, _ := strconv.Atoi(strings.TrimSpace(number))
			pids = append(pids, pid)
		}
	}
	return pids
}

// wait waits for a channel to be closed.
func (s *stage) wait(c <-chan struct{}, what string) {
	s.Helper()
	select {
	case <-c:
	case <-time.After(patienceOfTests):
		s.Fatalf("%s: did not come", what)
	}
}

// players returns the numbers of all living processes with the token in their command
// line or the guardian's mark in their environment. It looks through all of /proc, in a
// way of its own.
func players(token, id string) (pids []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		env, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		if bytes.Contains(line, []byte(token)) || id != "" && bytes.Contains(env, []byte(mark+"="+id)) {
			state, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
			pids = append(pids, fmt.Sprintf("%s (%s)", e.Name(), state))
		}
	}
	return pids
}

func (s *stage) nobody(when string) {
	s.Helper()
	if left := players(s.token, s.g.id); len(left) > 0 {
		s.Errorf("%s: %d processes are left: %v", when, len(left), left)
	}
}

// remain waits until n processes are left.
func (s *stage) remain(n int) {
	s.Helper()
	eventually(s.T, fmt.Sprint(n, " processes are left"), func() bool { return len(players(s.token, s.g.id)) == n })
}

// eventually waits until something is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(patienceOfTests)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s: did not come true", what)
		}
	}
}
