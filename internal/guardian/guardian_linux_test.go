package guardian

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

func TestHowProgramsEnd(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		words string
		want  State
	}{
		{"exit 0", State{}},
		{"exit 3", State{Code: 3}},
		{"exit 255", State{Code: 255}},
		{"signal 1", State{Code: -1, Signal: syscall.SIGHUP}},
		{"signal 9", State{Code: -1, Signal: syscall.SIGKILL}},
		{"signal 15", State{Code: -1, Signal: syscall.SIGTERM}},
	} {
		p := s.run(strings.Fields(c.words)...)
		s.wait(p.Done(), c.words)
		select {
		case <-p.Exited():
		default:
			t.Errorf("%s: done, but not exited", c.words)
		}
		if got := p.State(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.words, got, c.want)
		}
		p.Kill(0) // which does nothing
		if got := p.State(); got != c.want {
			t.Errorf("%s: after Kill %+v, want %+v", c.words, got, c.want)
		}
	}
	s.nobody("when all are done")
}

func TestKill(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		part   string
		graces []time.Duration
		want   State
	}{
		{"hang", []time.Duration{time.Hour}, State{Code: -1, Signal: syscall.SIGTERM, Killed: true}},
		{"hang", []time.Duration{0}, State{Code: -1, Signal: syscall.SIGKILL, Killed: true}},
		{"polite", []time.Duration{time.Hour, time.Hour}, State{Code: 7, Killed: true}},
		{"deaf", []time.Duration{time.Millisecond}, State{Code: -1, Signal: syscall.SIGKILL, Killed: true}},
		{"deaf", []time.Duration{time.Hour, 0, time.Hour}, State{Code: -1, Signal: syscall.SIGKILL, Killed: true}},
		{"deaf", []time.Duration{-time.Hour}, State{Code: -1, Signal: syscall.SIGKILL, Killed: true}},
	} {
		p, out := s.talk(c.part)
		if pids := s.up(out, 1); pids[0] != p.Pid() {
			t.Errorf("%s is process %d, want %d", c.part, pids[0], p.Pid())
		}
		for _, grace := range c.graces {
			p.Kill(grace)
		}
		s.wait(p.Done(), c.part)
		if got := p.State(); got != c.want {
			t.Errorf("%s %v: %+v, want %+v", c.part, c.graces, got, c.want)
		}
	}
	s.nobody("when all are done")
}

// A program that is stopped hears SIGTERM nevertheless.
func TestKillOfAStoppedProgram(t *testing.T) {
	s := newStage(t)
	p, out := s.talk("polite")
	s.up(out, 1)
	syscall.Kill(p.Pid(), syscall.SIGSTOP)
	eventually(t, "stopped", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
		return strings.Contains(string(stat), ") T ")
	})
	p.Kill(time.Hour)
	s.wait(p.Done(), "done")
	if want := (State{Code: 7, Killed: true}); p.State() != want {
		t.Errorf("%+v, want %+v", p.State(), want)
	}
}

// trees are programs with children that do not want to end, and how many processes there
// are. A part that plays "start" twice makes an orphan; "session" leaves the session.
var trees = map[string]struct {
	words string
	n     int
}{
	"child":                    {"start same deaf deaf", 2},
	"child in its session":     {"start session deaf hang", 2},
	"orphan":                   {"start same start,same,deaf,exit,0 hang", 2},
	"orphan in its session":    {"start session start,session,deaf,exit,0 deaf", 2},
	"orphans with children":    {"start session start,session,start@same@deaf@deaf,exit,0 deaf", 3},
	"orphan without variables": {"start cleared start,same,deaf,exit,0 deaf", 2},
	// It has its session in common with a process that has the mark.
	"two orphans, one without variables": {"start session start,session,start@cleared@deaf@deaf,exit,0 hang", 3},
}

// words splits the words of a tree.
func words(tree string) []string { return strings.Fields(tree) }

// quote makes one word of the words of a tree.
func quote(tree string) string {
	return strings.NewReplacer("@", "&", ",", "@", " ", ",").Replace(tree)
}

func TestTreesAreEndedByKill(t *testing.T) {
	s := newStage(t)
	for name, tree := range trees {
		p, out := s.talk(words(tree.words)...)
		s.up(out, tree.n)
		p.Kill(5 * time.Millisecond)
		s.wait(p.Done(), name)
		s.nobody(name)
		if !p.State().Killed {
			t.Errorf("%s: %+v", name, p.State())
		}
	}
}

