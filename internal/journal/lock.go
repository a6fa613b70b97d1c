package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A lock is a file beside the journal that says who writes to it. The kernel's lock on the
// file (flock) decides; the words in it are for people, and for file systems where the
// kernel's lock does not reach other hosts.
type lock struct {
	file *os.File
	name string
}

// A holder is a process that holds a lock.
type holder struct {
	host    string
	process int
	start   string // of the process, as the kernel counts it: process ids come again
	since   time.Time
}

// String returns the text of the lock file.
func (h holder) String() string {
	return fmt.Sprintf("host=%s process=%d start=%s since=%s\n", h.host, h.process, h.start, h.since.Format(time.RFC3339))
}

// readHolder reads the text of a lock file. The zero holder is one that nobody knows.
func readHolder(text string) (h holder) {
	for _, field := range strings.Fields(text) {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "host":
			h.host = value
		case "process":
			h.process, _ = strconv.Atoi(value)
		case "start":
			h.start = value
		case "since":
			h.since, _ = time.Parse(time.RFC3339, value)
		}
	}
	if h.host == "" || h.process <= 0 {
		return holder{}
	}
	return h
}

// myself returns the holder that this process is.
func myself() holder {
	host, err := os.Hostname()
	if err != nil || len(strings.Fields(host)) != 1 {
		host = "unknown"
	}
	return holder{host, os.Getpid(), startOf(os.Getpid()), time.Now().UTC()}
}

// A grip is how far a lock of the kernel can be trusted.
type grip int

const (
	nobody grip = iota // the file system has no locks
	host               // it excludes the processes of this host
	world              // it excludes everybody who can open the file
)

// stale reports whether a lock is no longer held by the one it names, given that we have a
// grip on it now. On a file system of this host alone the kernel's lock is proof enough.
// Elsewhere, one that names another host is never taken to be stale.
func stale(h, me holder, g grip) bool {
	switch {
	case g == world:
		return true
	case h == holder{}:
		return g == host
	}
	if h.host != me.host {
		return false
	}
	start := startOf(h.process)
	return start == "" || h.start != "" && start != h.start
}

// takeLock takes the lock of a journal, or says who has it.
func takeLock(file string, note func(string)) (*lock, error) {
	return takeLockAs(myself(), file, note, gripOn)
}

func takeLockAs(me holder, file string, note func(string), gripOn func(*os.File) (grip, error)) (*lock, error) {
	name := resolve(file) + ".lock"
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, cannotLock(file, name, err)
		}
		g, busy := gripOn(f)
		text, err := io.ReadAll(io.LimitReader(f, 4096))
		if err != nil {
			f.Close()
			return nil, cannotLock(file, name, err)
		}
		h := readHolder(string(text))
		if busy == nil && !same(f, name) { // its holder has just removed it
			f.Close()
			continue
		}
		if busy != nil || len(text) > 0 && !stale(h, me, g) {
			f.Close()
			unsure := busy == nil && h.host != me.host
			return nil, &LockedError{file, name, h.host, h.process, h.since, unsure}
		}
		if h != (holder{}) {
			note(fmt.Sprintf("%s was locked by process %d on %s, which no longer runs: its lock is taken over", file, h.process, h.host))
		}
		l := &lock{f, name}
		if err := l.sign(me); err != nil {
			return nil, cmp.Or(cannotLock(file, name, err), l.release())
		}
		return l, nil
	}
}

// cannotLock says why there is no lock.
func cannotLock(file, name string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the journal %s cannot be made: there is no folder %s", file, filepath.Dir(name))
	}
	return fmt.Errorf("the journal %s cannot be written, since its lock %s cannot: %w", file, name, err)
}

// sign writes who holds the lock.
func (l *lock) sign(me holder) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(me.String()), 0)
	return err
}

func (l *lock) release() error {
	err := os.Remove(l.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return cmp.Or(err, l.file.Close())
}

// resolve returns the file for which a name stands, so that a journal has one lock,
// whatever links lead to it.
func resolve(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		return filepath.Join(dir, filepath.Base(file))
	}
	return file
}

// same reports whether an open file is still the one of this name.
func same(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}
