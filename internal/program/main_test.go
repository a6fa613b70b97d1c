package program

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/internal/needs"
	"go.uber.org/goleak"
)

// programs are what the test binary can be when it is started again by a test: its first
// word is "as", its second the name.
var programs = map[string]func(args []string){}

// as is the command of one of the programs.
func as(t testing.TB, name string, args ...string) []string {
	t.Helper()
	self.once.Do(func() { self.err = self.write() })
	if self.err != nil {
		t.Fatal(self.err)
	}
	return append([]string{filepath.Join(self.dir, "self"), "as", name}, args...)
}

// self is a script that becomes the test binary. The digest of a program is taken again and again,
// and that of the binary would take longer than all else.
var self script

type script struct {
	once sync.Once
	dir  string
	err  error
}

func (s *script) write() error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "untwist-program-test-"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "self"), []byte("#!/bin/sh\nexec '"+binary+"' \"$@\"\n"), 0o755)
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as" {
		programs[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup; what is caught here is not ignored by what we start
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	needs.Parallel(8)
	status := m.Run()
	if self.dir != "" {
		_ = os.RemoveAll(self.dir)
	}
	if warden != nil {
		if err := warden.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// warden is a guardian for tests that need none of their own.
var (
	warden *guardian.Guardian
	wake   sync.Once
)

func sharedGuardian(t testing.TB) *guardian.Guardian {
	t.Helper()
	var err error
	wake.Do(func() { warden, err = guardian.Start("") })
	if err != nil {
		t.Fatal(err)
	}
	return warden
}
