package journal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestRecordedQueriesAreNotAskedAgain(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		file := makeJournal(t, Config{HashPoints: hashed}, theBatches)
		for number, q := range mustRead(t, file) {
			want := Query{number, thePoint(number), theAnswer(thePoint(number))}
			if hashed {
				want.Point = nil
			}
			if !cmp.Equal(q, want) {
				t.Errorf("read %+v, want %+v", q, want)
			}
		}
		j := mustOpen(t, Config{File: file, HashPoints: !hashed}) // old frames stay what they are
		if j.Recorded() != theQueries {
			t.Errorf("%d queries are recorded, want %d", j.Recorded(), theQueries)
		}
		f := &function{}
		o := j.Wrap(f)
		runAll(t, o, append(theBatches[:len(theBatches)-1:len(theBatches)-1], theBatches[len(theBatches)-1]+5)) // a larger budget
		if len(f.asked) != 5 || o.Resumed() != theQueries || j.Recorded() != theQueries+5 {
			t.Errorf("asked %v, resumed %d, recorded %d", f.asked, o.Resumed(), j.Recorded())
		}
	}
}

// Wherever a run is killed, the file that it leaves is a beginning of the whole one.
func TestKilledAtEveryByte(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		if hashed && !*flags.Whole {
			continue
		}
		whole := contents(t, makeJournal(t, Config{HashPoints: hashed}, theBatches))
		for length := range len(whole) + 1 {
			file := inFolder(t)
			write(t, file, whole[:length])
			there := map[int]Query{}
			s, err := Read(file, func(q Query) error { there[q.Number] = q; return nil })
			if (err != nil) != (s.Version == 0 || s.Dim == 0) {
				t.Fatalf("%d bytes: %v", length, err)
			}
			if err == nil && s.Bytes+s.Torn != int64(length) {
				t.Errorf("%d bytes: %d and %d torn", length, s.Bytes, s.Torn)
			}
			var notes []string
			j, err := Open(Config{File: file, HashPoints: hashed, Note: func(n string) { notes = append(notes, n) }}, theHeader())
			if err != nil {
				t.Fatalf("%d bytes: %v", length, err)
			}
			if (s.Torn > 0) != (len(notes) == 1) {
				t.Errorf("%d bytes, %d torn: notes %q", length, s.Torn, notes)
			}
			f := &function{}
			o := j.Wrap(f)
			runAll(t, o, theBatches)
			mustClose(t, j)
			for number := range theQueries {
				if _, recorded := there[number+1]; recorded == f.asked[number+1] {
					t.Errorf("%d bytes: query %d is recorded: %v, and asked: %v", length, number+1, recorded, f.asked[number+1])
				}
			}
			if o.Resumed() != len(there) || len(mustRead(t, file)) != theQueries {
				t.Errorf("%d bytes: resumed %d, want %d", length, o.Resumed(), len(there))
			}
		}
	}
}

// A run is interrupted again and again, in the middle of batches too. The oracle is a map.
func TestManyInterruptions(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		file := inFolder(t)
		batches := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 6).Draw(r, "batches")
		answered := map[int]bool{}
		for range rapid.IntRange(1, 5).Draw(r, "lives") {
			j, err := Open(Config{File: file, HashPoints: rapid.Bool().Draw(r, "hashed")}, theHeader())
			if err != nil {
				r.Fatal(err)
			}
			if j.Recorded() != len(answered) {
				r.Errorf("%d recorded, want %d", j.Recorded(), len(answered))
			}
			f := &function{before: rapid.IntRange(0, 30).Draw(r, "before"), err: errors.New("killed")}
			f.order = func(n int) []int {
				if n == 1 {
					return []int{0}
				}
				return rapid.Permutation(slices.Sorted(slices.Values(backwards(n)))).Draw(r, "order")
			}
			o := j.Wrap(f)
			if err := tryAll(t, o, batches); err != nil && !errors.Is(err, f.err) {
				r.Fatal(err)
			}
			if err := j.Close(); err != nil {
				r.Fatal(err)
			}
			for number := range f.asked {
				if answered[number] {
					r.Errorf("query %d was asked again", number)
				}
				answered[number] = true
			}
		}
		if got := mustRead(t, file); len(got) != len(answered) {
			r.Errorf("the file has %d queries, want %d", len(got), len(answered))
		}
	})
}

