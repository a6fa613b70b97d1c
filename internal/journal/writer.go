package journal

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

const (
	// writeWithin is how long an answer may wait before it is written.
	writeWithin = 100 * time.Millisecond
	// syncWithin is how long what is written may wait before it is brought to the disk.
	syncWithin = time.Second
	// reserveBytes is how much room is reserved at least.
	reserveBytes = 1 << 18
)

// A writer appends frames to a file. Its methods may be called by several goroutines.
type writer struct {
	name string
	path string // the name, whatever the current folder is
	note func(string)
	dim  int

	mu       sync.Mutex
	file     disk
	end      int64 // of the last whole frame
	sequence uint64
	sum      uint32
	index    index
	queries  int // in the file
	group    group
	frame    []byte

	reserved   int64 // the room up to here is ours
	unreserved bool  // the file system does not reserve room

	dirty  bool              // something was written since the last sync
	failed error             // the first thing that went wrong: no query may be asked any more
	lost   *LostError        // what somebody has done to the file; nil: nothing
	shut   bool              // nothing can be written any more
	stop   func(cause error) // ends the batch that is being asked
	write  alarm             // writes the group
	sync   alarm             // brings it to the disk
	watch  alarm             // looks whether the file is still there
	rang   sync.WaitGroup    // alarms that are set or being heard
}

// start makes a writer ready.
func (w *writer) start() {
	w.write = alarm{wait: writeWithin, ring: w.writeDue, rang: &w.rang}
	w.sync = alarm{wait: syncWithin, ring: w.syncDue, rang: &w.rang}
	w.watch = alarm{wait: lookWithin, ring: w.lookDue, rang: &w.rang}
}

// add takes an answer, and writes it soon.
func (w *writer) add(number int, x []float64, a objective.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.group.add(number, x, a)
	if w.failed != nil || w.shut {
		return
	}
	if w.group.full() {
		w.writeGroup()
		return
	}
	w.write.set()
}

// flush writes all answers that were added. It returns what went wrong, now or before.
func (w *writer) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.writeGroup()
	}
	return w.failed
}

// unwritten calls each for the number of every answer that could not be written.
func (w *writer) unwritten(each func(number int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.group.entries {
		each(e.number)
	}
}

// writeGroup writes the group as a frame.
func (w *writer) writeGroup() {
	n := len(w.group.entries)
	if n == 0 {
		return
	}
	frame := w.group.append(beginFrame(w.frame), w.dim)
	least, greatest := w.group.entries[0].number, w.group.entries[n-1].number
	at := w.end
	if err := w.append(frame); err != nil {
		if full(err) {
			err = w.noSpace(n)
		}
		w.fail(err)
		return
	}
	w.index.add(at, w.end, least, greatest)
	w.queries += n
	w.group.reset()
}

func (w *writer) closed() error { return fmt.Errorf("the journal %s is closed", w.name) }

// append seals a frame and writes it. Either all of it is in the file afterwards, or
// nothing: half a frame is cut off again. A file that has lost its name is written to, so that
// it can be saved.
func (w *writer) append(frame []byte) error {
	w.look()
	if w.shut && w.lost != nil {
		return w.lost
	}
	if w.shut {
		return w.closed()
	}
	frame, sum := sealFrame(frame, w.sequence, w.sum)
	w.frame = frame[:0]
	if _, err := w.file.WriteAt(frame, w.end); err != nil {
		if cut := w.file.Truncate(w.end); cut != nil {
			w.shut = true
		}
		w.reserved = 0
		return fmt.Errorf("the journal %s cannot be written: %w", w.name, err)
	}
	w.end += int64(len(frame))
	w.sequence++
	w.sum = sum
	w.dirty = true
	w.sync.set()
	return nil
}

// fail notes what went wrong and ends the batch that is being asked.
func (w *writer) fail(err error) {
	if w.failed == nil {
		w.failed = err
	}
	if w.stop != nil {
		w.stop(w.failed)
	}
}

// writeDue is called when the oldest answer has waited long enough.
func (w *writer) writeDue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write.heard()
	if w.failed == nil {
		w.writeGroup()
	}
}

// syncDue is called when what was written first has waited long enough. Answers are taken
// and written in the meantime.
func (w *writer) syncDue() {
	w.mu.Lock()
	w.sync.heard()
	dirty := w.dirty && !w.shut
	w.dirty = false
	w.mu.Unlock()
	if !dirty {
		return
	}
	if err := w.file.Sync(); err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fail(w.unsynced(err))
	}
}

func (w *writer) unsynced(err error) error {
	return fmt.Errorf("the journal %s cannot be brought to the disk: %w", w.name, err)
}

// begin makes room for n answers that are about to be asked for. From now on stop is called
// if something goes wrong.
func (w *writer) begin(n int, stop func(error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return w.failed
	}
	if w.shut {
		return w.closed()
	}
	w.stop = stop
	w.watch.set()
	need := w.end + w.group.mostBytes(n, w.dim)
	if w.unreserved || need <= w.reserved {
		return nil
	}
	to := need + reserveBytes
	err := w.file.Reserve(w.end, to-w.end)
	if full(err) {
		to = need
		err = w.file.Reserve(w.end, to-w.end)
	}
	switch {
	case full(err):
		return w.noSpace(n)
	case err != nil:
		w.unreserved = true
		return nil
	}
	w.reserved = to
	return nil
}

func (w *writer) noSpace(n int) error {
	return fmt.Errorf("%s: no space left for %s; make room and run the same command again; %s kept",
		w.name, words.Count(n, "answer", "answers"), words.Count(w.queries, "query is", "queries are"))
}

// close writes what is left, gives back the room that was reserved, and closes the file.
func (w *writer) close() error {
	w.mu.Lock()
	var errs []error
	if !w.shut {
		w.stop = nil
		before := w.failed
		w.failed = nil
		w.look()
		w.writeGroup() // again, if it failed before
		if before == nil {
			errs = append(errs, w.failed)
		}
		w.failed = before
	}
	if w.lost != nil {
		errs = append(errs, w.lost)
	}
	if !w.shut {
		if err := w.file.Truncate(w.end); err != nil {
			errs = append(errs, fmt.Errorf("the journal %s cannot be cut to its length: %w", w.name, err))
		}
		if err := w.file.Sync(); err != nil {
			errs = append(errs, w.unsynced(err))
		}
		if w.lost != nil {
			w.save()
		}
	}
	w.shut = true
	w.write.cancel()
	w.sync.cancel()
	w.watch.cancel()
	w.mu.Unlock()
	w.rang.Wait()
	if err := w.file.Close(); err != nil {
		errs = append(errs, err)
	}
	return cmp.Or(errs...)
}
