package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// folders are the work folders of a run, in one temporary folder: run-1, run-2, … while
// they are used, and failed-QUERY if they are kept. Its methods may be called at the same
// time.
type folders struct {
	dir   string // where programs without a work folder run
	names []string
	space parameter.Space // how values are written
	most  int             // how many are kept
	note  func(string)

	mu    sync.Mutex
	root  string // "": there is none
	made  int    // work folders
	kept  int
	noted bool // the first failure was noted, or is about to be

	worked  bool   // some point has succeeded
	pending string // what to note once one has
}

func newFolders(r *recipe) *folders {
	return &folders{dir: r.Dir, names: r.Names, space: r.Space, most: *r.KeepFailed, note: r.Note}
}

// open makes the temporary folder.
func (f *folders) open() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root != "" {
		return f.root, nil
	}
	root, err := os.MkdirTemp("", "untwist-")
	if err != nil {
		return "", folderError(err)
	}
	f.root = root
	return root, nil
}

func (f *folders) make() (string, error) {
	f.mu.Lock()
	f.made++
	path := filepath.Join(f.root, "run-"+strconv.Itoa(f.made))
	f.mu.Unlock()
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", folderError(err)
	}
	return path, nil
}

// folderError says that nothing can be written into the temporary folder.
func folderError(err error) error {
	return &MachineError{
		Reason: fmt.Sprintf("nothing can be written into the temporary folder: %v", err),
		Advice: "make room there, or set TMPDIR to another folder; then start the run again",
		Err:    err,
	}
}

// remove removes a work folder; "": there is none. What cannot be removed now is removed
// at the end.
func (f *folders) remove(folder string) {
	if folder != "" {
		_ = removeAll(folder)
	}
}

// removeAll removes a folder, also if folders in it may not be written to.
func removeAll(folder string) error {
	err := os.RemoveAll(folder)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() { // before it is read
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(folder)
}

// failed keeps a folder for a failed point of a program that has no work folder.
func (f *folders) failed(j job, failure *objective.Failure, command []string, stderr []byte) {
	f.keep("", record{job: j, failure: failure, stderr: stderr, command: func(string) string {
		return inDir(f.dir, command)
	}})
}

// A record is what is written into the folder of a failed point.
type record struct {
	job            job
	failure        *objective.Failure
	stdout, stderr []byte
	// command writes the command for a shell, for a work folder.
	command func(folder string) string
}

// inDir writes a command that is run in a folder for a shell.
func inDir(dir string, command []string) string { return "cd " + quote(dir) + " && " + Quote(command) }

// keep keeps the work folder of a failed point, or a new folder if it has none (""), with
// a record in it. Once there are enough, it removes it.
func (f *folders) keep(folder string, r record) {
	f.mu.Lock()
	full := f.kept >= f.most || f.root == ""
	if !full {
		f.kept++
	}
	first := !full && !f.noted
	f.noted = f.noted || first
	f.mu.Unlock()
	if full {
		f.remove(folder)
		return
	}
	path, err := f.rename(folder, r.job.query)
	if err == nil {
		err = f.write(path, r)
	} else {
		f.mu.Lock()
		f.kept--
		f.mu.Unlock()
	}
	query := words.Thousands(r.job.query)
	switch {
	case first && err != nil:
		f.note(fmt.Sprintf("query %s failed, and its folder cannot be kept: %v", query, err))
	case first:
		f.later(fmt.Sprintf("query %s failed: %s; more is in %s", query, shown([]byte(r.failure.Error()), 200), path))
	}
}

// later notes a line once some point has succeeded. If none ever does, the run ends and says
// why, and a note would only say the same.
func (f *folders) later(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.worked {
		f.note(line)
		return
	}
	f.pending = line
}

func (f *folders) succeeded() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.worked = true; f.pending != "" {
		f.note(f.pending)
		f.pending = ""
	}
}

// rename gives a work folder the name under which it is kept, or makes one.
func (f *folders) rename(folder string, query int) (path string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path = filepath.Join(f.root, "failed-"+strconv.Itoa(query))
	for again := 2; exists(path); again++ { // a query may have failed before, in another batch
		path = filepath.Join(f.root, fmt.Sprintf("failed-%d-%d", query, again))
	}
	if folder == "" {
		return path, os.Mkdir(path, 0o700)
	}
	return path, os.Rename(folder, path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// write writes what is known of a failed point, as far as it can. It returns the first
// error.
func (f *folders) write(folder string, r record) (first error) {
	for _, file := range []struct {
		name string
		text []byte
	}{
		{"command", []byte(r.command(folder) + "\n")},
		{"point", f.appendPoint(nil, r.job.point)},
		{"stdout", r.stdout},
		{"stderr", r.stderr},
		{"reason", []byte(r.failure.Error() + "\n")},
	} {
		if err := writeNew(filepath.Join(folder, file.name), file.text); first == nil {
			first = err
		}
	}
	return first
}

// writeNew writes a file. If the program already has one of this name, ours gets another.
func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return os.WriteFile(path+".untwist", text, 0o600)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// appendPoint writes a point with a name and a value a line.
func (f *folders) appendPoint(dst []byte, point []float64) []byte {
	for i, v := range point {
		dst = append(append(dst, f.names[i]...), ' ')
		dst = append(appendValue(dst, f.space, i, v), '\n')
	}
	return dst
}

// keeps returns the temporary folder and how many folders are kept in it.
func (f *folders) keeps() (string, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == 0 {
		return "", 0
	}
	return f.root, f.kept
}

// close removes everything that is not kept. What cannot be removed, since it belongs to
// someone else for example, is no reason for a run to fail.
func (f *folders) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root == "" {
		return nil
	}
	used, err := filepath.Glob(filepath.Join(f.root, "run-*"))
	if f.kept == 0 {
		used = []string{f.root}
	}
	for _, folder := range used {
		err = errors.Join(err, removeAll(folder))
	}
	if f.kept == 0 {
		f.root = ""
	}
	if err != nil {
		f.note(fmt.Sprintf("a work folder could not be removed: %s", shown([]byte(err.Error()), 200)))
	}
	return nil
}
