package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
)

// aJournal returns the frames of a journal of theBatches, the first with the preamble. With
// lies it is that of another run, which has other values for the same points.
func aJournal(lies bool) (frames [][]byte) {
	h, o := theHeader(), origin{began: time.Unix(1, 0)}
	if lies {
		h.About = bytes.Replace(h.About, []byte(`"Seed":1`), []byte(`"Seed":2`), 1)
	}
	start := preamble()
	previous := checksum(start)
	frame, sum := sealFrame(appendHeader(beginFrame(nil), h, o), 0, previous)
	frames = append(frames, append(start, frame...))
	number := 1
	for i, n := range theBatches {
		g := group{hashed: i%2 == 1}
		for range n {
			a := theAnswer(thePoint(number))
			if lies {
				a.Value++
			}
			g.add(number, thePoint(number), a)
			number++
		}
		frame, sum = sealFrame(g.append(beginFrame(nil), dim), uint64(i+1), sum)
		frames = append(frames, frame)
	}
	return frames
}

// wantTruth checks that nothing of a file is taken that is not true, whatever is in it.
// Whatever is refused is not changed.
func wantTruth(t testing.TB, data []byte) {
	t.Helper()
	file := inFolder(t)
	write(t, file, data)
	var wrong []string
	s, readErr := Read(file, func(q Query) error {
		want := Query{q.Number, q.Point, theAnswer(thePoint(q.Number))}
		if q.Point != nil {
			want.Point = thePoint(q.Number)
		}
		if !cmp.Equal(q, want) {
			wrong = append(wrong, fmt.Sprintf("read %+v, want %+v", q, want))
		}
		return nil
	})
	if len(wrong) > 0 && len(Diff(s.About, theHeader().About)) == 0 { // what another run has is its own truth
		t.Error(wrong)
	}
	j, err := Open(Config{File: file}, theHeader())
	if err != nil {
		if !bytes.Equal(data, contents(t, file)) {
			t.Errorf("refused and changed: %v", err)
		}
		if _, left := os.Stat(file + ".lock"); left == nil {
			t.Errorf("refused, and the lock is left: %v", err)
		}
		return
	}
	if readErr == nil && s.Queries != j.Recorded() {
		t.Errorf("%d queries to read, and %d to resume", s.Queries, j.Recorded())
	}
	f := &function{}
	o := j.Wrap(f)
	runAll(t, o, theBatches)
	if len(f.asked)+o.Resumed() != theQueries {
		t.Errorf("asked %d and resumed %d", len(f.asked), o.Resumed())
	}
	mustClose(t, j)
}

// damage applies changes to a journal, as bytes tell it.
func damage(orders []byte) []byte {
	frames, others := aJournal(false), aJournal(true)
	next := func() int {
		if len(orders) == 0 {
			return 0
		}
		b := orders[0]
		orders = orders[1:]
		return int(b)
	}
	place := func(data []byte) int {
		if len(data) == 0 {
			return 0
		}
		return (next()<<8 | next()) % len(data)
	}
	which := func() int { return next() % len(frames) }
	for len(orders) > 0 && len(frames) > 0 && len(frames) < 40 {
		switch next() % 10 {
		case 0: // a bit flips
			i := which()
			f := slices.Clone(frames[i])
			if len(f) > 0 {
				f[place(f)] ^= 1 << (next() % 8)
			}
			frames[i] = f
		case 1: // the end is missing
			all := slices.Concat(frames...)
			frames = [][]byte{all[:place(all)]}
		case 2: // a frame is there twice
			i := which()
			frames = slices.Insert(frames, which(), frames[i])
		case 3: // two frames are swapped
			i, j := which(), which()
			frames[i], frames[j] = frames[j], frames[i]
		case 4: // two journals in one file
			frames = append(frames, aJournal(next()%2 == 1)...)
		case 5: // a frame of another journal
			frames = slices.Insert(frames, which(), others[next()%len(others)])
		case 6: // in place of our own
			i := which()
			frames[i] = others[i%len(others)]
		case 7: // a frame is missing
			i := which()
			frames = slices.Delete(frames, i, i+1)
		case 8: // something else
			junk := make([]byte, next())
			for i := range junk {
				junk[i] = byte(next())
			}
			frames = slices.Insert(frames, which(), junk)
		case 9: // zeros, as some file systems leave them
			i := which()
			f := slices.Clone(frames[i])
			clear(f[place(f):])
			frames[i] = f
		}
	}
	return slices.Concat(frames...)
}

