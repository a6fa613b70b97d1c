package guardian

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStat(t *testing.T) {
	line := func(name, state string, parent, session, threads, start, environment int, stack ...int) string {
		f := strings.Fields("1 n s p g S 0 -1 0 0 0 0 0 0 0 0 0 20 0 T 0 B " + strings.Repeat("0 ", 28) + "E 0")
		f[1], f[2] = "("+name+")", state
		f[3], f[5], f[19], f[21], f[50] = fmt.Sprint(parent), fmt.Sprint(session), fmt.Sprint(threads), fmt.Sprint(start), fmt.Sprint(environment)
		f[27] = fmt.Sprint(append(stack, environment)[0])
		return strings.Join(f, " ") + "\n"
	}
	for _, c := range []struct {
		line string
		want process
	}{
		{line("sh", "S", 5, 6, 1, 99, 1), process{pid: 7, parent: 5, session: 6, start: 99, environ: 1, thread: 7}},
		{line(") R 1 (x", "S", 5, 6, 1, 99, 1), process{pid: 7, parent: 5, session: 6, start: 99, environ: 1, thread: 7}},
		{line("a\nb ) ", "T", 5, 6, 1, 99, 1), process{pid: 7, parent: 5, session: 6, start: 99, environ: 1, thread: 7}},
		{line("sh", "Z", 5, 6, 1, 99, 0), process{pid: 7, parent: 5, session: 6, start: 99, dead: true, thread: 7}},
		{line("sh", "Z", 5, 6, 2, 99, 0), process{pid: 7, parent: 5, session: 6, start: 99, headless: true, bare: true, thread: 7}},
		{line("sh", "X", 5, 6, 0, 99, 0), process{pid: 7, parent: 5, session: 6, start: 99, dead: true, thread: 7}},
		{line("sh", "R", 5, 6, 1, 99, 0), process{pid: 7, parent: 5, session: 6, start: 99, bare: true, thread: 7}},
		{line("sh", "R", 5, 6, 1, 99, 1, 0), process{pid: 7, parent: 5, session: 6, start: 99, environ: 1, bare: true, thread: 7}}, // just being loaded
	} {
		if got, ok := parseStat(7, c.line); !ok || got != c.want {
			t.Errorf("%q: %+v, want %+v", c.line, got, c.want)
		}
	}
	for _, broken := range []string{"", "1", "1 (sh", "1 (sh) S", "1 (sh) S 1 2 3"} {
		if p, ok := parseStat(7, broken); ok {
			t.Errorf("%q: %+v", broken, p)
		}
	}
}

func TestWeSeeOurselves(t *testing.T) {
	all, err := processes(func(process) {})
	if err != nil {
		t.Fatal(err)
	}
	session, _ := unix.Getsid(0)
	for _, p := range all {
		if p.pid == os.Getpid() {
			if p.parent != os.Getppid() || p.session != session || p.dead || p.bare {
				t.Errorf("%+v", p)
			}
			return
		}
	}
	t.Error("not seen")
}

// A process that has got the number of another gets no signal.
func TestSignalsGoToTheProcessThatWasSeen(t *testing.T) {
	s := newStage(t)
	p, out := s.talk("polite")
	s.up(out, 1)
	seen, ok := lookUp(p.Pid())
	if !ok {
		t.Fatal("not seen")
	}
	other := seen
	other.start--
	if err := other.signal(unix.SIGTERM); err != unix.ESRCH {
		t.Errorf("%v", err)
	}
	if err := seen.signal(unix.SIGTERM); err != nil {
		t.Error(err)
	}
	s.wait(p.Done(), "done")
	if p.State() != (State{Code: 7}) {
		t.Errorf("%+v", p.State())
	}
	if err := seen.signal(unix.SIGTERM); err != unix.ESRCH {
		t.Errorf("%v", err)
	}
}

// However long an orphan is being loaded, a job is not over, since it may be one of its
// processes.
func TestNothingIsOverWhileAnOrphanIsLoaded(t *testing.T) {
	orphan := process{pid: 1 << 30, parent: 1, bare: true} // nobody has that number
	j := &job{id: 1, pid: 2}
	k := &keeper{self: 1, id: "id", jobs: map[uint64]*job{1: j}}
	for range 100 {
		k.count(k.members([]process{orphan}))
		if k.sure() {
			t.Error("we cannot be sure")
		}
	}
	if j.over(false) {
		t.Error("the job is over")
	}
}

func TestFamily(t *testing.T) {
	children := familyOf([]process{{pid: 2, parent: 1}, {pid: 3, parent: 2}, {pid: 4, parent: 3}, {pid: 5, parent: 1}, {pid: 6, parent: 7}, {pid: 7, parent: 6}})
	for pid, want := range map[int]string{1: "2 5 3 4", 2: "3 4", 4: "", 6: "7", 9: ""} { // 6 and 7 are a circle
		var got []string
		children.below(pid, func(p process) { got = append(got, fmt.Sprint(p.pid)) })
		if strings.Join(got, " ") != want {
			t.Errorf("below %d: %v, want %s", pid, got, want)
		}
	}
}

// The temporary folder goes too, unless something is kept in it.
func TestTidy(t *testing.T) {
	for kept, stays := range map[string]bool{"run-2": false, "failed-1": true} {
		folder := filepath.Join(t.TempDir(), "untwist")
		for _, place := range []string{"run-1/deep", kept} {
			if err := os.MkdirAll(filepath.Join(folder, place), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		(&keeper{folder: folder}).tidy()
		if _, err := os.Stat(folder); (err == nil) != stays {
			t.Errorf("with %s in it: %v", kept, err)
		}
	}
}
