package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTwoWriters(t *testing.T) {
	file := inFolder(t)
	link := filepath.Join(t.TempDir(), "link.journal")
	hard := filepath.Join(filepath.Dir(file), "hard.journal")
	j := mustOpen(t, Config{File: file})
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, hard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, link, hard} {
		_, err := Open(Config{File: name}, theHeader())
		var locked *LockedError
		if !errors.As(err, &locked) || locked.Unsure || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: %v", name, err)
		}
		host, _ := os.Hostname()
		if name != hard && !strings.Contains(err.Error(), fmt.Sprintf("process %d on %s", os.Getpid(), host)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	runAll(t, j.Wrap(&function{}), theBatches)
	mustClose(t, j)
	mustOpen(t, Config{File: hard})
	if _, err := os.Stat(file + ".lock"); err == nil {
		t.Error("the lock is left behind")
	}
}

// TestHoldAJournal is no test but another process that holds a journal.
func TestHoldAJournal(t *testing.T) {
	file := os.Getenv("UNTWIST_HOLD_JOURNAL")
	if file == "" {
		return
	}
	j, err := Open(Config{File: file}, theHeader())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	runAll(t, j.Wrap(&function{}), theBatches)
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func TestTheLockOfADeadProcess(t *testing.T) {
	file := inFolder(t)
	c := exec.Command(os.Args[0], "-test.run=^TestHoldAJournal$")
	c.Env = append(os.Environ(), "UNTWIST_HOLD_JOURNAL="+file)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, err = Open(Config{File: file}, theHeader())
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Process != c.Process.Pid {
		t.Errorf("the process lives, and: %v", err)
	}
	if s, err := Read(file, nil); err != nil || s.Queries != theQueries {
		t.Errorf("reading while it writes: %+v, %v", s, err)
	}
	c.Process.Kill()
	c.Wait()
	if _, err := os.Stat(file + ".lock"); err != nil {
		t.Fatal("a killed process has removed its lock")
	}
	var notes []string
	j := mustOpen(t, Config{File: file, Note: func(n string) { notes = append(notes, n) }})
	if len(notes) != 1 || !strings.Contains(notes[0], fmt.Sprintf("process %d on", c.Process.Pid)) {
		t.Errorf("%q", notes)
	}
	o := j.Wrap(&function{})
	runAll(t, o, theBatches)
	if o.Resumed() != theQueries {
		t.Errorf("%d of %d queries survived SIGKILL", o.Resumed(), theQueries)
	}
}

func TestStaleLocks(t *testing.T) {
	me := myself()
	alive, reborn, dead, other := me, me, me, me
	reborn.start = "1"
	dead.process = 1 << 30
	other.host = "elsewhere"
	for _, c := range []struct {
		about  string
		holder holder
		grip   grip
		want   bool
	}{
		{"alive", alive, host, false}, {"alive", alive, nobody, false}, {"alive", alive, world, true},
		{"reborn", reborn, host, true}, {"reborn", reborn, nobody, true},
		{"dead", dead, host, true}, {"dead", dead, nobody, true},
		{"elsewhere", other, host, false}, {"elsewhere", other, nobody, false}, {"elsewhere", other, world, true},
		{"unknown", holder{}, host, true}, {"unknown", holder{}, nobody, false}, {"unknown", holder{}, world, true},
	} {
		if got := stale(c.holder, me, c.grip); got != c.want {
			t.Errorf("%s, grip %d: stale is %v", c.about, c.grip, got)
		}
	}
	if got := readHolder(me.String()); got.host != me.host || got.process != me.process || got.start != me.start || got.since.Unix() != me.since.Unix() {
		t.Errorf("%+v is read as %+v", me, got)
	}
	if got := readHolder("some text=that\nsays nothing"); got != (holder{}) {
		t.Errorf("%+v", got)
	}
}

// A folder on a network, whose locks do not reach other hosts.
func TestTheLockOfAnotherHost(t *testing.T) {
	file := inFolder(t)
	far := func(f *os.File) (grip, error) { _, err := gripOn(f); return host, err }
	quiet := func(string) {}
	other := holder{"elsewhere", 7, "8", time.Now()}
	write(t, file+".lock", []byte(other.String()))
	_, err := takeLockAs(myself(), file, quiet, far)
	var locked *LockedError
	if !errors.As(err, &locked) || !locked.Unsure || !strings.Contains(err.Error(), "process 7 on elsewhere") || !strings.Contains(err.Error(), "remove "+file+".lock") {
		t.Fatal(err)
	}
	if string(contents(t, file+".lock")) != other.String() {
		t.Error("its lock was changed")
	}
	if err := os.Remove(file + ".lock"); err != nil {
		t.Fatal(err)
	}
	l, err := takeLockAs(myself(), file, quiet, far)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.release(); err != nil {
		t.Error(err)
	}
}

func TestACopyIsAJournalOfItsOwn(t *testing.T) {
	file := makeJournal(t, Config{}, theBatches)
	j := mustOpen(t, Config{File: file})
	copied := file + ".copy"
	write(t, copied, contents(t, file))
	k := mustOpen(t, Config{File: copied})
	longer := append(theBatches[:len(theBatches):len(theBatches)], 2)
	runAll(t, j.Wrap(&function{}), longer)
	runAll(t, k.Wrap(&function{}), longer)
	mustClose(t, j)
	mustClose(t, k)
	for _, f := range []string{file, copied} {
		if got := len(mustRead(t, f)); got != theQueries+2 {
			t.Errorf("%s has %d queries", f, got)
		}
	}
}

// The holder removes its lock after we have opened it.
func TestALockThatIsRemovedMeanwhile(t *testing.T) {
	file := inFolder(t)
	tries := 0
	meanwhile := func(f *os.File) (grip, error) {
		if tries++; tries == 1 {
			if err := os.Remove(file + ".lock"); err != nil {
				t.Fatal(err)
			}
		}
		return gripOn(f)
	}
	l, err := takeLockAs(myself(), file, func(string) {}, meanwhile)
	if err != nil {
		t.Fatal(err)
	}
	if !same(l.file, file+".lock") || tries != 2 {
		t.Errorf("after %d tries the lock is one that nobody can see", tries)
	}
	if err := l.release(); err != nil {
		t.Error(err)
	}
}
