package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

const benchDim, benchRows = 100, 1000

// constant is an objective that costs nothing and tells.
type constant struct{}

func (constant) Dim() int                                              { return benchDim }
func (constant) Evaluate(context.Context, *mat.Dense, []float64) error { return errors.New("tells") }
func (constant) Each(_ context.Context, _ *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	for i := range values {
		values[i] = 1
		tell(i, objective.Answer{Value: 1, Seconds: 1})
	}
	return nil
}

// cpu returns how long this process has had a processor, which says more than the clock where
// others use the machine too.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecord is the cost of a journal: compare "journal" with "bytes", which writes the
// same number of bytes to a file. Each operation is one query.
func BenchmarkRecord(b *testing.B) {
	dir := os.Getenv("UNTWIST_BENCH_FOLDER") // "": where temporary files are
	if dir == "" {
		dir = b.TempDir()
	}
	points := mat.NewDense(benchRows, benchDim, nil)
	const limit = 1 << 28 // files start again at this length
	for _, hashed := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal/hashed=%v", hashed), func(b *testing.B) {
			b.ReportAllocs()
			var size, queries int64
			values := make([]float64, benchRows)
			file := filepath.Join(dir, "bench.journal")
			h := theHeader()
			h.Dim = benchDim
			var j *Journal
			var o *Objective
			open := func() {
				os.Remove(file)
				var err error
				if j, err = Open(Config{File: file, HashPoints: hashed}, h); err != nil {
					b.Fatal(err)
				}
				o = j.Wrap(constant{})
			}
			open()
			before := cpu()
			b.ResetTimer()
			for i := 0; i < b.N; i += benchRows {
				if err := o.Evaluate(b.Context(), points, values); err != nil {
					b.Fatal(err)
				}
				size, queries = j.writer.end, int64(j.writer.queries)
				if size > limit {
					b.StopTimer()
					mustClose(b, j)
					open()
					b.StartTimer()
				}
			}
			b.StopTimer()
			mustClose(b, j)
			b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(size)/float64(queries), "bytes/query")
		})
		b.Run(fmt.Sprintf("bytes/hashed=%v", hashed), func(b *testing.B) {
			bytes := benchRows * (8*(benchDim+1) + 6)
			if hashed {
				bytes = benchRows * 22
			}
			data := make([]byte, bytes)
			f, err := os.Create(filepath.Join(dir, "bench.bytes"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			at, before := int64(0), cpu()
			b.ResetTimer()
			for i := 0; i < b.N; i += benchRows {
				if _, err := f.WriteAt(data, at); err != nil {
					b.Fatal(err)
				}
				if at += int64(len(data)); at > limit {
					b.StopTimer()
					at = 0
					f.Truncate(0)
					b.StartTimer()
				}
			}
			b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkReplay is what a query costs that is answered from the record.
func BenchmarkReplay(b *testing.B) {
	for _, c := range []struct {
		rows, batches int
		hashed        bool
	}{{benchRows, 50, false}, {benchRows, 50, true}, {1, 5000, false}, {1, 5000, true}} {
		b.Run(fmt.Sprintf("rows=%d/hashed=%v", c.rows, c.hashed), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "run.journal")
			h := theHeader()
			h.Dim = benchDim
			j, err := Open(Config{File: file, HashPoints: c.hashed}, h)
			if err != nil {
				b.Fatal(err)
			}
			defer mustClose(b, j)
			points, values := mat.NewDense(c.rows, benchDim, nil), make([]float64, c.rows)
			o := j.Wrap(constant{})
			for range c.batches {
				if err := o.Evaluate(b.Context(), points, values); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += c.rows {
				if i/c.rows%c.batches == 0 {
					o = j.Wrap(constant{})
				}
				if err := o.Evaluate(b.Context(), points, values); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
