package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/untwist/untwist/internal/guardian"
	"pgregory.net/rapid"

	_ "github.com/untwist/untwist/internal/seeded"
)

func TestEnded(t *testing.T) {
	for _, c := range []struct {
		state   guardian.State
		stderr  string
		failure string
		machine string
	}{
		{guardian.State{}, "all is well\n", "", ""},
		{guardian.State{Code: 3}, "", "exit: exit status 3", ""},
		{guardian.State{Code: 1}, "Traceback\nValueError: x \n\n", "exit: exit status 1: ValueError: x", ""},
		{guardian.State{Code: 1}, "one\rtwo\x1b[31m\x00", "exit: exit status 1: two[31m", ""},
		{guardian.State{Code: -1, Signal: syscall.SIGSEGV}, "", "signal: SIGSEGV", ""},
		{guardian.State{Code: -1, Signal: 64}, "", "signal: signal 64", ""},
		{guardian.State{Code: 75}, "no licence\n", "", "exit status 75, which says that the machine failed: no licence; put"},
		{guardian.State{Code: -1, Signal: syscall.SIGKILL}, "", "", "killed by SIGKILL, which we did not send; the machine may be out of memory"},
		{guardian.State{Code: -1, Signal: syscall.SIGTERM}, "", "", "killed by SIGTERM"},
	} {
		failure, machine := ended(c.state, []byte(c.stderr))
		got := ""
		if failure != nil {
			got = failure.Kind.String() + ": " + failure.Detail
		}
		if got != c.failure || (machine != nil) != (c.machine != "") {
			t.Errorf("%+v: %q, %v", c.state, got, machine)
		}
		if machine != nil && !strings.Contains(machine.Error(), c.machine) {
			t.Errorf("%+v: %v, want %q", c.state, machine, c.machine)
		}
	}
}

func TestNotStarted(t *testing.T) {
	for errno, machine := range map[syscall.Errno]bool{
		syscall.ENOMEM: true, syscall.EAGAIN: true, syscall.EMFILE: true, syscall.ENOENT: false, syscall.EACCES: false, syscall.ENOEXEC: false,
	} {
		err := notStarted("sim", fmt.Errorf("wrapped: %w", errno))
		if m, ok := errors.AsType[*MachineError](err); ok != machine || ok && m.Advice == "" || !errors.Is(err, errno) {
			t.Errorf("%v: %v", errno, err)
		}
	}
}

func TestMachineErrorIsOneLine(t *testing.T) {
	err := &MachineError{Query: 1234, Tries: 2, Reason: "the disk is full", Advice: "make room"}
	if got := err.Error(); got != "query 1,234: the disk is full (tried 2 times); make room" {
		t.Error(got)
	}
}

// A tail against a text that is kept whole.
func TestTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 20).Draw(t, "most")
		kept := newTail(most)
		var naive []byte
		for range rapid.IntRange(0, 20).Draw(t, "writes") {
			text := []byte(rapid.StringN(0, 50, 50).Draw(t, "text"))
			naive = append(naive, text...)
			if n, err := kept.Write(text); n != len(text) || err != nil {
				t.Fatal(n, err)
			}
			if rapid.Bool().Draw(t, "look") {
				if want := naive[max(len(naive)-most, 0):]; string(kept.bytes()) != string(want) {
					t.Fatalf("%q, want %q", kept.bytes(), want)
				}
			}
			if cap(kept.kept) > 10*most+500 {
				t.Fatalf("%d bytes are held for a tail of %d", cap(kept.kept), most)
			}
		}
	})
}

func TestShown(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {" a\tb\r\n", "a b"}, {"\x00\x1b", ""}, {"\xff", "?"}, {"0123456789", "0123456789"}, {"0123456789a", "012345678…"},
		{strings.Repeat("ä", 11), strings.Repeat("ä", 9) + "…"}, {strings.Repeat(" ", 20) + "a", "a"},
	} {
		if got := shown([]byte(c[0]), 10); got != c[1] {
			t.Errorf("%q is shown as %q, want %q", c[0], got, c[1])
		}
	}
}

func TestEnvironmentReplacesItsVariables(t *testing.T) {
	t.Setenv("UNTWIST_PROC", "9")
	t.Setenv("UNTWIST_PROCESS", "10")
	all := environment(1, 22, 333)
	for _, want := range []string{"UNTWIST_PROC=1", "UNTWIST_QUERY=22", "UNTWIST_ATTEMPT=333", "PYTHONUNBUFFERED=1", "UNTWIST_PROCESS=10"} {
		name, _, _ := strings.Cut(want, "=")
		n := 0
		for _, e := range all {
			if strings.HasPrefix(e, name+"=") {
				n++
			}
		}
		if n != 1 || !slices.Contains(all, want) {
			t.Errorf("%s is not there once: %q", want, all)
		}
	}
}

// The window opens as answers get faster, and never closes.
func TestWindow(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    int
	}{{0, 1024}, {1e-9, 1024}, {1.05e-5, 952}, {1e-3, 10}, {0.006, 1}, {0.010, 1}, {1, 1}, {1e300, 1}} {
		if got := (lines{}).window(c.seconds); got != c.want {
			t.Errorf("%v s: %d, want %d", c.seconds, got, c.want)
		}
	}
	if got := (binaries{timeout: 4e6}).window(1e-4); got != 10 { // 4 ms
		t.Errorf("with a timeout: %d", got)
	}
	var p pace
	for range 10000 {
		p.add(1, 1)
	}
	for range 10 {
		p.add(1e-3, 512)
	}
	if p.mean() > 2e-3 || p.answers > 1024 {
		t.Errorf("a pace of %v s after fast answers", p.mean())
	}
}

// Jobs are taken out as from a list of numbers.
func TestRemove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs []job
		var naive []int
		next := 1
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch query := rapid.IntRange(-2, next).Draw(t, "query"); {
			case query < 0:
				for range rapid.IntRange(1, 5).Draw(t, "jobs") {
					jobs = append(jobs, job{query: next})
					naive = append(naive, next)
					next++
				}
			default:
				i := slices.Index(naive, query)
				if query == 0 {
					i = min(0, len(naive)-1)
				}
				j, ok := remove(&jobs, query)
				if ok != (i >= 0) || ok && j.query != naive[i] {
					t.Fatalf("removed %v, %v, want %d of %v", j, ok, i, naive)
				}
				if ok {
					naive = slices.Delete(naive, i, i+1)
				}
			}
			if len(jobs) != len(naive) {
				t.Fatalf("%d jobs, want %d", len(jobs), len(naive))
			}
			for i, j := range jobs {
				if j.query != naive[i] {
					t.Fatalf("job %d is %d, want %v", i, j.query, naive)
				}
			}
		}
	})
}