func TestEveryFlippedBit(t *testing.T) {
	whole := slices.Concat(aJournal(false)...)
	step := 31
	if *flags.Whole {
		step = 1
	}
	for bit := 0; bit < 8*len(whole); bit += step {
		data := slices.Clone(whole)
		data[bit/8] ^= 1 << (bit % 8)
		wantTruth(t, data)
	}
}

func TestRandomDamage(t *testing.T) {
	n := 100
	if *flags.Whole {
		n = 20000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		orders := make([]byte, 1+r.IntN(12))
		for i := range orders {
			orders[i] = byte(r.Uint32())
		}
		wantTruth(t, damage(orders))
	}
}

// sealed returns a frame with another sequence number, behind another frame.
func sealed(frame []byte, sequence uint64, behind []byte) []byte {
	previous := binary.LittleEndian.Uint32(behind[len(behind)-sumBytes:])
	frame, _ = sealFrame(slices.Clone(frame[:len(frame)-sumBytes]), sequence, previous)
	return frame
}

// What happens to a file is known for these.
func TestWhichDamageIsRefused(t *testing.T) {
	a, b := aJournal(false), aJournal(true)
	at := func(n int) (offset int64) { // where frame n begins
		for _, f := range a[:n] {
			offset += int64(len(f))
		}
		return offset
	}
	flipped := slices.Clone(a[2])
	flipped[headBytes+3] ^= 4
	long := slices.Clone(a[2])
	binary.LittleEndian.PutUint32(long[4:], 1<<20)
	edit := func(change func(f [][]byte) [][]byte) []byte { return slices.Concat(change(slices.Clone(a))...) }
	for _, c := range []struct {
		about  string
		data   []byte
		offset int64 // where it is broken; 0: it is taken, up to so many queries
		taken  int
	}{
		{"as it was", edit(func(f [][]byte) [][]byte { return f }), 0, theQueries},
		{"a flipped bit", edit(func(f [][]byte) [][]byte { f[2] = flipped; return f }), at(2), 4},
		{"a flipped bit at the end", edit(func(f [][]byte) [][]byte { f[2] = flipped; return f[:3] }), 0, 4},
		{"a wrong length", edit(func(f [][]byte) [][]byte { f[2] = long; return f }), at(2), 4},
		{"a frame twice", edit(func(f [][]byte) [][]byte { return slices.Insert(f, 2, f[2]) }), at(3), 5},
		{"the last frame twice", edit(func(f [][]byte) [][]byte { return append(f, f[len(f)-1]) }), at(len(a)), theQueries},
		{"frames swapped", edit(func(f [][]byte) [][]byte { f[2], f[3] = f[3], f[2]; return f }), at(2), 4},
		{"a frame missing", edit(func(f [][]byte) [][]byte { return slices.Delete(f, 2, 3) }), at(2), 4},
		{"the last frame missing", edit(func(f [][]byte) [][]byte { return f[:len(f)-1] }), 0, theQueries - 3},
		{"two journals", edit(func(f [][]byte) [][]byte { return append(f, a...) }), at(len(a)), theQueries},
		{"another's frame", edit(func(f [][]byte) [][]byte { f[2] = b[2]; return f }), at(2), 4},
		{"another's last frame", edit(func(f [][]byte) [][]byte { f[len(f)-1] = b[len(f)-1]; return f }), at(len(a) - 1), theQueries - 3},
		{"zeros behind", edit(func(f [][]byte) [][]byte { return append(f, make([]byte, 9999)) }), 0, theQueries},
		{"a frame out of its turn", slices.Concat(a[0], a[1], sealed(a[2], 3, a[1])), at(2), 4},
		{"half a frame behind", edit(func(f [][]byte) [][]byte { return append(f, f[2][:30]) }), 0, theQueries},
	} {
		file := inFolder(t)
		write(t, file, c.data)
		s, readErr := Read(file, nil)
		j, err := Open(Config{File: file}, theHeader())
		for _, err := range []error{readErr, err} {
			var broken *BrokenError
			if errors.As(err, &broken) != (c.offset > 0) || broken != nil && (broken.Offset != c.offset || broken.Queries != c.taken) {
				t.Errorf("%s: %v", c.about, err)
			}
		}
		if s.Queries != c.taken {
			t.Errorf("%s: %d queries can be read, want %d", c.about, s.Queries, c.taken)
		}
		if err == nil {
			if j.Recorded() != c.taken {
				t.Errorf("%s: %d queries are recorded, want %d", c.about, j.Recorded(), c.taken)
			}
			mustClose(t, j)
			continue
		}
		// What the message tells to do helps.
		if err := os.Truncate(file, c.offset); err != nil {
			t.Fatal(err)
		}
		j = mustOpen(t, Config{File: file})
		o := j.Wrap(&function{})
		runAll(t, o, theBatches)
		if o.Resumed() != c.taken {
			t.Errorf("%s: resumed %d, want %d", c.about, o.Resumed(), c.taken)
		}
		mustClose(t, j)
	}
}

