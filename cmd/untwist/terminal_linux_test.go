package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A terminal is a pseudo-terminal and what was written to it so far.
type terminal struct {
	program *os.File // the end that the program has
	changed chan struct{}
	ended   chan struct{} // is closed when everything was read
	mu      sync.Mutex
	text    bytes.Buffer
}

// newTerminal makes a terminal of so many columns.
func newTerminal(t *testing.T, columns int) *terminal {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(ours.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{changed: make(chan struct{}, 1), ended: make(chan struct{})}
	if term.program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		term.program.Close()
		ours.Close()
	})
	go term.read(ours)
	return term
}

// read keeps what the program writes, until the terminal is closed.
func (term *terminal) read(from *os.File) {
	defer close(term.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		term.mu.Lock()
		term.text.Write(buffer[:n])
		term.mu.Unlock()
		select {
		case term.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// all returns what was written so far.
func (term *terminal) all() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.text.String()
}

// wait waits until the terminal shows what matches.
func (term *terminal) wait(t *testing.T, sign *regexp.Regexp) {
	t.Helper()
	limit := time.After(time.Minute)
	for !sign.MatchString(term.all()) {
		select {
		case <-term.changed:
		case <-limit:
			t.Fatalf("there is no %v in %q", sign, term.all())
		}
	}
}

// signalAt runs the program in a terminal, sends it a signal when it shows a sign, several
// times at once as the command timeout does, and returns its exit status, standard output,
// and all that was on the terminal.
func signalAt(t *testing.T, signal os.Signal, columns int, sign string, args ...string) (status int, stdout, shown string) {
	t.Helper()
	term := newTerminal(t, columns)
	cmd := command(t, t.Context(), args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, term.program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term.wait(t, regexp.MustCompile(sign))
	for range 10 {
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Wait()           // its error is the status
	term.program.Close() // nobody writes any more, so that reading ends
	<-term.ended
	return cmd.ProcessState.ExitCode(), out.String(), term.all()
}

// A real process in a terminal: progress is shown, in whole parts where there is little
// room; a signal ends the run; the best so far is printed, and the status tells which
// signal it was.
func TestInterruptedRuns(t *testing.T) {
	for _, c := range []struct {
		signal os.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		status, stdout, shown := signalAt(t, c.signal, 30, `best [0-9]`,
			"minimize", "--problem", "rastrigin", "--budget", "1e9", "--strategy", "cbo", "--json")
		if status != c.status || !strings.Contains(stdout, `"status":"cancelled"`) || !strings.Contains(stdout, `"best_value":`) {
			t.Errorf("%v: status %d, printed %q", c.signal, status, stdout)
		}
		for line := range strings.SplitSeq(shown, "\r") {
			line = strings.TrimSuffix(line, "\x1b[K")
			if !regexp.MustCompile(`^(best [0-9]+\.?[0-9]*(e[+-][0-9]+)?)?$`).MatchString(line) {
				t.Errorf("%v: shown is %q", c.signal, line)
			}
		}
	}
}

// A grid prints the table of the runs that are done, and goes on with the same command.
func TestInterruptedGrid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	status, stdout, shown := signalAt(t, syscall.SIGINT, 200, `1 of 2 runs`,
		"reproduce", "table1", "--dim", "4", "--budget", "1000000000", "--runs", "1", "--problems", "rastrigin", "--methods", "auto,cbo", "--out", dir)
	if status != 130 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{`(?m)^auto +rastrigin +1/1 `, `(?m)^cbo +rastrigin +0 *$`, `(?m)1 of 2 runs\.$`} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("no %s in %s", want, stdout)
		}
	}
	if want := "untwist: interrupted after 1 of 2 runs; they are kept, and the same command goes on\r\n"; !strings.HasSuffix(shown, want) {
		t.Errorf("the terminal ends with %q", shown[max(0, len(shown)-200):])
	}
	runs, err := os.ReadFile(filepath.Join(dir, "table1-d4-rastrigin-auto-cbo-1000000000queries-1run-runs.csv"))
	if err != nil || !strings.Contains(string(runs), "\nauto,rastrigin,4,paper,,0,1000000000,target-reached,") {
		t.Errorf("runs.csv: %v\n%s", err, runs)
	}
}