func TestErrorsOfTheObjective(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		about       string
		before      int
		order       func(int) []int
		err         error
		done, spent int
		plain       bool
	}{
		{"nothing told", 0, nil, boom, 0, 0, true},
		{"two told", 2, nil, boom, 2, 2, false},
		{"two at the end told", 2, backwards, boom, 0, 2, false},
		{"a partial error", 2, nil, &objective.PartialError{Done: 2, Spent: 3, Err: boom}, 2, 3, false},
	} {
		file := inFolder(t)
		j := mustOpen(t, Config{File: file})
		f := &function{before: c.before, order: c.order, err: c.err}
		values := make([]float64, 5)
		err := j.Wrap(f).Evaluate(t.Context(), someBatch(1, 5), values)
		if !errors.Is(err, boom) {
			t.Fatalf("%s: %v", c.about, err)
		}
		var p *objective.PartialError
		if partial := errors.As(err, &p); partial == c.plain || partial && (p.Done != c.done || p.Spent != c.spent || p.Err != boom) {
			t.Errorf("%s: %#v", c.about, err)
		}
		if j.Recorded() != c.before {
			t.Errorf("%s: %d recorded, want %d", c.about, j.Recorded(), c.before)
		}
		mustClose(t, j)

		// The next life has some of them on record, and fails again at once.
		j = mustOpen(t, Config{File: file})
		o := j.Wrap(&function{err: boom})
		err = o.Evaluate(t.Context(), someBatch(1, 5), values)
		p = &objective.PartialError{}
		errors.As(err, &p)
		if c.before > 0 && (p.Spent != c.before || p.Done != c.done || o.Resumed() != c.before) {
			t.Errorf("%s: on record are %d, and the error is %#v", c.about, c.before, err)
		}
		mustClose(t, j)
	}
}

// An objective that tells nothing, and one that tells twice.
func TestObjectivesThatTellBadly(t *testing.T) {
	j := mustOpen(t, Config{File: inFolder(t)})
	plain := objective.Func(dim, func(x []float64) float64 { return x[0] })
	values := make([]float64, 3)
	if err := j.Wrap(plain).Evaluate(t.Context(), someBatch(1, 3), values); err != nil || !cmp.Equal(values, []float64{1, 2, 3}) || j.Recorded() != 3 {
		t.Errorf("%v, %v, %d recorded", values, err, j.Recorded())
	}
	for _, tells := range []int{0, 2} {
		j := mustOpen(t, Config{File: inFolder(t)})
		if err := j.Wrap(teller{plain, tells}).Evaluate(t.Context(), someBatch(1, 3), values); err != nil || j.Recorded() != 3 {
			t.Errorf("told %d times: %v, %d recorded", tells, err, j.Recorded())
		}
	}
}

// A teller tells every value so many times.
type teller struct {
	objective.Objective
	tells int
}

func (f teller) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	err := f.Evaluate(ctx, points, values)
	for i, v := range values {
		for range f.tells {
			tell(i, objective.Answer{Value: v})
		}
	}
	return err
}

func TestDivergenceIsSeen(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		file := makeJournal(t, Config{HashPoints: hashed}, []int{theQueries})
		for number := 1; number <= theQueries; number++ {
			for k := range dim {
				j := mustOpen(t, Config{File: file})
				o := j.Wrap(&function{})
				points := someBatch(1, theQueries)
				points.Set(number-1, k, math.Nextafter(points.At(number-1, k), 1e9))
				values := make([]float64, theQueries)
				err := o.Each(t.Context(), points, values, func(i int, a objective.Answer) { t.Errorf("%d: told %v", i, a) })
				var diverged *DivergedError
				if !errors.As(err, &diverged) || diverged.Query != number || query.Evaluated(values, err) != 0 || o.Resumed() != 0 {
					t.Fatalf("query %d, coordinate %d: %v", number, k, err)
				}
				if again := o.Evaluate(t.Context(), someBatch(1, 1), values[:1]); again != err {
					t.Errorf("asked again: %v", again)
				}
				mustClose(t, j)
			}
		}
	}
}

