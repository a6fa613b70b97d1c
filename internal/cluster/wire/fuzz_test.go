package wire

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/untwist/untwist/objective"
)

// about is what the functions of these tests are about.
var about = []byte(`{"Objective":"a test","Parameters":[{"Name":"x"},{"Name":"y"}]}`)

// sealed returns what is inside a message, in an envelope whose checksum is right: a fuzzer
// does not guess checksums.
func sealed(kind byte, inside []byte) []byte {
	return seal(kind, RunID{7}, len(inside), func(dst []byte) []byte { return append(dst, inside...) })
}

// inside returns what is in an envelope.
func inside(message []byte) []byte { return message[headBytes : len(message)-sumBytes] }

// wantWords fails unless an error can be shown in a line.
func wantWords(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); !printable(text) || len(text) > LongestWords+100 {
		t.Errorf("%.100q cannot be shown in a line: it has %d bytes", text, len(text))
	}
}

// isQuery reports whether a number can be that of a query.
func isQuery(n int) bool { return n >= 1 && n <= 1<<53 }

// isLine reports whether words can be shown in a line.
func isLine(text string) bool { return printable(text) && len(text) <= LongestWords }

// Whatever arrives, a chunk is refused, or is exactly what a coordinator has written, and
// within all limits.
func FuzzChunk(f *testing.F) {
	f.Add(inside((&Chunk{First: 3, Dim: 2, Points: []float64{1, math.Inf(-1), 0, 4}, Skip: []string{"a", "b.c"}}).Encode()))
	f.Add(inside((&Chunk{First: 1, Dim: 1, Points: []float64{math.NaN()}}).Encode()))
	f.Add(inside((&Chunk{First: 1 << 53, Dim: 1, Points: make([]float64, 9), Skip: slices.Repeat([]string{"a"}, MostSkips)}).Encode()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := DecodeChunk(data); err == nil {
			t.Errorf("%+v has no checksum, and was taken", c)
		}
		message := sealed(chunkKind, data)
		c, err := DecodeChunk(message)
		if err != nil {
			wantWords(t, err)
			return
		}
		if !bytes.Equal(c.Encode(), message) {
			t.Errorf("%x is taken for %+v, which is written as %x", message, c, c.Encode())
		}
		n := c.Len()
		if n < 1 || n > MostPoints || c.Dim < 1 || c.Dim > MostDim || n*c.Dim != len(c.Points) || !isQuery(c.First) || n > 1 && len(message) > MostBytes {
			t.Errorf("%d points of %d numbers from %d on were taken", n, c.Dim, c.First)
		}
		if rows, d := c.Matrix().Dims(); rows != n || d != c.Dim || len(c.Point(n-1)) != d {
			t.Errorf("%d points of %d numbers are a matrix of %d by %d", n, c.Dim, rows, d)
		}
		if len(c.Skip) > MostSkips || slices.ContainsFunc(c.Skip, func(name string) bool { return CheckName(name) != nil || !c.Skips(name) }) {
			t.Errorf("these are to skip it: %q", c.Skip)
		}
	})
}

// Values are refused too, or are within all limits, and come back as they are. Only their
// reasons may be in another order.
func FuzzValues(f *testing.F) {
	failed := func(kind objective.FailureKind, words string) objective.Answer {
		return objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Kind: kind, Detail: words}}
	}
	f.Add(inside((&Values{First: 3, Worker: "host-1", Answers: []Answer{
		{Offset: 0, Check: 7, Answer: objective.Answer{Value: 2, Seconds: 0.5}},
		{Offset: 5, Check: 8, Answer: failed(objective.BadExit, "exit status 1")},
		{Offset: 6, Answer: failed(objective.Errored, "größer")},
	}}).Encode()))
	for _, v := range []float64{math.NaN(), math.Inf(-1), math.Inf(1), math.Copysign(0, -1)} {
		f.Add(inside((&Values{First: 1, Worker: "a", Answers: []Answer{{Offset: 1023, Answer: objective.Answer{Value: v, Seconds: v}}}}).Encode()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := DecodeValues(data); err == nil {
			t.Errorf("%+v has no checksum, and was taken", v)
		}
		v, err := DecodeValues(sealed(valuesKind, data))
		if err != nil {
			wantWords(t, err)
			return
		}
		message := v.Encode()
		again, err := DecodeValues(message)
		if err != nil || !reflect.DeepEqual(again, v) || !bytes.Equal(again.Encode(), message) {
			t.Errorf("%+v was taken, and comes back as %+v (%v)", v, again, err)
		}
		if CheckName(v.Worker) != nil || !isQuery(v.First) || len(v.Answers) < 1 || len(v.Answers) > MostPoints || len(message) > MostBytes {
			t.Errorf("%d values from %d on, of %q, were taken", len(v.Answers), v.First, v.Worker)
		}
		last := -1
		for _, a := range v.Answers {
			if math.IsNaN(a.Value) || !(a.Seconds >= 0 && a.Seconds < math.MaxInt32) || a.Offset <= last || a.Offset >= MostPoints || (a.Failure != nil) != math.IsInf(a.Value, 1) || a.By != v.Worker {
				t.Errorf("the answer %+v was taken", a)
			}
			if a.Failure != nil && (!printable(a.Failure.Detail) || len(a.Failure.Detail) > longestDetail || !slices.Contains(objective.FailureKinds(), a.Failure.Kind)) {
				t.Errorf("the failure %+v was taken", a.Failure)
			}
			last = a.Offset
		}
	})
}

