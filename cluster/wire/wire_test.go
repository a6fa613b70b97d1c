package wire

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// naiveChunk writes a chunk as docs/cluster.md describes it, field by field.
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
	for range rapid.IntRange(0, mostSkips).Draw(t, "skips") {
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
		"too many skips":      (&Chunk{First: 1, Dim: 1, Points: []float64{1}, Skip: slices.Repeat([]string{"a"}, mostSkips+1)}).Encode(),
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
		for range mostSkips {
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
		if more := (&Chunk{First: 1, Dim: d, Points: make([]float64, (n+1)*d)}).Encode(); n < MostPoints && len(more) < MostBytes-1000 {
			t.Errorf("d = %d: a point more than %d would fit", d, n)
		}
	}
}

// No message has a time in it, at which a clock shows something: only durations, which each
// machine measures by its own clock.
func TestMessagesHaveNoClock(t *testing.T) {
	var look func(path string, of reflect.Type)
	look = func(path string, of reflect.Type) {
		if of == reflect.TypeFor[time.Time]() || of == reflect.TypeFor[time.Duration]() {
			t.Errorf("%s is a %v", path, of)
			return
		}
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			look(path, of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				look(path+"."+of.Field(i).Name, of.Field(i).Type)
			}
		}
	}
	for _, message := range []any{Chunk{}, Values{}, Hello{}, Welcome{}, Receipt{}, Status{}} {
		look(reflect.TypeOf(message).Name(), reflect.TypeOf(message))
	}
}
