package program

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// patient is a patience in which nobody listens from time to time.
var patient = func() patience { p := short; p.quiet = time.Hour; return p }()

// A number too many shifts all answers of its process that follow. It is noticed at the end of
// the run if not before, and no answer that is wrong is before the first that is void.
func TestASurplusNumberMakesAnswersVoid(t *testing.T) {
	t.Parallel()
	for _, protocol := range []Protocol{Lines, Binary} {
		for shift := 1; shift < 40; shift += 7 {
			r := newRig(t, speaker(t, protocol, 3), patient)
			points, all := scattered(40, 3), []objective.Answer(nil)
			points.Set(shift, 0, pleaseShift)
			var err error
			for first := 0; first < 40 && err == nil; first += 10 {
				var answers []objective.Answer
				answers, err = r.ask(t.Context(), points.Slice(first, first+10, 0, 3).(*mat.Dense))
				all = append(all, answers...)
			}
			if err == nil {
				err = r.close()
			}
			void, ok := errors.AsType[*objective.VoidError](err)
			if !ok || !strings.Contains(err.Error(), "cannot be trusted") {
				t.Errorf("%s, %d: %v", protocol, shift, err)
				continue
			}
			for i, a := range all {
				want, told := f(points.RawRowView(i)), a.Value != 0 || a.Failure != nil || a.Seconds != 0
				if told && a.Value != want && (i+1 < void.First || i+1 > void.Last) {
					t.Errorf("%s, %d: query %d is %v, not %v, and only %d to %d are void", protocol, shift, i+1, a.Value, want, void.First, void.Last)
				}
			}
		}
	}
}

// A program that has said nothing for longer than any answer took has answered rightly.
func TestCertainPoints(t *testing.T) {
	t.Parallel()
	r := newRig(t, speaker(t, Lines, 3), patient)
	k := r.slots[0].(*kept)
	points := scattered(5, 3)
	check(t, points, r.mustAsk(points), nil)
	if k.vouching.first != 1 || k.vouching.last != 5 {
		t.Fatalf("the answers to %d to %d are not certain", k.vouching.first, k.vouching.last)
	}
	k.since = time.Now().Add(-2 * time.Hour) // the last answer
	if err := k.listen(t.Context()); err != nil || k.vouching.first != 0 {
		t.Errorf("after an hour %d is not certain (%v)", k.vouching.first, err)
	}
	r.mustAsk(scattered(1, 3))
	k.patience.quiet, k.before = 0, 0
	k.slowest = 4 * time.Millisecond
	k.vouching.since = time.Now().Add(-time.Hour) // the last certain point
	if err := k.listen(t.Context()); err != nil || k.vouching.first != 0 || k.quiet() != 6*time.Millisecond {
		t.Errorf("%d is not certain (%v), quiet %v", k.vouching.first, err, k.quiet())
	}
	k.slowest = time.Minute
	r.mustAsk(scattered(1, 3))
	if err := k.listen(t.Context()); err != nil || k.vouching.first != 7 || k.quiet() != 90*time.Second {
		t.Errorf("%d is not certain (%v), quiet %v", k.vouching.first, err, k.quiet())
	}
	// What was there before the question is not its answer.
	k.began = time.Now()
	err := k.hear(t.Context(), nil, chunk{data: []byte("1.5\n"), at: k.began.Add(-time.Second)})
	if void, ok := errors.AsType[*objective.VoidError](err); !ok || void.First != 7 || void.Last != 7 {
		t.Errorf("an answer before its question: %v", err)
	}
}

// A run that ends early looks for a number too many, too.
func TestSurplusAtAnEarlyEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, speaker(t, Lines, 3, "-surplus", "17|"), patient)
	r.mustAsk(scattered(2, 3))
	k := r.slots[0].(*kept)
	if void, ok := errors.AsType[*objective.VoidError](k.dismiss()); !ok || void.First != 1 || void.Last != 2 {
		t.Errorf("%v", void)
	}
}

// A number may go on where the output ends.
func TestHalfALineIsNoValue(t *testing.T) {
	t.Parallel()
	const why = `no_number: the program ended within the line "1.5"`
	for _, eof := range []bool{false, true} {
		c := speaker(t, Lines, 3)
		c.EOF = eof
		r := newRig(t, c, short)
		points := asking(0, 0, 0)
		check(t, points, r.mustAsk(points), nil)
		points = asking(pleaseHalve)
		check(t, points, r.mustAsk(points), map[int]string{0: why})
		points = asking(0, 0, 0, pleaseHalve, 0)
		check(t, points, r.mustAsk(points), map[int]string{3: why})
		r = newRig(t, c, short)
		if _, err := r.ask(t.Context(), asking(pleaseHalve)); err == nil || !strings.Contains(err.Error(), "the end of the line after each number") {
			t.Errorf("eof %v: at the first point: %v", eof, err)
		}
	}
}

// The same answer to an id may be given again, and another one may not.
func TestAnswersGivenTwice(t *testing.T) {
	t.Parallel()
	r := newRig(t, speaker(t, JSON, 3), short)
	points := asking(pleaseRepeat, 0, pleaseRepeat, 0, 0, pleaseRepeat)
	check(t, points, r.mustAsk(points), nil)
	_, err := r.ask(t.Context(), asking(0, pleaseDiffer, 0))
	if err == nil { // the second answer came when all were answered
		err = r.close()
	}
	if void, ok := errors.AsType[*objective.VoidError](err); !ok || void.First != 8 || void.Last != 8 {
		t.Errorf("%v", err)
	}
}

// Only so many ids are remembered.
func TestIDs(t *testing.T) {
	var m ids
	for id := 1; id <= 3*mostIDs; id++ {
		if m.hear(valued(id, float64(id))) {
			t.Fatalf("%d was not answered before", id)
		}
	}
	for id, known := range map[int]bool{0: false, 1: false, 2*mostIDs + 1: true, 3 * mostIDs: true} {
		if _, got := m.of(id); got != known {
			t.Errorf("%d is remembered: %v", id, got)
		}
	}
	if len(m.now)+len(m.before) > 2*mostIDs || m.contradicted(valued(3*mostIDs, 1)) == nil || m.contradicted(valued(3*mostIDs, 3*mostIDs)) != nil {
		t.Errorf("%d and %d ids, %v", len(m.now), len(m.before), m.contradicted(valued(3*mostIDs, 1)))
	}
}
