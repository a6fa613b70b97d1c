// Package journal records every answer of a run, and replays it.
//
// A journal is a file to which every value goes before it is used. A run that was killed is
// begun again with the same settings and the same file. Its algorithm is deterministic, so
// it asks for the same points again. Those that are in the file are answered from there, and
// the run goes on where it stood. An algorithm need not know how to save itself.
//
//	j, err := journal.Open(journal.Config{File: "run.journal"}, header)
//	f := j.Wrap(f) // answers from the file as far as it goes, and records the rest
//	…
//	err = j.Close()
//
// Nothing wrong is taken silently. A file of another run is refused (DiffersError), and so
// is one that is damaged (BrokenError). Every recorded point is compared, bit by bit, with
// the one that is asked (DivergedError). FORMAT.md has the format, and docs/journal.md the guarantees.
package journal

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A Config is what the user says about a journal.
type Config struct {
	// File is where the journal is. If it is "", there is none.
	File string
	// HashPoints keeps a hash of each point instead of the point: 8 bytes instead of
	// 8 for each coordinate. It may change between runs of the same journal.
	HashPoints bool
	// Accept are parts of Header.About that may differ from those in the file, as paths
	// such as Objective.Executable. The new ones are then recorded, so that they need not
	// be accepted again.
	Accept []string
	// ReadOnly opens a file that is there to replay its run: nothing is written, nobody is kept
	// from writing to it, and About may be anything, since every point is compared. The run
	// ends with ErrEnd where it asks for what the file does not have. The header is the file's.
	ReadOnly bool
	// Note is told in one line what the user should know, such as that the end of the
	// file was cut. It may be nil.
	Note func(line string)
	// Opened is called with the journal once it is open, for those who let somebody else open
	// it and want to Amend it. Its error closes the journal, and Open returns it. It may be
	// nil.
	Opened func(*Journal) error
}

// A Journal is a file that is open for writing. Nobody else can write to it until it is
// closed.
type Journal struct {
	header Header
	free   []string // of its members
	origin origin
	writer writer
	lock   *lock // nil: the journal is read only
	closed sync.Once
}