// greets fuzzes a message in JSON: it is refused in words, or is sound and comes back as it
// is.
func greets[M interface{ Encode() []byte }](f *testing.F, decode func([]byte) (M, error), sound func(M) bool, seeds ...M) {
	for _, m := range seeds {
		f.Add(m.Encode())
	}
	for _, text := range []string{"", "{}", "null", `{"Version":2,"Other":[]}`, `{"Version":1,"version":1e400}`, `{"Version":1}{}`, `[[[[`, "{\"\xff\u009b\":1}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if err != nil {
			wantWords(t, err)
			return
		}
		if !sound(m) {
			t.Errorf("%+v was taken", m)
		}
		if again, err := decode(m.Encode()); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%+v was taken, and comes back as %+v (%v)", m, again, err)
		}
	})
}

func FuzzHello(f *testing.F) {
	plain := Hello{Version: 1, Worker: "a", Procs: 2, Digest: DigestOf(about)}
	full := Hello{Version: 1, Worker: "host-1.b_c", Procs: MostProcs, Digest: DigestOf(nil), About: Pack(about), Working: []int{1, 5, 1 << 53}, Leaving: true, Broken: "größer \x1b[2J", Query: 4, Check: 1 << 31}
	many := plain
	many.Working = slices.Repeat([]int{7}, 300)
	greets(f, DecodeHello, func(h Hello) bool {
		return h.Version == Version && CheckName(h.Worker) == nil && h.Procs >= 1 && h.Procs <= MostProcs && len(h.Digest) == 64 && len(h.Working) <= mostWorking &&
			!slices.ContainsFunc(h.Working, func(n int) bool { return !isQuery(n) }) && (h.Query == 0 || isQuery(h.Query)) && isLine(h.Broken)
	}, plain, full, many)
}

func FuzzWelcome(f *testing.F) {
	plain := Welcome{Version: 1, Run: RunID{3}.String(), Dim: 4}
	full := Welcome{Version: 1, Run: RunID{0xff}.String(), Dim: MostDim, Explain: true, Refused: "no\u2028\u202e", Needless: []int{3, 1 << 53}}
	greets(f, func(data []byte) (Welcome, error) {
		w, run, err := DecodeWelcome(data)
		if again, err2 := ParseRunID(w.Run); err == nil && (err2 != nil || again != run) {
			panic("the run is another")
		}
		return w, err
	}, func(w Welcome) bool {
		return w.Version == Version && w.Dim >= 1 && w.Dim <= MostDim && isLine(w.Refused) && len(w.Needless) <= mostWorking &&
			!slices.ContainsFunc(w.Needless, func(n int) bool { return !isQuery(n) })
	}, plain, full)
}

func FuzzReceipt(f *testing.F) {
	greets(f, DecodeReceipt, func(r Receipt) bool {
		said := 0
		for _, is := range []bool{r.Kept, r.Later, r.Refused != ""} {
			if is {
				said++
			}
		}
		return said == 1 && isLine(r.Refused)
	}, Receipt{Kept: true}, Receipt{Later: true}, Receipt{Refused: "its values are wrong\n"}, Receipt{Kept: true, Later: true})
}

func FuzzStatus(f *testing.F) {
	worker := WorkerStatus{Name: "a", Procs: 2, Working: 1, Points: 10, Failed: 3, Failure: "exit\nstatus 1", Rate: 0.25, Silent: 1e-3, Gone: true, Left: true, Excluded: "all its points fail\t"}
	greets(f, DecodeStatus, func(s Status) bool {
		ok := s.Version == Version && isLine(s.Name) && min(s.Highest, s.Out, s.Retries, s.Differ) >= 0 && s.Procs() >= 0 && s.Present() <= len(s.Workers)
		for _, w := range s.Workers {
			ok = ok && CheckName(w.Name) == nil && isLine(w.Excluded) && w.Procs >= 0 && w.Procs <= MostProcs && min(w.Working, w.Points, w.Failed) >= 0 && w.Rate >= 0 && w.Silent >= 0
		}
		return ok
	}, Status{Version: 1, Run: RunID{3}.String()}, Status{Version: 1, Run: RunID{3}.String(), Name: "sim", Highest: 9, Out: 1, Retries: 2, Differ: 1, Workers: []WorkerStatus{worker, worker}})
}

// A description is refused, or is JSON that is not much longer than ours, and can be compared
// in one line.
func FuzzAbout(f *testing.F) {
	for _, text := range []string{string(about), `{}`, `{"Objective":"a\u0000b","Other":{"a":[1,2e300,null]}}`, `{"Parameters":[{"Name":"y"},3]}`, `[`, "", "\xff"} {
		f.Add([]byte(text), true)
		f.Add(Pack([]byte(text)), false)
	}
	f.Add(Pack(make([]byte, 1<<20)), false)
	f.Fuzz(func(t *testing.T, data []byte, plain bool) {
		if plain { // a fuzzer does not guess checksums
			data = Pack(data)
		}
		theirs, err := Unpack(data, about)
		if err != nil {
			wantWords(t, err)
			return
		}
		if len(theirs) > 100_000 {
			t.Errorf("%d bytes were unpacked", len(theirs))
		}
		if again, err := Unpack(Pack(theirs), about); err != nil || !bytes.Equal(again, theirs) {
			t.Errorf("%q comes back as %q (%v)", theirs, again, err)
		}
		if why := Differing(about, theirs); !isLine(why) || bytes.Equal(about, theirs) && why != "" {
			t.Errorf("%q differs in %q", theirs, why)
		}
	})
}
