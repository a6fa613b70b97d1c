package program

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
)

func init() { programs["fast"] = fast }

// fast answers with the first coordinate of every point: lines, or binary with so many
// coordinates.
func fast(args []string) {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriterSize(os.Stdout, 1<<16)
	defer out.Flush()
	if args[0] == string(Lines) {
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			for i, b := range line {
				if b == ' ' || b == '\n' {
					out.Write(line[:i])
					break
				}
			}
			out.WriteByte('\n')
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
	}
	d, err := strconv.Atoi(args[1])
	if err != nil {
		panic(err)
	}
	var header [4]byte
	point := make([]byte, 8*d)
	for {
		if _, err := io.ReadFull(in, header[:]); err != nil {
			return
		}
		for range binary.LittleEndian.Uint32(header[:]) {
			if _, err := io.ReadFull(in, point); err != nil {
				return
			}
			out.Write(point[:8])
		}
		out.Flush()
	}
}

// Queries a second, in batches of 10,000.
func BenchmarkKept(b *testing.B) {
	for _, c := range []struct {
		protocol Protocol
		d        int
	}{{Lines, 100}, {Lines, 2}, {Binary, 2}, {Binary, 100}} {
		b.Run(string(c.protocol)+", d = "+strconv.Itoa(c.d), func(b *testing.B) {
			b.ReportAllocs()
			const n = 10000
			r := newRig(b, Config{Protocol: c.protocol, Names: names(c.d), Exec: as(b, "fast", string(c.protocol), strconv.Itoa(c.d))}, short)
			points := scattered(n, c.d)
			q := newQueue(b.Context(), points, 1, func(int, objective.Answer) {})
			for b.Loop() {
				q.next = 0
				if err := q.run(b.Context(), r.slots); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "queries/s")
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	points := scattered(100, 100)
	jobs := []job{{query: 17, point: points.RawRowView(0)}}
	for name, d := range map[string]dialect{"lines": lines{}, "json": newJSONLines(names(100)), "binary": binaries{}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var text []byte
			for b.Loop() {
				text, _ = d.encode(text[:0], jobs)
			}
		})
	}
}

// Neither memory nor anything else grows with the number of queries.
func TestFiveMillionQueries(t *testing.T) {
	if !*flags.Whole {
		t.Skip("takes a minute: -whole")
	}
	const n, rounds = 10000, 500
	for _, protocol := range []Protocol{Lines, Binary} {
		r := newRig(t, Config{Protocol: protocol, Names: names(2), Exec: as(t, "fast", string(protocol), "2")}, short)
		points := scattered(n, 2)
		wrong := 0
		q := newQueue(t.Context(), points, 1, func(i int, a objective.Answer) {
			if math.Float64bits(a.Value) != math.Float64bits(points.At(i, 0)) {
				wrong++
			}
		})
		heap := func() int {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		before := 0
		for i := range rounds {
			q.next = 0
			if err := q.run(t.Context(), r.slots); err != nil {
				t.Fatal(err)
			}
			if i == 10 {
				before = heap()
			}
		}
		if after := heap(); after > before+1<<20 || wrong > 0 {
			t.Errorf("%s: %d bytes, then %d; %d wrong answers", protocol, before, after, wrong)
		}
	}
}