// What a program leaves behind is ended with it, and its output is at an end.
func TestTreesAreEndedWithTheirLeader(t *testing.T) {
	s := newStage(t)
	outputs := map[*Process]io.Reader{}
	for _, tree := range trees {
		all := words(tree.words)
		all = append(all[:3:3], "exit", "4") // the leader does not stay
		p, out := s.talk(all...)
		outputs[p] = out
	}
	for p, out := range outputs {
		s.wait(p.Done(), "done")
		if want := (State{Code: 4}); p.State() != want {
			t.Errorf("%+v, want %+v", p.State(), want)
		}
		if _, err := io.ReadAll(out); err != nil {
			t.Errorf("someone holds the output: %v", err)
		}
	}
	s.nobody("when all are done")
}

// An ordinary user may not look at a process that is being loaded. Where tests are run by root,
// those of trees are run once more by somebody else.
func TestAsAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // all tests are
	}
	command := exec.Command("/proc/self/exe", "-test.run=^(TestTreesAreEndedWithTheirLeader|TestCloseWhileStarting)$", "-test.count=3")
	command.Dir, command.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// A program that has a guardian of its own, and programs.
func TestGuardiansWithinGuardians(t *testing.T) {
	s := newStage(t)
	for _, grace := range []time.Duration{0, time.Hour} {
		p, out := s.talk("us", "-", "start,session,deaf,deaf", "hang")
		s.up(out, 3)
		p.Kill(grace)
		s.wait(p.Done(), "done")
		s.nobody("when all are done")
	}
}

// The guardian lives on when it gets a signal that is not for it.
func TestSignalsToTheGuardian(t *testing.T) {
	s := newStage(t)
	for _, n := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT} {
		if err := syscall.Kill(s.g.process.Pid, n); err != nil {
			t.Fatal(err)
		}
		p := s.run("exit", "0")
		s.wait(p.Done(), "done")
	}
}

// The end of one program does not touch another.
func TestOthersAreNotTouched(t *testing.T) {
	s := newStage(t)
	other, heard := s.talk(words(trees["orphan in its session"].words)...)
	s.up(heard, 2)
	s.remain(2)
	for name, tree := range trees {
		p, out := s.talk(words(tree.words)...)
		s.up(out, tree.n)
		p.Kill(0)
		s.wait(p.Done(), name)
		if left := players(s.token, s.g.id); len(left) != 2 {
			t.Fatalf("%s: %d processes are left, want 2", name, len(left))
		}
	}
	select {
	case <-other.Exited():
		t.Error("the other program has ended")
	default:
	}
}

// What has left parents, session and environment is ended by Close.
func TestStrangersAreEndedByClose(t *testing.T) {
	s := newStage(t)
	p, out := s.talk("start", "session,cleared", "start,session,deaf,exit,0", "exit", "0")
	s.up(out, 1)
	s.wait(p.Done(), "done")
	s.remain(1)
	q, out := s.talk("start", "session", "deaf", "exit", "0") // ended in spite of the stranger
	s.wait(q.Done(), "done")
	if _, err := io.ReadAll(out); err != nil {
		t.Error(err)
	}
	if err := s.g.Close(); err != nil {
		t.Error(err)
	}
	s.nobody("after Close")
}

// Processes that start their successor and end are caught.
func TestMovingTargets(t *testing.T) {
	n := 3
	if *flags.Whole {
		n = 30
	}
	s := newStage(t)
	var all []*Process
	for range n {
		p, out := s.talk("start", "session", "moving,100000", "deaf")
		s.up(out, 1)
		all = append(all, p)
	}
	for _, p := range all {
		p.Kill(0)
	}
	for i, p := range all {
		s.wait(p.Done(), fmt.Sprint("target ", i+1))
	}
	s.nobody("when all are done")
}

// Processes that become more and more are ended.
func TestSpreadingTargets(t *testing.T) {
	n := "3"
	if *flags.Whole {
		n = "9"
	}
	s := newStage(t)
	for _, seen := range []int{1, 7} { // at once, or later
		p, out := s.talk("spread", n)
		s.up(out, seen)
		p.Kill(0)
		s.wait(p.Done(), "done")
		s.nobody("when all are done")
	}
	_, out := s.talk("spread", n)
	s.up(out, 3)
	if err := s.g.Close(); err != nil {
		t.Error(err)
	}
}

// A process whose first thread has ended is not taken for a dead one.
func TestProgramWithoutItsFirstThread(t *testing.T) {
	s := newStage(t)
	p, out := s.talk("headless")
	s.up(out, 1)
	eventually(t, "the first thread has ended", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
		return strings.Contains(string(stat), ") Z ")
	})
	select {
	case <-p.Exited():
		t.Error("it is taken for one that has ended")
	default:
	}
	p.Kill(time.Millisecond)
	s.wait(p.Done(), "done")
	if err := syscall.Kill(p.Pid(), 0); err != syscall.ESRCH {
		t.Errorf("it is left: %v", err)
	}
}

