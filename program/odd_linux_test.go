package program

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// unprivileged calls f without the rights of root on files.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and the thread ends with the goroutine
		if err := unix.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}

// Simulators leave folders behind that may not be written to, or not even read.
func TestReadOnlyFoldersAreRemoved(t *testing.T) {
	unprivileged(t, func() {
		root, err := os.MkdirTemp("/tmp", "untwist-test-")
		if err != nil {
			t.Error(err)
			return
		}
		for _, mode := range []os.FileMode{0o500, 0o000} {
			folder := filepath.Join(root, "run-1")
			inner := filepath.Join(folder, "a", "b")
			if err := errors.Join(os.MkdirAll(inner, 0o700), os.WriteFile(filepath.Join(inner, "x"), nil, 0o400),
				os.Chmod(inner, mode), os.Chmod(filepath.Dir(inner), mode)); err != nil {
				t.Error(err)
			}
			if err := os.RemoveAll(folder); err == nil {
				t.Error("the folder can be removed without more ado")
			}
			if err := removeAll(folder); err != nil || exists(folder) {
				t.Errorf("mode %v: %v", mode, err)
			}
		}
		if err := os.Remove(root); err != nil {
			t.Error(err)
		}
	})
}

// Too few open files are a failure of the machine for every protocol.
func TestTooFewFilesForOnce(t *testing.T) {
	tr := try(t, Config{Exec: as(t, "none", "{a}", "{b}")})
	c := caller{recipe: tr.recipe}
	got, err := c.notStarted(os.NewSyscallError("pipe2", syscall.EMFILE))
	if err != nil || got.machine == nil {
		t.Errorf("%+v, %v", got, err)
	}
}
