package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/untwist/untwist/objective"
)

// A Query is one query of a journal, with its answer.
type Query struct {
	// Number counts from 1 in the order in which the run asked. A file has queries in
	// about the order in which they were answered.
	Number int
	// Point is nil if the journal keeps only its hash.
	Point []float64
	objective.Answer
}

// A Summary is what a file says about itself.
type Summary struct {
	// Header is as it was last amended.
	Header
	// Version is that of the file's format.
	Version int
	// Began is when the journal was begun.
	Began time.Time
	// Queries is how many queries it has, without those that are void.
	Queries int
	// Voids are the marks that say that answers before them do not count.
	Voids []Void
	// Bytes is the length of its whole frames, and Torn how many bytes follow them: an
	// answer that is being written, or one that was when the program was killed.
	Bytes, Torn int64
}

// Read calls each for every query of a journal, in the order of the file. It needs little
// memory, however long the file is. It may be called while a run writes to the file, and
// then reads what was there when it began; and on files that end in the middle of a frame.
// Answers that are void are left out. An error of each ends it. If the middle of the file is broken, Read returns a
// *BrokenError after the queries before the damage. each may be nil.
func Read(file string, each func(Query) error) (Summary, error) {
	f, err := os.Open(file)
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Summary{}, err
	}
	if !info.Mode().IsRegular() {
		return Summary{}, notAJournal(file)
	}
	t, err := walk(file, f, info.Size(), func(_, _ int64, _ *page) error { return nil }, nil)
	voids := t.Summary
	if each != nil && t.Queries > 0 {
		t, err = walk(file, f, info.Size(), func(at, _ int64, p *page) error {
			for i, number := range p.numbers {
				if !voids.counted(at, number) {
					continue
				}
				if err := each(Query{number, p.point(i), p.answer(i)}); err != nil {
					return err
				}
			}
			return nil
		}, nil)
	}
	if errors.Is(err, errUnborn) {
		err = fmt.Errorf("%s is empty: the run that began it ended before it wrote anything", file)
	}
	return t.Summary, err
}

// A trail is what a pass over a file has found.
type trail struct {
	Summary
	origin
	scanner *scanner // stands behind the last whole frame
}

// errUnborn says that a file has no header yet.
var errUnborn = errors.New("there is no header yet")

func notAJournal(file string) error {
	return fmt.Errorf("%s is not a journal, and it is left as it is: name another file", file)
}

// walk reads a file of so many bytes and calls each for every page, with the bytes at which
// its frame begins and ends, and void for every mark, which may be nil.
func walk(name string, file io.ReaderAt, size int64, each func(at, end int64, p *page) error, void func(first int)) (t trail, err error) {
	if err := begin(name, file, size); err != nil {
		return t, err
	}
	s := scan(file, size)
	t.scanner, t.Version = s, s.version
	broken := func() error { return &BrokenError{name, t.Bytes, t.Queries} }
	var p page
	for {
		payload, err := s.next()
		switch {
		case err == io.EOF:
			return t, nil
		case err == errBad:
			return t, t.tail(name)
		case err != nil:
			return t, err
		}
		switch {
		case payload[0] == headerKind:
			h, o, err := readHeader(payload)
			if err != nil || t.Dim != 0 && h.Dim != t.Dim {
				return t, broken()
			}
			t.Header, t.origin, t.Began = h, o, o.began
		case payload[0] == voidKind && s.sequence > 1:
			v, err := readVoid(payload)
			if err != nil || v.Queries > t.Queries {
				return t, broken()
			}
			v.at = t.Bytes
			t.Voids, t.Queries = append(t.Voids, v), t.Queries-v.Queries
			if void != nil {
				void(v.First)
			}
		case s.sequence == 1 || p.read(payload, t.Dim) != nil:
			return t, broken()
		default:
			if err := each(t.Bytes, s.end, &p); err != nil {
				return t, err
			}
			t.Queries += len(p.numbers)
		}
		t.Bytes = s.end
	}
}

// begin checks the preamble of a file.
func begin(name string, file io.ReaderAt, size int64) error {
	front := make([]byte, min(int64(preambleBytes), size))
	if n, err := file.ReadAt(front, 0); n < len(front) {
		return fmt.Errorf("%s cannot be read: %w", name, err)
	}
	young, err := unborn(file, size)
	switch {
	case err != nil:
		return err
	case young:
		later, err := scan(file, size).whole(0)
		if err == nil && later {
			err = &BrokenError{File: name}
		}
		if err != nil {
			return err
		}
		return errUnborn
	case len(front) < preambleBytes || string(front[:len(magic)]) != magic:
		return notAJournal(name)
	case versionOf(front) == 0:
		return fmt.Errorf("%s is a journal of another format (version %d; this program has versions %d and %d), or broken at byte %d: it is left as it is",
			name, front[len(magic)], version, several, len(magic))
	}
	return nil
}

// tail decides what the bytes behind the last whole frame are: a frame that was being
// written, or damage.
func (t *trail) tail(name string) error {
	later, err := t.scanner.whole(t.scanner.end)
	switch {
	case err != nil:
		return err
	case later || t.scanner.sequence == 0: // without a header there is nothing to go on with
		return &BrokenError{name, t.scanner.end, t.Queries}
	}
	t.Torn = t.scanner.size - t.scanner.end
	return nil
}

// ErrEnd says that a run that is replayed has come to the end of its journal.
var ErrEnd = errors.New("the journal ends here")

// openToRead opens a journal to replay its run.
func openToRead(c Config, h Header) (*Journal, error) {
	file, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	j := newJournal(c, file)
	t, err := j.index(file)
	if err == nil && t.Numerics != h.Numerics {
		err = &NumericsError{c.File, t.Numerics, h.Numerics}
	}
	if err != nil {
		return nil, cmp.Or(err, file.Close())
	}
	j.header, j.origin = t.Header, t.origin
	return j, nil
}
