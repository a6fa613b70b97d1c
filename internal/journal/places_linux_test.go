package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/untwist/untwist/internal/needs"
)

func TestPlacesWithoutPermission(t *testing.T) {
	dir := t.TempDir()
	file := makeJournal(t, Config{File: filepath.Join(dir, "run.journal")}, theBatches)
	os.Chmod(file, 0o444)
	os.Chmod(dir, 0o555)
	defer os.Chmod(dir, 0o755)
	needs.NoRoot(t, func() {
		for _, file := range []string{file, filepath.Join(dir, "other")} {
			if _, err := Open(Config{File: file}, theHeader()); !errors.Is(err, os.ErrPermission) {
				t.Error(err)
			}
		}
	})
}
