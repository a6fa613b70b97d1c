package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// naiveChunk writes a chunk as MESSAGES.md describes it, field by field.
func naiveChunk(c *Chunk) []byte {
	var b bytes.Buffer
	put := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	b.WriteString("utw\x01C")
	put(c.Run)
	put(uint64(c.First))
	put(uint32(len(c.Points) / c.Dim))
	put(uint32(c.Dim))
	put(uint8(len(c.Skip)))
	for _, s := range c.Skip {
		put(uint8(len(s)))
		b.WriteString(s)
	}
	put(c.Points)
	put(crc32.Checksum(b.Bytes(), crc32.MakeTable(crc32.Castagnoli)))
	return b.Bytes()
}

// naiveValues writes values likewise. Each failure has an entry of its own, unless it is
// the same as one before.
func naiveValues(v *Values) []byte {
	var b, reasons bytes.Buffer
	put := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	b.WriteString("utw\x01V")
	put(v.Run)
	put(uint8(len(v.Worker)))
	b.WriteString(v.Worker)
	put(uint64(v.First))
	put(uint32(len(v.Answers)))
	var seen []objective.Failure
	for _, a := range v.Answers {
		note := 0
		if a.Failure != nil {
			if note = slices.Index(seen, *a.Failure) + 1; note == 0 {
				seen = append(seen, *a.Failure)
				note = len(seen)
				reasons.Write([]byte{byte(a.Failure.Kind), byte(len(a.Failure.Detail))})
				reasons.WriteString(a.Failure.Detail)
			}
		}
		put(uint32(a.Offset))
		put(a.Check)
		put(a.Value)
		put(a.Seconds)
		put(uint16(note))
		put([6]byte{})
	}
	put(uint16(len(seen)))
	b.Write(reasons.Bytes())
	put(crc32.Checksum(b.Bytes(), crc32.MakeTable(crc32.Castagnoli)))
	return b.Bytes()
}

var names = rapid.StringMatching(`[A-Za-z0-9._-]{1,64}`)

func drawChunk(t *rapid.T) *Chunk {
	c := &Chunk{First: rapid.IntRange(1, 1<<53).Draw(t, "first"), Dim: rapid.IntRange(1, 9).Draw(t, "d")}
	copy(c.Run[:], rapid.SliceOfN(rapid.Byte(), runBytes, runBytes).Draw(t, "run"))
	n := rapid.IntRange(1, 20).Draw(t, "n")
	for range n * c.Dim {
		c.Points = append(c.Points, math.Float64frombits(rapid.Uint64().Draw(t, "x")))
	}
	for range rapid.IntRange(0, MostSkips).Draw(t, "skips") {
		c.Skip = append(c.Skip, names.Draw(t, "skip"))
	}
	return c
}

func drawValues(t *rapid.T) *Values {
	v := &Values{First: rapid.IntRange(1, 1<<53).Draw(t, "first"), Worker: names.Draw(t, "worker")}
	copy(v.Run[:], rapid.SliceOfN(rapid.Byte(), runBytes, runBytes).Draw(t, "run"))
	offset := -1
	for range rapid.IntRange(1, 20).Draw(t, "n") {
		offset += rapid.IntRange(1, 40).Draw(t, "step")
		a := Answer{Offset: offset, Check: rapid.Uint32().Draw(t, "check")}
		a.Value, a.Seconds, a.By = rapid.Float64Max(math.MaxFloat64).Draw(t, "value"), rapid.Float64Range(0, 1e6).Draw(t, "seconds"), v.Worker
		if rapid.Bool().Draw(t, "failed") {
			a.Value = math.Inf(1)
			a.Failure = &objective.Failure{
				Kind:   rapid.SampledFrom(objective.FailureKinds()).Draw(t, "kind"),
				Detail: rapid.SampledFrom([]string{"", "diverged", "exit status 3: no mesh", "größer"}).Draw(t, "detail"),
			}
		}
		v.Answers = append(v.Answers, a)
	}
	return v
}