func TestLongWordsAreCutTheSameWayNowAndLater(t *testing.T) {
	long := objective.Answer{Value: math.Inf(1), Seconds: 0.1, By: strings.Repeat("b", 300),
		Failure: &objective.Failure{Kind: objective.Errored, Detail: strings.Repeat("ä", 300)}}
	file := inFolder(t)
	var told []objective.Answer
	for range 2 {
		j := mustOpen(t, Config{File: file})
		f := answering{objective.Func(dim, func([]float64) float64 { return 0 }), long}
		if err := j.Wrap(f).Each(t.Context(), someBatch(1, 1), make([]float64, 1), func(_ int, a objective.Answer) { told = append(told, a) }); err != nil {
			t.Fatal(err)
		}
		mustClose(t, j)
	}
	if !cmp.Equal(told[0], told[1]) || len(told[0].By) > 200 || len(told[0].Failure.Detail) > 200 || told[0].Failure.Kind != objective.Errored {
		t.Errorf("told %+v and %+v", told[0], told[1])
	}
	if len(long.Failure.Detail) != 600 {
		t.Error("the objective's own failure was changed")
	}
}

// answering tells one answer for every query.
type answering struct {
	objective.Objective
	a objective.Answer
}

func (f answering) Each(_ context.Context, _ *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	for i := range values {
		values[i] = f.a.Value
		tell(i, f.a)
	}
	return nil
}

func TestOptions(t *testing.T) {
	good := Config{File: inFolder(t)}
	for field, open := range map[string]func() (*Journal, error){
		"File":     func() (*Journal, error) { return Open(Config{}, theHeader()) },
		"Dim":      func() (*Journal, error) { return Open(good, Header{About: []byte("{}")}) },
		"Numerics": func() (*Journal, error) { return Open(good, Header{Numerics: -1, Dim: 1, About: []byte("{}")}) },
		"About":    func() (*Journal, error) { return Open(good, Header{Dim: 1, About: []byte("[]")}) },
	} {
		_, err := open()
		var option *objective.OptionError
		if !errors.As(err, &option) || option.Option != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := os.Stat(good.File); err == nil {
		t.Error("a file was made")
	}
	func() {
		defer func() {
			if fmt.Sprint(recover()) != "journal: an objective of 1 numbers, and a journal of 3" {
				t.Error("another dimension is taken")
			}
		}()
		mustOpen(t, good).Wrap(objective.Func(1, func([]float64) float64 { return 0 }))
	}()
}

func TestAClosedJournal(t *testing.T) {
	j := mustOpen(t, Config{File: makeJournal(t, Config{}, theBatches)})
	o := j.Wrap(&function{})
	mustClose(t, j)
	mustClose(t, j)
	for _, first := range []int{1, theQueries + 1} {
		o.asked = first - 1
		o.failed = nil
		if err := o.Evaluate(t.Context(), someBatch(first, 1), make([]float64, 1)); err == nil || !strings.Contains(err.Error(), "is closed") {
			t.Errorf("query %d: %v", first, err)
		}
	}
}

// Whoever is told an answer may look at the journal.
func TestTellMayUseTheJournal(t *testing.T) {
	file := makeJournal(t, Config{}, theBatches)
	j := mustOpen(t, Config{File: file})
	told := 0
	err := j.Wrap(&function{}).Each(t.Context(), someBatch(1, theQueries+3), make([]float64, theQueries+3), func(int, objective.Answer) {
		told++
		if n := j.Recorded(); n < theQueries {
			t.Errorf("%d are recorded", n)
		}
	})
	if err != nil || told != theQueries+3 {
		t.Errorf("told %d, %v", told, err)
	}
}

// The record has the queries in another order, and all points are others.
func TestDivergenceNamesTheFirstQuery(t *testing.T) {
	file := inFolder(t)
	j := mustOpen(t, Config{File: file})
	boom := errors.New("boom")
	o := j.Wrap(&function{order: backwards, before: 5, err: boom})
	if err := o.Evaluate(t.Context(), someBatch(1, theQueries), make([]float64, theQueries)); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	mustClose(t, j)
	j = mustOpen(t, Config{File: file})
	runAll(t, j.Wrap(&function{}), []int{theQueries})
	err := j.Wrap(&function{}).Evaluate(t.Context(), someBatch(2, theQueries), make([]float64, theQueries))
	var diverged *DivergedError
	if !errors.As(err, &diverged) || diverged.Query != 1 {
		t.Error(err)
	}
}
