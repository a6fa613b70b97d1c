package program

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/untwist/untwist/internal/needs"
)

// Simulators leave folders behind that may not be written to, or not even read.
func TestReadOnlyFoldersAreRemoved(t *testing.T) {
	needs.NoRoot(t, func() {
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