// Messages are written as described, and read back to the same bits.
func TestMessagesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChunk(t)
		message := c.Encode()
		if !bytes.Equal(message, naiveChunk(c)) {
			t.Fatalf("%+v is written as\n%x, described as\n%x", c, message, naiveChunk(c))
		}
		got, err := DecodeChunk(message)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Encode(), message) { // NaN is not equal to itself
			t.Fatalf("%+v comes back as %+v", c, got)
		}
		v := drawValues(t)
		message = v.Encode()
		if !bytes.Equal(message, naiveValues(v)) {
			t.Fatalf("%+v is written as\n%x, described as\n%x", v, message, naiveValues(v))
		}
		back, err := DecodeValues(message)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, v) {
			t.Fatalf("%+v comes back as %+v", v, back)
		}
	})
}

// No bit of a message can be flipped, and nothing cut off or added, without being noticed.
func TestDamagedMessagesAreNoticed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, v := drawChunk(t).Encode(), drawValues(t).Encode()
		for _, m := range [][]byte{c, v} {
			damaged := slices.Clone(m)
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				bit := rapid.IntRange(0, 8*len(m)-1).Draw(t, "bit")
				damaged[bit/8] ^= 1 << (bit % 8)
			case 1:
				damaged = damaged[:rapid.IntRange(0, len(m)-1).Draw(t, "length")]
			case 2:
				damaged = append(damaged, rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "more")...)
			}
			if _, err := DecodeChunk(damaged); err == nil {
				t.Fatal("a damaged chunk was taken")
			}
			if _, err := DecodeValues(damaged); err == nil {
				t.Fatal("damaged values were taken")
			}
		}
	})
}

// What a coordinator or a worker would not have sent is refused, although its checksum is
// right.
func TestUnlikelyMessagesAreRefused(t *testing.T) {
	inf := objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Detail: "x"}}
	for name, message := range map[string][]byte{
		"no points":           (&Chunk{First: 1, Dim: 2}).Encode(),
		"no first":            (&Chunk{First: 0, Dim: 1, Points: []float64{1}}).Encode(),
		"too many points":     (&Chunk{First: 1, Dim: 1, Points: make([]float64, MostPoints+1)}).Encode(),
		"half a point":        (&Chunk{First: 1, Dim: 2, Points: make([]float64, 3)}).Encode(),
		"points too long":     (&Chunk{First: 1, Dim: MostDim + 1, Points: make([]float64, MostDim+1)}).Encode(),
		"too long":            (&Chunk{First: 1, Dim: MostBytes / 8, Points: make([]float64, 2*MostBytes/8)}).Encode(),
		"too many skips":      (&Chunk{First: 1, Dim: 1, Points: []float64{1}, Skip: slices.Repeat([]string{"a"}, MostSkips+1)}).Encode(),
		"a strange name":      (&Chunk{First: 1, Dim: 1, Points: []float64{1}, Skip: []string{"a b"}}).Encode(),
		"values of nobody":    (&Values{First: 1, Answers: []Answer{{}}}).Encode(),
		"no values":           (&Values{First: 1, Worker: "a"}).Encode(),
		"not a number":        (&Values{First: 1, Worker: "a", Answers: []Answer{{Answer: objective.Answer{Value: math.NaN()}}}}).Encode(),
		"no reason":           (&Values{First: 1, Worker: "a", Answers: []Answer{{Answer: objective.Answer{Value: math.Inf(1)}}}}).Encode(),
		"a needless reason":   (&Values{First: 1, Worker: "a", Answers: []Answer{{Answer: objective.Answer{Value: 1, Failure: inf.Failure}}}}).Encode(),
		"a negative time":     (&Values{First: 1, Worker: "a", Answers: []Answer{{Answer: objective.Answer{Seconds: -1}}}}).Encode(),
		"no order":            (&Values{First: 1, Worker: "a", Answers: []Answer{{Offset: 1}, {Offset: 1}}}).Encode(),
		"a point far away":    (&Values{First: 1, Worker: "a", Answers: []Answer{{Offset: MostPoints}}}).Encode(),
		"a kind of no chunk":  (&Values{First: 1, Worker: "a", Answers: []Answer{{Answer: objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Kind: 77}}}}}).Encode(),
		"something different": []byte("HTTP/1.1 200 OK\r\n\r\n0123456789"),
	} {
		if c, err := DecodeChunk(message); err == nil {
			t.Errorf("%s: the chunk %+v was taken", name, c)
		}
		if v, err := DecodeValues(message); err == nil {
			t.Errorf("%s: the values %+v were taken", name, v)
		}
	}
}

