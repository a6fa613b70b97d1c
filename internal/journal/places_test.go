package journal

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/needs"
)

func TestWhatIsNoJournalIsLeftAlone(t *testing.T) {
	whole := contents(t, makeJournal(t, Config{}, theBatches))
	newer := bytes.Clone(whole)
	newer[len(magic)] = 3
	headerless := bytes.Clone(whole)
	headerless[preambleBytes+headBytes+5] ^= 1
	for about, data := range map[string][]byte{
		"is not a journal, and it is left as it is":            []byte("time,value\n1,2\n"),
		"is not a journal, and it is left as it is: name":      bytes.Repeat([]byte{0}, 1000),
		"is a journal of another format (version 3":            newer,
		"is broken at byte 12":                                 headerless,
		"is broken at byte 12, and":                            headerless[:preambleBytes+200],
		"is not a journal, and it is left as it is: name anot": []byte(magic[:4] + "x"),
	} {
		file := inFolder(t)
		write(t, file, data)
		_, err := Open(Config{File: file}, theHeader())
		_, readErr := Read(file, nil)
		for _, err := range []error{err, readErr} {
			if err == nil || !strings.Contains(err.Error(), about) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", about, err)
			}
		}
		if !bytes.Equal(data, contents(t, file)) {
			t.Errorf("%s: it was changed", about)
		}
	}
	dir := t.TempDir()
	if _, err := Open(Config{File: dir}, theHeader()); err == nil || !strings.Contains(err.Error(), "is not a journal") {
		t.Error(err)
	}
	if _, err := Read(dir, nil); err == nil || !strings.Contains(err.Error(), "is not a journal") {
		t.Error(err)
	}
	if _, err := Read(filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(Config{File: filepath.Join(dir, "a", "b")}, theHeader()); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A process that was killed while it made the journal, or somebody's empty file.
func TestAnEmptyFileBecomesAJournal(t *testing.T) {
	file := inFolder(t)
	write(t, file, nil)
	if _, err := Read(file, nil); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Error(err)
	}
	j := mustOpen(t, Config{File: file})
	runAll(t, j.Wrap(&function{}), theBatches)
	if got := len(mustRead(t, file)); got != theQueries { // while it is open
		t.Errorf("%d queries", got)
	}
}

// tmpfs returns a folder that is a file system of its own.
func tmpfs(t *testing.T, options string) string {
	t.Helper()
	needs.Root(t, "to mount a small file system")
	needs.Tools(t, "mount", "umount")
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "none", dir).CombinedOutput(); err != nil {
		needs.NotRun(t, "a small file system: "+strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%s", out)
		}
	})
	return dir
}

func TestReadOnlyPlaces(t *testing.T) {
	file := filepath.Join(tmpfs(t, "ro"), "run.journal")
	if _, err := Open(Config{File: file}, theHeader()); err == nil || !strings.Contains(err.Error(), "read-only file system") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

func TestFullDisk(t *testing.T) {
	dir := tmpfs(t, "size=256k")
	file := filepath.Join(dir, "run.journal")
	fill := func(keep int64) { // leaves so many bytes free
		ballast, err := os.Create(filepath.Join(dir, "ballast"))
		if err != nil {
			t.Fatal(err)
		}
		defer ballast.Close()
		for err == nil {
			_, err = ballast.Write(make([]byte, 4096))
		}
		info, err := ballast.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if err := ballast.Truncate(info.Size() - keep); err != nil {
			t.Fatal(err)
		}
	}
	j := mustOpen(t, Config{File: file})
	runAll(t, j.Wrap(&function{}), theBatches)
	mustClose(t, j)

	fill(8192)
	j = mustOpen(t, Config{File: file})
	f := &function{}
	err := tryAll(t, j.Wrap(f), append(theBatches[:len(theBatches):len(theBatches)], 1000))
	if err == nil || !strings.Contains(err.Error(), "no space left for 1,000 answers; make room and run the same command again; 16 queries are kept") {
		t.Fatal(err)
	}
	if len(f.asked) > 0 {
		t.Errorf("%d queries were asked before", len(f.asked))
	}
	mustClose(t, j)

	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	j = mustOpen(t, Config{File: file})
	o := j.Wrap(f)
	runAll(t, o, append(theBatches[:len(theBatches):len(theBatches)], 300))
	if len(f.asked) != 300 || o.Resumed() != theQueries {
		t.Errorf("asked %d, resumed %d", len(f.asked), o.Resumed())
	}
	mustClose(t, j)

	// Full before there is a journal.
	fill(0)
	if _, err := Open(Config{File: filepath.Join(dir, "new.journal")}, theHeader()); err == nil ||
		!strings.Contains(err.Error(), "no space left") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}