// No writer makes such a file.
func TestAQueryThatIsThereTwice(t *testing.T) {
	a := aJournal(false)
	file := inFolder(t)
	write(t, file, slices.Concat(a[0], a[1], sealed(a[1], 2, a[1])))
	j := mustOpen(t, Config{File: file})
	if err := tryAll(t, j.Wrap(&function{}), theBatches); err == nil || !strings.Contains(err.Error(), "has query 1 twice") {
		t.Error(err)
	}
}

// A later version may know kinds of failures that this one does not.
func TestAFailureOfAnUnknownKind(t *testing.T) {
	var g group
	g.add(1, thePoint(1), objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Kind: 200, Detail: "new"}})
	var p page
	if err := p.read(g.append(nil, dim), dim); err != nil {
		t.Fatal(err)
	}
	if f := p.answer(0).Failure; f == nil || f.Kind != objective.Errored || f.Detail != "new" {
		t.Errorf("the failure is %+v", f)
	}
	for _, kind := range objective.FailureKinds() {
		if kind > objective.Errored {
			t.Errorf("%v is above the kind that stands for others", kind)
		}
	}
}

// The header says that it is longer than the file, as if its program had been killed.
func TestAHeaderThatHidesQueries(t *testing.T) {
	data := slices.Concat(aJournal(false)...)
	binary.LittleEndian.PutUint32(data[preambleBytes+len(marker):], 1<<20)
	file := inFolder(t)
	write(t, file, data)
	var broken *BrokenError
	if _, err := Open(Config{File: file}, theHeader()); !errors.As(err, &broken) || !bytes.Equal(data, contents(t, file)) {
		t.Error(err)
	}
}

func TestAWholeFrameIsFoundAnywhere(t *testing.T) {
	frame := aJournal(false)[1]
	long := window(1 << 40)
	for at := long - 30; at < long+5; at++ {
		data := slices.Concat(make([]byte, at), frame, make([]byte, 10))
		found, err := scan(bytes.NewReader(data), int64(len(data))).whole(0)
		if !found || err != nil {
			t.Errorf("a frame at %d: found is %v, %v", at, found, err)
		}
		data[at+30] ^= 1
		if found, err := scan(bytes.NewReader(data), int64(len(data))).whole(0); found || err != nil {
			t.Errorf("a broken frame at %d: found is %v, %v", at, found, err)
		}
	}
}

func FuzzDamage(f *testing.F) {
	for kind := range byte(10) {
		f.Add([]byte{kind, 2, 0, 200, 3})
		f.Add([]byte{kind, 5, 1, 4, 3, 3, 1, 2, kind, 0})
	}
	f.Fuzz(func(t *testing.T, orders []byte) {
		if len(orders) > 200 {
			return
		}
		wantTruth(t, damage(orders))
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("x"))
	frames := aJournal(false)
	f.Add(slices.Concat(frames...))
	f.Add(frames[0])
	f.Add(frames[0][:20])
	f.Add(slices.Concat(frames...)[:400])
	f.Fuzz(func(t *testing.T, data []byte) { wantTruth(t, data) })
}

// FuzzPage reads payloads whose checksum is right. What is read and written again is the
// same.
func FuzzPage(f *testing.F) {
	for _, frame := range aJournal(false)[1:] {
		f.Add(frame[headBytes : len(frame)-sumBytes])
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var p page
		if p.read(payload, dim) != nil {
			return
		}
		g := group{hashed: p.hashed}
		for i, number := range p.numbers {
			x := p.point(i)
			if p.hashed {
				x = thePoint(1)
			} else if !p.has(i, x) {
				return // NaNs may lose bits
			}
			g.add(number, x, p.answer(i))
			g.entries[i].hash = 0
			if p.hashed {
				g.entries[i].hash = binary.LittleEndian.Uint64(p.points[8*i:])
			}
		}
		var again page
		if err := again.read(g.append(nil, dim), dim); err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(again.numbers, p.numbers) || !bytes.Equal(again.values, p.values) || !bytes.Equal(again.points, p.points) {
			t.Errorf("%+v became %+v", p, again)
		}
		for i := range p.numbers {
			a, b := p.answer(i), again.answer(i)
			if a.By != b.By || !cmp.Equal(a.Failure, b.Failure) {
				t.Errorf("%+v became %+v", a, b)
			}
		}
	})
}