// Messages stay below 256 KiB: chunks as large as they are cut, and their values, every one
// of which has failed with long words of its own. A single point may be longer.
func TestMessagesAreShort(t *testing.T) {
	for _, d := range []int{1, 2, 30, 100, 1000, 10_000, 30_000} {
		n := Fits(d)
		c := Chunk{First: 1, Dim: d, Points: make([]float64, n*d)}
		for range MostSkips {
			c.Skip = append(c.Skip, string(bytes.Repeat([]byte("w"), longestName)))
		}
		v := Values{First: 1, Worker: c.Skip[0]}
		for i := range n {
			words := bytes.Repeat([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676)}, 100)
			v.Answers = append(v.Answers, Answer{Offset: i, Answer: objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Detail: string(words)}}})
		}
		for _, message := range [][]byte{c.Encode(), v.Encode()} {
			if len(message) > MostBytes {
				t.Errorf("d = %d, %d points: a message of %d bytes", d, n, len(message))
			}
		}
		if more := (&Chunk{First: 1, Dim: d, Points: make([]float64, (n+1)*d), Skip: c.Skip}).Encode(); n < MostPoints && len(more) <= MostBytes {
			t.Errorf("d = %d: a point more than %d would fit", d, n)
		}
	}
}

// A short message that unpacks to a long or deep description is refused. (To compare a deep
// one would take more stack than there is.)
func TestHostileDescriptionsAreRefused(t *testing.T) {
	deep := func(n int) []byte { return bytes.Repeat([]byte("["), n) }
	nested := slices.Concat(deep(20_000), bytes.Repeat([]byte("]"), 20_000))
	for want, packed := range map[string][]byte{
		"much longer than the run's":          Pack(make([]byte, 2<<20)),
		"which has 63 bytes":                  Pack(append([]byte{'['}, bytes.Repeat([]byte("0,"), 1<<20)...)),
		"a description that is not JSON":      Pack(deep(60_000)),
		"is not JSON":                         Pack(nested),
		"that cannot be unpacked":             Pack(about)[:30],
		"a description that cannot be unpack": about,
	} {
		if about, err := Unpack(packed, about); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes were unpacked (%v); want %q", len(about), err, want)
		}
	}
	if theirs, err := Unpack(Pack([]byte(`{"Objective":"another"}`)), about); err != nil || Differing(about, theirs) == "" {
		t.Errorf("%s, %v", theirs, err)
	}
	long := slices.Concat([]byte(`{"`), bytes.Repeat([]byte("k"), 50_000), []byte(`":1}`))
	ours, theirs := `{"Program":{"Contents":{"sim.py":"1","the template of deck.inp":"2"}}}`, `{"Program":{"Contents":{"sim.py":"1","the template of deck.inp":"3"}}}`
	if why := Differing([]byte(ours), []byte(theirs)); !strings.HasSuffix(why, ": the template of deck.inp differs from the coordinator's") {
		t.Error(why)
	}
	if why := Differing(about, long); len(why) > LongestWords {
		t.Errorf("%d bytes about a difference", len(why))
	}
}

