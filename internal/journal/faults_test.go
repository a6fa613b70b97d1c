package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/untwist/untwist/internal/needs"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A badDisk is a file with faults. It knows when something was written and synchronised.
type badDisk struct {
	disk
	mu        sync.Mutex
	write     func(p []byte, at int64) (n int, err error) // nil: as usual
	cut, sync error
	noReserve bool
	written   []written
	synced    []time.Duration
	began     time.Time
}

// written is a frame, and when it was written.
type written struct {
	at    time.Duration
	frame []byte
}

func (d *badDisk) WriteAt(p []byte, at int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.written = append(d.written, written{time.Since(d.began), bytes.Clone(p)})
	if d.write != nil {
		n, err := d.write(p, at)
		if n > 0 {
			d.disk.WriteAt(p[:n], at)
		}
		return n, err
	}
	return d.disk.WriteAt(p, at)
}

func (d *badDisk) Truncate(size int64) error {
	if d.cut != nil {
		return d.cut
	}
	return d.disk.Truncate(size)
}

func (d *badDisk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = append(d.synced, time.Since(d.began))
	return d.sync
}

func (d *badDisk) Reserve(at, length int64) error {
	if d.noReserve {
		return syscall.EOPNOTSUPP
	}
	return d.disk.Reserve(at, length)
}

func onBadDisk(t *testing.T, j *Journal) *badDisk {
	d := &badDisk{disk: j.writer.file, began: time.Now()}
	j.writer.file = d
	return d
}

// A write that fails after some bytes, and where even these cannot be cut off.
func TestHalfAFrameIsNeverBuried(t *testing.T) {
	for _, cut := range []error{nil, errors.New("cannot cut")} {
		for half := range 30 {
			file := inFolder(t)
			j := mustOpen(t, Config{File: file})
			d := onBadDisk(t, j)
			d.noReserve = true
			o := j.Wrap(&function{})
			runAll(t, o, []int{2})
			d.cut = cut
			d.write = func([]byte, int64) (int, error) {
				return half, &fs.PathError{Op: "write", Path: file, Err: syscall.ENOSPC}
			}
			values := make([]float64, 3)
			err := o.Evaluate(t.Context(), someBatch(3, 3), values)
			if err == nil || !strings.Contains(err.Error(), "no space left for 3 answers") || !strings.Contains(err.Error(), "2 queries are kept") ||
				query.Evaluated(values, err) != 0 {
				t.Fatal(err)
			}
			if again := o.Evaluate(t.Context(), someBatch(3, 1), values[:1]); again == nil {
				t.Error("it goes on")
			}
			d.write, d.cut = nil, nil // room was made while the program was ending
			closed := j.Close()
			want := 5
			if cut != nil {
				want = 2
			}
			if got := len(mustRead(t, file)); got != want || closed != nil {
				t.Errorf("half %d: %d queries are kept, want %d; %v", half, got, want, closed)
			}
			j = mustOpen(t, Config{File: file})
			f := &function{}
			runAll(t, j.Wrap(f), []int{2, 3, 4})
			if len(f.asked) != 9-want {
				t.Errorf("half %d: asked %v", half, f.asked)
			}
			mustClose(t, j)
		}
	}
}

// A batch takes hours. When an answer cannot be written or brought to the disk, it ends.
func TestAFaultEndsTheBatch(t *testing.T) {
	for _, fault := range []string{"write", "sync"} {
		synctest.Test(t, func(t *testing.T) {
			j := mustOpen(t, Config{File: inFolder(t)})
			d := onBadDisk(t, j)
			oops := errors.New("input/output error")
			if fault == "write" {
				d.write = func([]byte, int64) (int, error) { return 0, oops }
			} else {
				d.sync = oops
			}
			o := j.Wrap(slow{})
			values := make([]float64, 3)
			err := o.Evaluate(t.Context(), someBatch(1, 3), values)
			if !errors.Is(err, oops) {
				t.Errorf("%s: %v", fault, err)
			}
			want := map[string]int{"write": 0, "sync": 1}[fault]
			if got := query.Evaluated(values, err); got != want {
				t.Errorf("%s: %d values are known", fault, got)
			}
			if err := j.Close(); (err != nil) != (fault == "sync") {
				t.Errorf("%s: %v", fault, err)
			}
		})
	}
}

// slow tells one answer and then waits until it is stopped.
type slow struct{}

func (slow) Dim() int { return dim }
func (slow) Evaluate(context.Context, *mat.Dense, []float64) error {
	panic("it is a Teller")
}
func (slow) Each(ctx context.Context, _ *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	tell(0, objective.Answer{Value: 1})
	<-ctx.Done()
	return ctx.Err()
}

func TestAnswersAreWrittenAndBroughtToTheDiskInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := inFolder(t)
		j := mustOpen(t, Config{File: file})
		d := onBadDisk(t, j)
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		err := j.Wrap(ticking{}).Evaluate(ctx, someBatch(1, 1000), make([]float64, 1000))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		for _, w := range d.written {
			var p page
			if err := p.read(w.frame[headBytes:len(w.frame)-sumBytes], dim); err != nil {
				t.Fatal(err)
			}
			for _, number := range p.numbers {
				if came := time.Duration(number) * tick; w.at-came > writeWithin {
					t.Errorf("query %d came after %v and was written after %v", number, came, w.at)
				}
			}
		}
		if len(d.written) > 16 {
			t.Errorf("%d frames", len(d.written))
		}
		if len(d.synced) != 1 || d.synced[0] > 1200*time.Millisecond {
			t.Errorf("synchronised at %v", d.synced)
		}
		if got := len(mustRead(t, file)); got < 149 {
			t.Errorf("%d queries are in the file", got)
		}
		mustClose(t, j)
		if len(d.synced) != 2 {
			t.Errorf("closed: synchronised at %v", d.synced)
		}
	})
}

// ticking tells an answer every tick.
type ticking struct{}

const tick = 10 * time.Millisecond

func (ticking) Dim() int { return dim }
func (ticking) Evaluate(context.Context, *mat.Dense, []float64) error {
	panic("it is a Teller")
}
func (ticking) Each(ctx context.Context, _ *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for i := range values {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			tell(i, objective.Answer{Value: float64(i)})
		}
	}
	return nil
}

// The room that a run had reserved is given back when it ends, and that of a killed run when
// it goes on.
func TestReservedRoomIsGivenBack(t *testing.T) {
	file := makeJournal(t, Config{File: filepath.Join(t.TempDir(), "run.journal")}, theBatches)
	reserveMuch := func() {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := reserve(f, 0, 10<<20); err != nil {
			needs.NotRun(t, "a file system that reserves room: "+err.Error())
		}
	}
	blocks := func() int64 {
		var s syscall.Stat_t
		if err := syscall.Stat(file, &s); err != nil {
			t.Fatal(err)
		}
		return s.Blocks * 512
	}
	if blocks() > 1<<16 {
		t.Errorf("a closed journal takes %d bytes", blocks())
	}
	reserveMuch()
	if blocks() < 10<<20 {
		needs.NotRun(t, "a file system that counts reserved room")
	}
	j := mustOpen(t, Config{File: file})
	if blocks() > 1<<16 {
		t.Errorf("a journal that was opened takes %d bytes", blocks())
	}
	runAll(t, j.Wrap(&function{}), append(theBatches[:len(theBatches):len(theBatches)], 2))
	if blocks() < reserveBytes {
		t.Errorf("a journal that is written takes %d bytes, and no room is reserved", blocks())
	}
	mustClose(t, j)
	if blocks() > 1<<16 {
		t.Errorf("a closed journal takes %d bytes", blocks())
	}
}
