package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"gonum.org/v1/gonum/mat"
)

// harm is what somebody does to the file of a journal, and whether its answers can be saved.
var harm = map[string]struct {
	do    func(file string) error
	saved bool
}{
	"removed": {os.Remove, true},
	"renamed": {func(file string) error { return os.Rename(file, file+".old") }, true},
	"replaced": {func(file string) error {
		return errors.Join(os.WriteFile(file+".new", []byte("something else"), 0o644), os.Rename(file+".new", file))
	}, true},
	"emptied": {func(file string) error { return os.Truncate(file, 0) }, false},
	"cut": {func(file string) error {
		info, err := os.Stat(file)
		return errors.Join(err, os.Truncate(file, info.Size()-1))
	}, false},
	"overwritten": {func(file string) error { return os.WriteFile(file, make([]byte, 1<<16), 0o644) }, false},
}

// A journal that somebody removes, replaces or changes ends the run with the next answer. The
// answers up to then are saved, if the file was not changed itself, and the run can go on. A
// file that was changed is not written to.
func TestALostFileEndsTheRun(t *testing.T) {
	for name, h := range harm {
		t.Run(name, func(t *testing.T) {
			file := inFolder(t)
			var notes []string
			j := mustOpen(t, Config{File: file, Note: func(line string) { notes = append(notes, line) }})
			o := j.Wrap(&function{})
			runAll(t, o, []int{5})
			if err := h.do(file); err != nil {
				t.Fatal(err)
			}
			after, _ := os.ReadFile(file)
			values := make([]float64, 2)
			err := o.Evaluate(t.Context(), someBatch(6, 2), values)
			var lost *LostError
			if !errors.As(err, &lost) || !strings.Contains(err.Error(), file) || (lost.Saved != "") != h.saved {
				t.Fatal(err)
			}
			if err := o.Evaluate(t.Context(), someBatch(8, 1), values[:1]); err == nil {
				t.Error("it goes on")
			}
			if err := j.Close(); !errors.As(err, &lost) {
				t.Errorf("closing it: %v", err)
			}
			if now, _ := os.ReadFile(file); string(now) != string(after) {
				t.Error("the file that is there now was written to")
			}
			if !h.saved {
				if _, err := os.Stat(file + ".saved"); err == nil {
					t.Error("something was saved")
				}
				return
			}
			if len(notes) != 1 || !strings.Contains(notes[0], "7 queries are in "+file+".saved") {
				t.Errorf("it notes %q", notes)
			}
			if err := os.Rename(file+".saved", file); err != nil {
				t.Fatal(err)
			}
			j = mustOpen(t, Config{File: file})
			f := &function{}
			runAll(t, j.Wrap(f), []int{5, 2, 1})
			if len(f.asked) != 1 {
				t.Errorf("asked %v again", f.asked)
			}
			mustClose(t, j)
		})
	}
}

// It is noticed while nothing is answered, too: a query may take hours.
func TestALostFileEndsABatchThatTakesHours(t *testing.T) {
	for name, h := range harm {
		synctest.Test(t, func(t *testing.T) {
			file := inFolder(t)
			j := mustOpen(t, Config{File: file})
			values := make([]float64, 3)
			err := j.Wrap(harmed{func() error { return h.do(file) }}).Evaluate(t.Context(), someBatch(1, 3), values)
			var lost *LostError
			if !errors.As(err, &lost) {
				t.Errorf("%s: %v", name, err)
			}
			j.Close()
		})
	}
}

// harmed does harm and then waits until it is stopped.
type harmed struct{ do func() error }

func (harmed) Dim() int { return dim }
func (h harmed) Evaluate(ctx context.Context, _ *mat.Dense, _ []float64) error {
	if err := h.do(); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// The name of a journal is that of the folder in which the program was when it was opened.
func TestAnotherFolderIsNoLoss(t *testing.T) {
	file := inFolder(t)
	t.Chdir(filepath.Dir(file))
	j := mustOpen(t, Config{File: filepath.Base(file)})
	t.Chdir(t.TempDir())
	runAll(t, j.Wrap(&function{}), []int{5})
	mustClose(t, j)
}