// Large and deep JSON is refused, whatever it is sent for, in a line that can be shown.
func TestHostileJSONIsRefused(t *testing.T) {
	for name, message := range map[string]string{
		"deep":          `{"Version":1,"Worker":` + strings.Repeat("[", 1<<19),
		"deep objects":  strings.Repeat(`{"Version":`, 1<<16) + "1" + strings.Repeat("}", 1<<16),
		"a long key":    `{"Version":1,"` + strings.Repeat("k", 1<<19) + `":1}`,
		"a long number": `{"Version":` + strings.Repeat("9", 1<<19) + `}`,
		"a long text":   `{"Version":"` + strings.Repeat("9", 1<<19) + `"}`,
		"too long":      `{"Version":1` + strings.Repeat(" ", LongestMessage) + `}`,
		"a control":     "{\"\x1b[2J\u009b\":1}",
		"two":           `{"Version":1} {"Version":1}`,
		"a list":        `[1]`,
		"another":       `{"Version":2,"Run":7}`,
	} {
		for what, decode := range map[string]func([]byte) error{
			"hello":   func(m []byte) error { _, err := DecodeHello(m); return err },
			"welcome": func(m []byte) error { _, _, err := DecodeWelcome(m); return err },
			"receipt": func(m []byte) error { _, err := DecodeReceipt(m); return err },
			"status":  func(m []byte) error { _, err := DecodeStatus(m); return err },
		} {
			err := decode([]byte(message))
			if err == nil {
				t.Errorf("%s was taken for a %s", name, what)
				continue
			}
			wantWords(t, err)
			if name == "another" && what != "receipt" && !strings.Contains(err.Error(), "use the same program everywhere") {
				t.Errorf("a %s of another version: %v", what, err)
			}
		}
	}
}

