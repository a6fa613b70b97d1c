package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A Void says that answers of a journal do not count: those that stand before it in the file,
// of the queries from First on. The run asks them again.
type Void struct {
	First   int    // the first of these queries, from 1
	Queries int    // how many answers this makes void
	Why     string // in words; may be cut

	at int64 // where its frame begins
}

// appendVoid appends a void as a payload.
func appendVoid(dst []byte, v Void) []byte {
	dst = binary.AppendUvarint(append(dst, voidKind), uint64(v.First))
	dst = binary.AppendUvarint(dst, uint64(v.Queries))
	return append(binary.AppendUvarint(dst, uint64(len(v.Why))), v.Why...)
}

var errVoid = errors.New("the payload of a frame is no void")

func readVoid(payload []byte) (Void, error) {
	d := decoder{rest: payload}
	kind, first, queries, why := d.byte(), d.uvarint(), d.uvarint(), d.text()
	if d.bad || len(d.rest) > 0 || kind != voidKind || first < 1 || first > mostQuery || queries > mostQuery {
		return Void{}, errVoid
	}
	return Void{First: int(first), Queries: int(queries), Why: why}, nil
}

// counted reports whether the answer to a query counts that stands at a byte of the file.
func (s *Summary) counted(at int64, query int) bool {
	for _, v := range s.Voids {
		if at < v.at && query >= v.First {
			return false
		}
	}
	return true
}

// Void marks the answers that an objective has found to be void, and brings this to the disk. A
// run that goes on with the journal asks for them again. It returns the error, which then says
// what was marked, or why it could not be.
func (j *Journal) Void(found *objective.VoidError) error {
	said := *found
	if err := j.writer.void(found.First, found.Err.Error()); err != nil {
		said.Err = fmt.Errorf("%w; this could not be marked in the journal: %v", found.Err, err)
		return &said
	}
	said.Marked = j.writer.name
	return &said
}

// void marks the answers to the queries from first on as void.
func (w *writer) void(first int, why string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.writeGroup()
	}
	if w.failed != nil {
		return w.failed
	}
	v := Void{First: max(first, 1), Why: words.Cut(why, longestWords)}
	leaves := shelf{file: w.file, dim: w.dim}
	for _, s := range w.index.stretches {
		if s.greatest < v.First {
			continue
		}
		leaf, err := leaves.leaf(s)
		if err != nil {
			return fmt.Errorf("the journal %s cannot be read at byte %d: %w", w.name, s.at, err)
		}
		v.Queries += len(leaf.within(v.First, s.greatest))
	}
	if err := w.append(appendVoid(beginFrame(w.frame), v)); err != nil {
		return err
	}
	w.index.void(v.First)
	w.queries -= v.Queries
	if err := w.file.Sync(); err != nil {
		return w.unsynced(err)
	}
	return nil
}

// void forgets the queries from first on.
func (x *index) void(first int) {
	all := x.stretches
	x.stretches = x.stretches[:0]
	for _, s := range all {
		if s.least < first {
			x.push(stretch{at: s.at, end: s.end, least: s.least, greatest: min(s.greatest, first-1)})
		}
	}
}