// Open opens a journal, or makes it if there is none. It changes nothing in a file that it
// refuses.
func Open(c Config, h Header) (*Journal, error) {
	if c.File == "" {
		return nil, objective.BadOption("File", "a journal needs the name of a file")
	}
	if err := supported(); err != nil {
		return nil, err
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if c.ReadOnly {
		return openToRead(c, h)
	}
	if c.Note == nil {
		c.Note = func(string) {}
	}
	info, err := os.Stat(c.File)
	if err == nil && !info.Mode().IsRegular() {
		return nil, notAJournal(c.File)
	}
	lock, err := takeLock(c.File, c.Note)
	if err != nil {
		return nil, err
	}
	j, err := open(c, h)
	if err != nil {
		return nil, cmp.Or(err, lock.release())
	}
	j.lock, j.free = lock, h.Free
	if c.Opened == nil {
		return j, nil
	}
	if err := c.Opened(j); err != nil {
		return nil, cmp.Or(err, j.Close())
	}
	return j, nil
}

// open opens a journal whose lock is ours.
func open(c Config, h Header) (*Journal, error) {
	file, err := os.OpenFile(c.File, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return create(c, h)
	}
	if err != nil {
		return nil, fmt.Errorf("the journal %s cannot be written: %w", c.File, err)
	}
	j := newJournal(c, file)
	j.writer.group.width = h.Numbers
	t, err := j.load(file)
	if err == nil {
		j.origin = t.origin
		j.header, err = j.amend(c, h, t)
	}
	if err == nil {
		return j, nil
	}
	file.Close()
	// A journal that has nothing but its header has nothing to lose: it is begun anew if the
	// settings have changed since.
	if errors.Is(err, errUnborn) || j.writer.sequence == 1 && (errors.As(err, new(*DiffersError)) || errors.As(err, new(*NumericsError))) {
		return create(c, h)
	}
	return nil, err
}

// newJournal returns a journal of which nothing was read yet.
func newJournal(c Config, file *os.File) *Journal {
	path, err := filepath.Abs(c.File)
	if err != nil { // there is no current folder
		path = c.File
	}
	j := &Journal{writer: writer{name: c.File, path: path, note: c.Note, file: diskFile{file}, group: group{hashed: c.HashPoints}}}
	j.writer.start()
	return j
}

// load reads the file of a journal that is to be written.
func (j *Journal) load(file *os.File) (trail, error) {
	w := &j.writer
	if _, err := gripOn(file); err != nil { // it has another name, by which somebody writes to it
		return trail{}, &LockedError{File: w.name}
	}
	return j.index(file)
}

// index reads the file and makes the index.
func (j *Journal) index(file *os.File) (trail, error) {
	w := &j.writer
	info, err := file.Stat()
	if err != nil {
		return trail{}, err
	}
	t, err := walk(w.name, w.file, info.Size(), func(at, end int64, p *page) error {
		w.index.add(at, end, p.numbers[0], p.numbers[len(p.numbers)-1])
		return nil
	}, w.index.void)
	if err != nil {
		return trail{}, err
	}
	w.dim = t.Dim
	w.end, w.sequence, w.sum, w.queries = t.scanner.end, t.scanner.sequence, t.scanner.sum, t.Queries
	return t, nil
}

// amend compares the headers, cuts a torn end off, and records what is new.
func (j *Journal) amend(c Config, h Header, t trail) (Header, error) {
	w := &j.writer
	header, accepted, err := admit(c.File, t.Header, h, c.Accept)
	if err != nil {
		return Header{}, err
	}
	// This also gives back the room that a killed run had reserved.
	if err := w.file.Truncate(w.end); err != nil {
		return Header{}, fmt.Errorf("the journal %s cannot be cut to its length: %w", c.File, err)
	}
	if t.Torn > 0 {
		c.Note(fmt.Sprintf("%s ended within an answer that was being written when its run was stopped: %s cut off, and %s kept",
			c.File, words.Count(int(t.Torn), "byte is", "bytes are"), words.Count(t.Queries, "query is", "queries are")))
	}
	if len(accepted) == 0 {
		return header, nil
	}
	for _, d := range accepted {
		c.Note(fmt.Sprintf("%s: accepted and recorded that %s", c.File, d))
	}
	return header, w.append(appendHeader(beginFrame(nil), header, t.origin))
}

// create makes a journal without queries.
func create(c Config, h Header) (*Journal, error) {
	o := origin{began: time.Now()}
	rand.Read(o.id[:])
	data := preamble()
	if h.Numbers > 0 {
		data = preambleOf(several)
	}
	frame, _ := sealFrame(appendHeader(beginFrame(nil), h, o), 0, checksum(data))
	if err := atomicfile.Write(c.File, append(data, frame...)); err != nil {
		return nil, fmt.Errorf("the journal cannot be made: %w", err)
	}
	if err := syncFolder(filepath.Dir(c.File)); err != nil {
		return nil, fmt.Errorf("the journal %s cannot be made: %w", c.File, err)
	}
	file, err := os.OpenFile(c.File, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be written: %w", err)
	}
	j := newJournal(c, file)
	j.writer.group.width = h.Numbers
	t, err := j.load(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	j.header, j.origin = t.Header, t.origin
	return j, nil
}

// Header returns the header of the file, as it was last amended. The planned budget of the
// run is the one that this header has.
func (j *Journal) Header() Header {
	j.writer.mu.Lock()
	defer j.writer.mu.Unlock()
	return j.header
}

// Amend sets a member of the header's About to a JSON value, and records the new header; a
// nil value removes it. The member must be one that Header.Free named when the journal was
// opened: a run that does not know it is not refused because of it.
func (j *Journal) Amend(member string, value []byte) error {
	w := &j.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(j.free, member) {
		return objective.BadOption("Free", "%s is not among %v, and cannot be amended", member, j.free)
	}
	about, err := parse(j.header.About)
	if err != nil {
		return err
	}
	kid := (*node)(nil)
	if value != nil {
		if kid, err = parse(value); err != nil {
			return fmt.Errorf("the member %s of a header is no JSON: %w", member, err)
		}
	}
	was := about.String()
	about.set(member, kid)
	if about.String() == was {
		return nil
	}
	if w.failed != nil {
		return w.failed
	}
	header := j.header
	header.About = []byte(about.String())
	if err := w.append(appendHeader(beginFrame(nil), header, j.origin)); err != nil {
		return err
	}
	j.header = header
	return nil
}

// Recorded returns how many queries the file has.
func (j *Journal) Recorded() int {
	j.writer.mu.Lock()
	defer j.writer.mu.Unlock()
	return j.writer.queries
}

// Close brings everything to the disk, and gives the lock back. Calling it again does
// nothing.
func (j *Journal) Close() (err error) {
	j.closed.Do(func() {
		if j.lock == nil {
			err = j.writer.file.Close()
			return
		}
		err = cmp.Or(j.writer.close(), j.lock.release())
	})
	return err
}
