package cluster

import (
	"bytes"
	"math"
	"testing"

	"github.com/untwist/untwist/objective"
)

// sealed returns what is inside a message, in an envelope whose checksum is right: a fuzzer
// does not guess checksums.
func sealed(kind byte, inside []byte) []byte {
	return seal(kind, RunID{7}, len(inside), func(dst []byte) []byte { return append(dst, inside...) })
}

// inside returns what is in an envelope.
func inside(message []byte) []byte { return message[headBytes : len(message)-sumBytes] }

// Whatever arrives, a chunk is refused, or is exactly what a coordinator has written, and
// within all limits.
func FuzzChunk(f *testing.F) {
	f.Add(inside((&Chunk{First: 3, Dim: 2, Points: []float64{1, math.Inf(-1), 0, 4}, Skip: []string{"a", "b.c"}}).Encode()))
	f.Add(inside((&Chunk{First: 1, Dim: 1, Points: []float64{math.NaN()}}).Encode()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := DecodeChunk(data); err == nil {
			t.Errorf("%+v has no checksum, and was taken", c)
		}
		message := sealed(chunkKind, data)
		c, err := DecodeChunk(message)
		if err != nil {
			return
		}
		if !bytes.Equal(c.Encode(), message) {
			t.Errorf("%x is taken for %+v, which is written as %x", message, c, c.Encode())
		}
		if n := c.Len(); n < 1 || n > mostPoints || c.Dim < 1 || c.Dim > mostDim || n*c.Dim != len(c.Points) || c.First < 1 || n > 1 && len(message) > mostBytes {
			t.Errorf("%d points of %d numbers from %d on were taken", n, c.Dim, c.First)
		}
	})
}

// The same for values, except that reasons may be written in another way.
func FuzzValues(f *testing.F) {
	v := Values{First: 3, Worker: "host-1", Answers: []Answer{
		{Offset: 0, Check: 7, Answer: objective.Answer{Value: 2, Seconds: 0.5}},
		{Offset: 5, Check: 8, Answer: objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Kind: objective.BadExit, Detail: "exit status 1"}}},
	}}
	f.Add(inside(v.Encode()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := DecodeValues(data); err == nil {
			t.Errorf("%+v has no checksum, and was taken", v)
		}
		v, err := DecodeValues(sealed(valuesKind, data))
		if err != nil {
			return
		}
		if again, err := DecodeValues(v.Encode()); err != nil || !bytes.Equal(again.Encode(), v.Encode()) {
			t.Errorf("%+v was taken, and comes back as %+v (%v)", v, again, err)
		}
		for _, a := range v.Answers {
			if math.IsNaN(a.Value) || !(a.Seconds >= 0) || a.Offset < 0 || a.Offset >= mostPoints || (a.Failure != nil) != math.IsInf(a.Value, 1) || a.By != v.Worker {
				t.Errorf("the answer %+v was taken", a)
			}
			if a.Failure != nil && !printable(a.Failure.Detail) {
				t.Errorf("%q cannot be shown in a line", a.Failure.Detail)
			}
		}
	})
}

// Greetings are refused, or are within all limits and can be shown.
func FuzzGreetings(f *testing.F) {
	for _, m := range []any{
		Hello{Version: 1, Worker: "a", Procs: 2, Digest: digestOf(about), About: pack(about), Working: []int{1}, Broken: "x", Query: 4},
		Welcome{Version: 1, Run: RunID{3}.String(), Dim: 4, Refused: "no", Needless: []int{3}},
		Receipt{Kept: true}, Receipt{Refused: "no"},
		Status{Version: 1, Workers: []WorkerStatus{{Name: "a"}}},
	} {
		f.Add(encodeJSON(m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := DecodeHello(data); err == nil {
			if checkName(h.Worker) != nil || h.Procs < 1 || h.Procs > mostProcs || len(h.Working) > mostWorking || !printable(h.Broken) {
				t.Errorf("%+v was taken", h)
			}
			if theirs, err := unpack(h.About); err == nil {
				if len(theirs) > longestAbout {
					t.Errorf("%d bytes were unpacked", len(theirs))
				}
				if why := differing(about, theirs); !printable(why) {
					t.Errorf("%q cannot be shown in a line", why)
				}
			}
		}
		if w, _, err := DecodeWelcome(data); err == nil && (w.Dim < 1 || w.Dim > mostDim || !printable(w.Refused)) {
			t.Errorf("%+v was taken", w)
		}
		if r, err := DecodeReceipt(data); err == nil && !printable(r.Refused) {
			t.Errorf("%+v was taken", r)
		}
		if s, err := DecodeStatus(data); err == nil {
			for _, w := range s.Workers {
				if checkName(w.Name) != nil || !printable(w.Excluded) {
					t.Errorf("%+v was taken", w)
				}
			}
		}
	})
}
