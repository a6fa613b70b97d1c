package journal

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// The oracle keeps every frame.
func TestIndexFindsWhatANaiveOneFinds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var x index
		type frame struct{ at, end, least, greatest int }
		var frames []frame
		at := 100
		for range rapid.IntRange(0, 60).Draw(r, "frames") {
			at += rapid.SampledFrom([]int{0, 0, 0, 50}).Draw(r, "gap") // an amended header
			least := rapid.IntRange(1, 200).Draw(r, "least")
			f := frame{at, at + rapid.IntRange(30, stretchBytes).Draw(r, "bytes"), least, least + rapid.IntRange(0, 30).Draw(r, "more")}
			frames = append(frames, f)
			x.add(int64(f.at), int64(f.end), f.least, f.greatest)
			at = f.end
		}
		first := rapid.IntRange(1, 250).Draw(r, "first")
		last := first + rapid.IntRange(0, 50).Draw(r, "more")
		found := x.among(first, last)
		for _, f := range frames {
			if f.least > last || f.greatest < first {
				continue
			}
			ok := false
			for _, s := range found {
				ok = ok || int64(f.at) >= s.at && int64(f.end) <= s.end && s.least <= f.least && s.greatest >= f.greatest
			}
			if !ok {
				r.Fatalf("%+v is not found for %d to %d in %+v", f, first, last, found)
			}
		}
	})
}

func TestTheIndexStaysSmall(t *testing.T) {
	var x index
	for i := range 1_000_000 { // pages of one query of one number
		x.add(int64(100+60*i), int64(160+60*i), i+1, i+1)
	}
	if n := len(x.stretches); n > 1000 {
		t.Errorf("%d entries for 60 MB", n)
	}
	if found := x.among(500_000, 500_010); len(found) > 2 {
		t.Errorf("%d stretches for 11 queries", len(found))
	}
}

// A file that was changed while it is open.
func TestWhatChangesUnderOurHands(t *testing.T) {
	for _, change := range []func(data []byte) []byte{
		func(data []byte) []byte { data[len(data)-10] ^= 1; return data },
		func(data []byte) []byte { return data[:len(data)-1] },
	} {
		file := makeJournal(t, Config{}, theBatches)
		j := mustOpen(t, Config{File: file})
		write(t, file, change(contents(t, file)))
		values := make([]float64, theQueries)
		o := j.Wrap(&function{})
		if err := o.Evaluate(t.Context(), someBatch(1, theQueries), values); !errors.Is(err, errChanged) || query.Evaluated(values, err) != 0 {
			t.Error(err)
		}
		j.Close() // which says that the file was cut, if it was
	}
}

// Sizes that are promised: d = 100.
func TestSizes(t *testing.T) {
	const d = 100
	noted := objective.Answer{Value: 1, Seconds: 1, By: "some-host.example.org:17"}
	for _, c := range []struct {
		n      int
		hashed bool
		most   int // bytes a query
	}{
		{1000, false, 8*(d+1) + 24},
		{1000, true, 40},
		{1, false, 8*(d+1) + 24 + 64},
		{1, true, 40 + 64},
	} {
		g := group{hashed: c.hashed}
		x := make([]float64, d)
		for i := range c.n {
			g.add(2_000_000_000+i, x, noted)
		}
		frame, _ := sealFrame(g.append(beginFrame(nil), d), 1, 1)
		if len(frame) > c.n*c.most {
			t.Errorf("%d queries, hashed %v: %.1f bytes each, want %d", c.n, c.hashed, float64(len(frame))/float64(c.n), c.most)
		}
		if int64(len(frame)) > g.mostBytes(c.n, d) {
			t.Errorf("%d queries: %d bytes, and %d are reserved", c.n, len(frame), g.mostBytes(c.n, d))
		}
		t.Logf("%d queries, hashed %v: %.1f bytes each", c.n, c.hashed, float64(len(frame))/float64(c.n))
	}
}

// However an answer looks, there is room for it.
func TestReservationsSuffice(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(r, "d")
		g := group{hashed: rapid.Bool().Draw(r, "hashed")}
		text := rapid.StringN(0, -1, 400)
		n := rapid.IntRange(1, 4).Draw(r, "n")
		for i := range n {
			a := objective.Answer{Value: 1, Seconds: 2, By: text.Draw(r, "by"), Failure: &objective.Failure{Detail: text.Draw(r, "detail")}}
			g.add(mostQuery-n+i, make([]float64, d), kept(a))
		}
		frame, _ := sealFrame(g.append(beginFrame(nil), d), 1, 1)
		if int64(len(frame)) > g.mostBytes(n, d) {
			r.Errorf("%d bytes, and %d are reserved", len(frame), g.mostBytes(n, d))
		}
	})
}

// Points that differ in one coordinate have different hashes, and single bits matter.
func TestHashes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64(), 1, 6).Draw(r, "x")
		k := rapid.IntRange(0, len(x)-1).Draw(r, "k")
		before := hashPoint(x)
		x[k] = math.Float64frombits(math.Float64bits(x[k]) ^ 1<<rapid.IntRange(0, 63).Draw(r, "bit"))
		if hashPoint(x) == before {
			r.Errorf("%v", x)
		}
	})
	seen := map[uint64][]float64{}
	for i := range 100 {
		for k := range 100 {
			x := []float64{float64(i), float64(k)}
			if h := hashPoint(x); seen[h] != nil {
				t.Fatalf("%v and %v", seen[h], x)
			} else {
				seen[h] = x
			}
		}
	}
	if hashPoint([]float64{0}) == hashPoint([]float64{math.Copysign(0, -1)}) || hashPoint([]float64{0}) == hashPoint([]float64{0, 0}) {
		t.Error("zeros")
	}
}

// A batch that is much longer than a page.
func TestLongBatches(t *testing.T) {
	const d, n = 50, 10_000
	h := theHeader()
	h.Dim = d
	file := inFolder(t)
	points := mat.NewDense(n, d, nil)
	for i := range n {
		points.Set(i, i%d, float64(i))
	}
	f := objective.Func(d, func(x []float64) float64 { return x[0] + float64(2*x[d-1]) })
	var want []float64
	for life := range 2 {
		j, err := Open(Config{File: file}, h)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, n)
		o := j.Wrap(f)
		if err := o.Evaluate(t.Context(), points, values); err != nil {
			t.Fatal(err)
		}
		if life == 0 {
			want = values
			if frames := j.writer.sequence; frames < 4 {
				t.Errorf("%d frames", frames)
			}
		} else if o.Resumed() != n {
			t.Errorf("resumed %d", o.Resumed())
		}
		for i, v := range values {
			if v != want[i] {
				t.Fatalf("query %d: %v, want %v", i+1, v, want[i])
			}
		}
		mustClose(t, j)
	}
}

// A reader sees every frame whole or not at all.
func TestReadingDuringARun(t *testing.T) {
	file := inFolder(t)
	j := mustOpen(t, Config{File: file})
	done, read := make(chan struct{}), make(chan error, 1)
	go func() {
		last := 0
		for {
			s, err := Read(file, nil)
			if err == nil && s.Queries < last {
				err = fmt.Errorf("%d queries after %d", s.Queries, last)
			}
			last = s.Queries
			if err != nil {
				read <- err
				return
			}
			select {
			case <-done:
				read <- nil
				return
			default:
			}
		}
	}()
	batches := make([]int, 300)
	for i := range batches {
		batches[i] = 1 + i%7
	}
	runAll(t, j.Wrap(&function{}), batches)
	close(done)
	if err := <-read; err != nil {
		t.Error(err)
	}
}
