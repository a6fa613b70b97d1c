package journal

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/untwist/untwist/internal/words"
)

// lookWithin is how long the file of a journal may be gone before it is noticed.
const lookWithin = time.Second

// savedAs is how the name of the file ends to which answers are saved.
const savedAs = ".saved"

// A LostError says that somebody has removed, replaced or changed the file of a journal while
// its run went on. No more queries are asked.
type LostError struct {
	File string
	// Saved is the file to which the answers go when the journal is closed; "" if the file was
	// changed, so that there is nothing to save.
	Saved string
}

func (e *LostError) Error() string {
	if e.Saved == "" {
		return fmt.Sprintf("the journal %s was emptied or changed by somebody else while the run went on: nothing more is written to it; "+
			"restore it from a copy, or begin a new one", e.File)
	}
	return fmt.Sprintf("the journal %s was removed, renamed or replaced while the run went on: its answers go to %s", e.File, e.Saved)
}

// Is reports whether the file of this name is this one. What cannot be seen may be.
func (f diskFile) Is(name string) bool {
	there, err := os.Stat(name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	here, err := f.Stat()
	return err != nil || os.SameFile(here, there)
}

// look finds out whether the file is still there and ends as it was written. If not, no query
// may be asked any more. A file that was changed is left alone from now on.
func (w *writer) look() {
	if w.shut || w.lost != nil {
		return
	}
	var end [sumBytes]byte
	_, err := w.file.ReadAt(end[:], w.end-sumBytes)
	switch {
	case errors.Is(err, io.EOF), err == nil && binary.LittleEndian.Uint32(end[:]) != w.sum:
		w.shut, w.lost = true, &LostError{File: w.name}
	case !w.file.Is(w.path):
		w.lost = &LostError{w.name, w.name + savedAs}
	default:
		return
	}
	w.fail(w.lost)
}

// lookDue is called every second.
func (w *writer) lookDue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.heard()
	if w.look(); w.failed == nil && !w.shut {
		w.watch.set()
	}
}

// save writes what a file without a name has to one that has one.
func (w *writer) save() {
	out, err := os.OpenFile(w.path+savedAs, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = io.Copy(out, io.NewSectionReader(w.file, 0, w.end))
		err = cmp.Or(err, out.Sync(), out.Close())
	}
	if err != nil {
		w.note(fmt.Sprintf("the answers of %s cannot be saved, and are lost: %v", w.name, err))
		return
	}
	w.note(fmt.Sprintf("%s in %s; to go on, rename it to %s and run the same command again",
		words.Count(w.queries, "query is", "queries are"), w.lost.Saved, w.name))
}