// What no worker and no coordinator would say in JSON is refused.
func TestUnlikelyGreetingsAreRefused(t *testing.T) {
	hello := func(change func(*Hello)) error {
		h := Hello{Version: Version, Worker: "a", Procs: 1, Digest: DigestOf(about)}
		change(&h)
		_, err := DecodeHello(h.Encode())
		return err
	}
	status := func(change func(*Status, *WorkerStatus)) error {
		s := Status{Version: Version, Run: RunID{1}.String(), Workers: []WorkerStatus{{Name: "a", Procs: 1}}}
		change(&s, &s.Workers[0])
		_, err := DecodeStatus(s.Encode())
		return err
	}
	receipt := func(r Receipt) error { _, err := DecodeReceipt(r.Encode()); return err }
	if err := errors.Join(hello(func(*Hello) {}), status(func(*Status, *WorkerStatus) {}), receipt(Receipt{Kept: true})); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no name":             hello(func(h *Hello) { h.Worker = "" }),
		"a strange name":      hello(func(h *Hello) { h.Worker = "../a" }),
		"a long name":         hello(func(h *Hello) { h.Worker = strings.Repeat("a", longestName+1) }),
		"no processes":        hello(func(h *Hello) { h.Procs = 0 }),
		"too many processes":  hello(func(h *Hello) { h.Procs = MostProcs + 1 }),
		"too many chunks":     hello(func(h *Hello) { h.Working = slices.Repeat([]int{1}, mostWorking+1) }),
		"a strange chunk":     hello(func(h *Hello) { h.Working = []int{-1} }),
		"a strange query":     hello(func(h *Hello) { h.Query = -1 }),
		"a short digest":      hello(func(h *Hello) { h.Digest = "ab" }),
		"a strange digest":    hello(func(h *Hello) { h.Digest = strings.Repeat("x", 64) }),
		"nothing":             receipt(Receipt{}),
		"kept and later":      receipt(Receipt{Kept: true, Later: true}),
		"kept and refused":    receipt(Receipt{Kept: true, Refused: "no"}),
		"later and refused":   receipt(Receipt{Later: true, Refused: "no"}),
		"a strange run":       status(func(s *Status, _ *WorkerStatus) { s.Run = "x" }),
		"less than no chunks": status(func(s *Status, _ *WorkerStatus) { s.Out = -1 }),
		"a strange worker":    status(func(_ *Status, w *WorkerStatus) { w.Name = "a b" }),
		"less than no points": status(func(_ *Status, w *WorkerStatus) { w.Points = -1 }),
		"a negative rate":     status(func(_ *Status, w *WorkerStatus) { w.Rate = -1 }),
		"a crowd":             status(func(_ *Status, w *WorkerStatus) { w.Procs = MostProcs + 1 }),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// Each thing that can be wrong with a message is what is said about it, where everything
// else is right.
func TestWhatIsWrong(t *testing.T) {
	sum := func(body []byte) []byte {
		return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	}
	values := (&Values{First: 1, Worker: "a", Answers: []Answer{{Answer: objective.Answer{Value: 1}}}}).Encode()
	body := func(change func(b []byte) []byte) []byte {
		return sum(change(slices.Clone(values[:len(values)-sumBytes])))
	}
	reasons := func(m byte, all ...byte) func([]byte) []byte {
		return func(b []byte) []byte { return append(append(b[:len(b)-2], m, 0), all...) }
	}
	// where an answer says which reason it has
	const note = headBytes + 2 + 8 + 4 + 24
	failed := func(which byte) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[note-16:], math.Float64bits(math.Inf(1)))
			b[note] = which
			return b
		}
	}
	hello := string(Hello{Version: Version, Worker: "a", Procs: 1, Digest: DigestOf(about)}.Encode())
	welcome := Welcome{Version: Version, Run: RunID{1}.String(), Dim: 2}
	welcomes := func(change func(*Welcome)) []byte { w := welcome; change(&w); return w.Encode() }
	decoders := map[string]func([]byte) error{
		"values":  func(m []byte) error { _, err := DecodeValues(m); return err },
		"hello":   func(m []byte) error { _, err := DecodeHello(m); return err },
		"welcome": func(m []byte) error { _, _, err := DecodeWelcome(m); return err },
	}
	for _, c := range []struct {
		what    string
		message []byte
		wrong   string // "": nothing
	}{
		{"values", values, ""},
		{"values", body(func(b []byte) []byte { b[0] = 'X'; return b }), "not one of ours"},
		{"values", body(func(b []byte) []byte { b[3] = 2; return b }), "its format has version 2, and this program speaks version 1"},
		{"values", body(func(b []byte) []byte { b[4] = 'C'; return b }), `of the kind 'C', not 'V'`},
		{"values", body(func(b []byte) []byte { b[headBytes] = 200; return b }), "too short"},
		{"values", body(func(b []byte) []byte { return b[:len(b)-1] }), "too short"},
		{"values", body(func(b []byte) []byte { return append(b, 0) }), "1 bytes are left over"},
		{"values", body(reasons(2, 0, 0, 0, 0)), "2 reasons for failures of 1 points"},
		{"values", body(reasons(1, 0, 1, '\n')), "not one line"},
		{"values", body(reasons(1, 0, 9, 'x')), "too short"},
		{"values", body(reasons(1, 9, 0)), "a failure of the kind 9"},
		{"values", body(failed(1)), "a failure without a reason"},
		{"values", body(failed(0)), "nobody says why"},
		{"hello", []byte(hello), ""},
		{"hello", []byte(hello + strings.Repeat(" ", LongestMessage-len(hello))), ""},
		{"hello", []byte(hello + strings.Repeat(" ", LongestMessage-len(hello)+1)), "1048577 bytes; at most 1048576 are allowed"},
		{"hello", []byte(hello + "{}"), "more than one JSON value"},
		{"hello", []byte(strings.Replace(hello, "{", `{"Command":"rm",`, 1)), `unknown field "Command"`},
		{"welcome", welcomes(func(*Welcome) {}), ""},
		{"welcome", welcomes(func(w *Welcome) { w.Run = "1.2" }), "not the ID of a run"},
		{"welcome", welcomes(func(w *Welcome) { w.Dim = 0 }), "points of 0 numbers"},
		{"welcome", welcomes(func(w *Welcome) { w.Dim = MostDim + 1 }), "points of 130001 numbers"},
		{"welcome", welcomes(func(w *Welcome) { w.Needless = []int{0} }), "cannot be needless"},
	} {
		err := decoders[c.what](c.message)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %v; want %q", c.what, err, c.wrong)
		}
	}
}