// Close ends everything, and a second Close says the same.
func TestClose(t *testing.T) {
	s := newStage(t)
	var all []*Process
	for _, tree := range trees {
		p, out := s.talk(words(tree.words)...)
		s.up(out, tree.n)
		all = append(all, p)
	}
	for range 2 {
		if err := s.g.Close(); err != nil {
			t.Error(err)
		}
	}
	s.nobody("after Close")
	for _, p := range all {
		s.wait(p.Done(), "done")
		if !p.State().Killed {
			t.Errorf("%+v", p.State())
		}
	}
	if _, err := s.g.Run(s.command("exit", "0")); !errors.Is(err, ErrClosed) {
		t.Errorf("Run after Close: %v", err)
	}
	select {
	case <-s.g.Gone():
		t.Error("gone, although it was closed")
	default:
	}
}

// Close and Kill while programs are being started.
func TestCloseWhileStarting(t *testing.T) {
	for range 5 {
		s := newStage(t)
		var running sync.WaitGroup
		first := make(chan struct{}, 4)
		for i := range 4 {
			running.Go(func() {
				for {
					p, err := s.g.Run(s.command("start", "session", "deaf", "deaf"))
					select {
					case first <- struct{}{}:
					default:
					}
					if errors.Is(err, ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					if i%2 == 0 {
						p.Kill(0)
						<-p.Done()
					}
				}
			})
		}
		<-first
		if err := s.g.Close(); err != nil {
			t.Error(err)
		}
		running.Wait()
		s.nobody("after Close")
	}
}

// Somebody kills the guardian.
func TestTheGuardianIsKilled(t *testing.T) {
	s := newStage(t)
	var all []*Process
	for _, tree := range trees {
		p, out := s.talk(words(tree.words)...)
		s.up(out, tree.n)
		all = append(all, p)
	}
	all[0].Kill(time.Hour)
	syscall.Kill(s.g.process.Pid, syscall.SIGKILL)
	s.wait(s.g.Gone(), "gone")
	for i, p := range all {
		s.wait(p.Done(), "done")
		if p.State().Signal == 0 || p.State().Killed != (i == 0) {
			t.Errorf("%+v", p.State())
		}
	}
	s.nobody("when the guardian has gone")
	if _, err := s.g.Run(s.command("exit", "0")); !errors.Is(err, ErrGone) {
		t.Errorf("Run: %v", err)
	}
	if err := s.g.Close(); !errors.Is(err, ErrGone) {
		t.Errorf("Close: %v", err)
	}
}

// Somebody kills us: another process that uses the package.
func TestWeAreKilled(t *testing.T) {
	for name, tree := range trees {
		folder := t.TempDir()
		for _, place := range []string{"run-1/deep", "run-2", "failed-1"} {
			if err := os.MkdirAll(filepath.Join(folder, place), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		token := rand.Text()
		command := exec.Command("/proc/self/exe", token, "us", folder, quote(tree.words), "hang")
		command.Args[0], command.Stderr = actor, os.Stderr
		pipe, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		out := bufio.NewReader(pipe)
		line, err := out.ReadString('\n')
		var guardian int
		if _, scan := fmt.Sscanf(line, "guardian %d", &guardian); err != nil || scan != nil {
			t.Fatal(err, scan)
		}
		(&stage{T: t}).up(out, tree.n+1)
		command.Process.Kill()
		command.Wait()
		eventually(t, name, func() bool { return len(players(token, "")) == 0 })
		eventually(t, "the guardian has gone", func() bool {
			p, alive := lookUp(guardian) // whoever adopts it may not reap it
			return !alive || p.dead
		})
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != 1 || left[0].Name() != "failed-1" {
			t.Errorf("%s: in the folder are %v, %v", name, left, err)
		}
	}
}

func TestTwoGuardians(t *testing.T) {
	a, b := newStage(t), newStage(t)
	p, heard := a.talk("deaf")
	q, out := b.talk("deaf")
	a.up(heard, 1)
	b.up(out, 1)
	if err := a.g.Close(); err != nil {
		t.Error(err)
	}
	a.wait(p.Done(), "done")
	if left := players(b.token, b.g.id); len(left) != 1 {
		t.Errorf("the second guardian has %d programs, want 1", len(left))
	}
	q.Kill(0)
	b.wait(q.Done(), "done")
}

// What a program finds when it starts: three files, no signal blocked or ignored, a
// session of its own, and its environment with the mark.
func TestWhatProgramsFind(t *testing.T) {
	s := newStage(t)
	for _, how := range [][]string{{"show"}, {"us", "-", "show"}, {"masked", "us", "-", "show"}} {
		p, out := s.talk(how...)
		var files []string
		marks, leads := 0, false
		for seen := 0; seen < 5; {
			line, err := out.ReadString('\n')
			if err == io.EOF && how[0] == "show" {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch key {
			case "file":
				files = append(files, value)
				if !strings.Contains(value, " 0 ") {
					t.Errorf("%v: does not block: %s", how, value)
				}
			case "SigBlk:", "SigIgn:":
				if strings.Trim(value, "0") != "" {
					t.Errorf("%v: %s %s", how, key, value)
				}
			case "leads":
				leads = value == "true"
			case "env":
				if strings.HasPrefix(value, variable) {
					t.Errorf("%v: the program sees %s", how, value)
				}
				if strings.HasPrefix(value, mark+"=") {
					marks++
				}
				if strings.HasPrefix(value, mark+"=") {
					seen = 5 // it is the last
				}
			}
		}
		if len(files) != 3 || !leads || marks != 1 {
			t.Errorf("%v: files %q, leads a session: %v, %d marks", how, files, leads, marks)
		}
		p.Kill(0)
		s.wait(p.Done(), "done")
	}
}

func TestFilesArePassedOn(t *testing.T) {
	s := newStage(t)
	in, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	back, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	c := s.command("copy")
	c.Stdin, c.Stdout = in, out
	p, err := s.g.Run(c)
	in.Close()
	out.Close()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("abcdefgh", 100_000)
	go func() {
		io.WriteString(ours, text)
		ours.Close()
	}()
	got, err := io.ReadAll(bufio.NewReader(back))
	if err != nil || string(got) != text {
		t.Errorf("%d bytes came back, want %d: %v", len(got), len(text), err)
	}
	s.wait(p.Done(), "done")

	c.Stdin = nil // /dev/null, which is empty
	c.Stdout = out
	if _, err := s.g.Run(c); err == nil {
		t.Error("a file that is closed was passed on")
	}
	c.Stdout = nil
	if p, err = s.g.Run(c); err != nil {
		t.Fatal(err)
	}
	s.wait(p.Done(), "done")
	if p.State() != (State{}) {
		t.Errorf("%+v", p.State())
	}
}

func TestLongArguments(t *testing.T) {
	s := newStage(t)
	many := slices.Repeat([]string{strings.Repeat("x", 100_000)}, 12)
	p, out := s.talk(append([]string{"count"}, many...)...)
	if line, err := out.ReadString('\n'); line != "12 1200000\n" {
		t.Errorf("got %q, %v", line, err)
	}
	s.wait(p.Done(), "done")
	if _, err := s.g.Run(s.command("count", strings.Repeat("x", 1_000_000))); !errors.Is(err, syscall.E2BIG) {
		t.Errorf("%v", err)
	}
}

// Thousands of starts leave no process, file or memory behind.
func TestThousandsOfStarts(t *testing.T) {
	n := 400
	if *flags.Whole {
		n = 10_000
	}
	s := newStage(t)
	batch := func(n int) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range n / 8 {
					p, err := s.g.Run(Command{Path: "/bin/true", Args: []string{"true"}, Env: os.Environ()})
					if err != nil {
						t.Error(err)
						return
					}
					<-p.Done()
					if p.State() != (State{}) {
						t.Errorf("%+v", p.State())
					}
				}
			})
		}
		all.Wait()
	}
	files := func() int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.g.process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	memory := func() (kilobytes int) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.g.process.Pid))
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		fmt.Sscan(rest, &kilobytes)
		return kilobytes
	}
	batch(200)
	f, m := files(), memory()
	batch(n)
	t.Logf("files %d, then %d; kilobytes %d, then %d", f, files(), m, memory())
	if files() > f {
		t.Errorf("the guardian has %d files, and had %d", files(), f)
	}
	if memory() > m+8_000 {
		t.Errorf("the guardian has %d kilobytes, and had %d", memory(), m)
	}
	s.g.mutex.Lock()
	defer s.g.mutex.Unlock()
	if len(s.g.live) > 0 {
		t.Errorf("%d processes are remembered", len(s.g.live))
	}
}

func BenchmarkTrue(b *testing.B) {
	for _, procs := range []int{1, 4} {
		b.Run(fmt.Sprintf("procs=%d", procs), func(b *testing.B) {
			g, err := Start("")
			if err != nil {
				b.Fatal(err)
			}
			defer g.Close()
			slots := make(chan struct{}, procs)
			for b.Loop() {
				p, err := g.Run(Command{Path: "/bin/true", Args: []string{"true"}})
				if err != nil {
					b.Fatal(err)
				}
				slots <- struct{}{}
				go func() {
					<-p.Done()
					<-slots
				}()
			}
			for range procs {
				slots <- struct{}{}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "starts/s")
		})
	}
}
