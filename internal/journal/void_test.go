package journal

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// asked are the queries that a function was asked, in order.
func (f *function) numbers() (all []int) {
	for n := 1; n <= theQueries; n++ {
		if f.asked[n] {
			all = append(all, n)
		}
	}
	return all
}

// Wherever a run ends and whatever it finds to be void, the next run asks for all that is void
// or was not answered, and for nothing else.
func TestVoid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := inFolder(t)
		hashed := rapid.Bool().Draw(rt, "hashed")
		have := 0 // all queries up to here are in the file
		for range rapid.IntRange(1, 4).Draw(rt, "runs") {
			j := mustOpen(t, Config{File: file, HashPoints: hashed})
			void := &objective.VoidError{First: rapid.IntRange(1, theQueries+1).Draw(rt, "first"), Err: errors.New("a line too many")}
			void.Last = void.First
			f := &function{}
			inBatch := rapid.Bool().Draw(rt, "in a batch")
			if inBatch {
				f.err, f.before = void, rapid.IntRange(0, 3).Draw(rt, "told")
			}
			o := j.Wrap(f)
			err := tryAll(t, o, theBatches)
			if inBatch = err != nil; !inBatch {
				err = j.Void(void)
			}
			said := (*objective.VoidError)(nil)
			if !errors.As(err, &said) || said.Marked != file || said.First != void.First {
				rt.Fatalf("%v", err)
			}
			if inBatch && !errors.Is(tryAll(t, o, theBatches), void.Err) {
				rt.Fatalf("the run goes on")
			}
			for n := have + 1; f.asked[n]; n++ {
				have = n
			}
			if n := len(f.numbers()); n > 0 && !f.asked[have] || o.Resumed()+n < have {
				rt.Fatalf("%v were asked, %d resumed, of %d", f.numbers(), o.Resumed(), have)
			}
			have = min(have, void.First-1)
			if j.Recorded() != have {
				rt.Fatalf("%d queries are recorded, want %d", j.Recorded(), have)
			}
			mustClose(t, j)
			if all := mustRead(t, file); len(all) != have || have > 0 && all[have].Number != have {
				rt.Fatalf("%d queries are read, want %d", len(all), have)
			}
		}
		j := mustOpen(t, Config{File: file, HashPoints: hashed})
		f := &function{order: backwards}
		o := j.Wrap(f)
		runAll(t, o, theBatches)
		if o.Resumed() != have || len(f.numbers()) != theQueries-have || j.Recorded() != theQueries {
			rt.Fatalf("resumed %d of %d, asked %v", o.Resumed(), have, f.numbers())
		}
		mustClose(t, j)
		if all := mustRead(t, file); len(all) != theQueries {
			rt.Fatalf("%d queries", len(all))
		}
	})
}

func TestVoidIsShown(t *testing.T) {
	file := makeJournal(t, Config{}, theBatches)
	j := mustOpen(t, Config{File: file})
	if err := j.Void(&objective.VoidError{First: 10, Last: 12, Err: errors.New(strings.Repeat("long ", 100))}); !strings.Contains(err.Error(), "queries 10 to 12 cannot be trusted") {
		t.Error(err)
	}
	mustClose(t, j)
	s, err := Read(file, nil)
	if err != nil || s.Queries != 9 || len(s.Voids) != 1 || s.Voids[0].First != 10 || s.Voids[0].Queries != theQueries-9 || len(s.Voids[0].Why) > longestWords {
		t.Errorf("%+v, %v", s, err)
	}
	// A mark that is torn is no mark, and one that is damaged is seen.
	data := contents(t, file)
	write(t, file, data[:len(data)-1])
	if s, err := Read(file, nil); err != nil || s.Queries != theQueries || s.Torn == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	data[len(data)-9] ^= 1
	write(t, file, data)
	if s, err := Read(file, nil); err != nil || len(s.Voids) > 0 || s.Torn == 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// What cannot be marked is not said to be.
func TestVoidThatCannotBeMarked(t *testing.T) {
	j := mustOpen(t, Config{File: makeJournal(t, Config{}, theBatches)})
	mustClose(t, j)
	var void *objective.VoidError
	err := j.Void(&objective.VoidError{First: 10, Last: 12, Err: os.ErrInvalid})
	if !errors.As(err, &void) || void.Marked != "" || !errors.Is(err, os.ErrInvalid) || !strings.Contains(err.Error(), "could not be marked") {
		t.Error(err)
	}
}
