package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A crowd is a coordinator with workers, for measurements.
type crowd struct {
	*Coordinator
	server *Server
	ended  chan error
	asked  int
}

func newCrowd(b *testing.B, d int, procs []int, f func(worker, proc int, x []float64) float64) *crowd {
	b.Helper()
	run := RunID{8}
	server, err := Listen(run, "127.0.0.1:0", Access{})
	if err != nil {
		b.Fatal(err)
	}
	c := &crowd{server: server, ended: make(chan error, len(procs))}
	if c.Coordinator, err = server.Coordinate(Config{Run: run, Dim: d, About: about}); err != nil {
		b.Fatal(err)
	}
	for i, n := range procs {
		go func() {
			c.ended <- Work(context.Background(), WorkerConfig{
				Server: server.URL(), About: about, Dim: d, Procs: n,
				Open: func(proc int) (objective.Objective, error) {
					return objective.Func(d, func(x []float64) float64 { return f(i, proc, x) }), nil
				},
			})
		}()
	}
	all := 0
	for _, n := range procs {
		all += n
	}
	for looks := time.NewTicker(time.Millisecond); c.Status().Procs() < all; <-looks.C {
	}
	b.Cleanup(func() {
		c.Done()
		for range procs {
			if err := <-c.ended; err != nil {
				b.Error(err)
			}
		}
		server.Close()
	})
	return c
}

// ask asks for n values.
func (c *crowd) ask(b *testing.B, n int) {
	b.Helper()
	before := c.asked
	c.asked += n
	ctx := query.WithNumbers(context.Background(), func(i int) int { return before + i + 1 })
	if err := c.Evaluate(ctx, mat.NewDense(n, c.Dim(), nil), make([]float64, n)); err != nil {
		b.Fatal(err)
	}
}

// ones are n workers with a process each.
func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// cpu returns how long the cores have worked for this process.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Queries of a trivial function of 100 numbers through two workers, on one machine: in small
// batches, in pieces as a run asks for them, and in one large batch.
func BenchmarkQueries(b *testing.B) {
	for _, procs := range []int{1, 8} {
		for _, n := range []int{50, query.ChunkRows, 20_000} {
			b.Run(fmt.Sprintf("procs=%d/batch=%d", procs, n), func(b *testing.B) {
				c := newCrowd(b, 100, []int{procs, procs}, func(_, _ int, x []float64) float64 { return x[0] })
				c.ask(b, n)
				before := cpu(b)
				for b.Loop() {
					c.ask(b, n)
				}
				queries := float64(n) * float64(b.N)
				b.ReportMetric(queries/b.Elapsed().Seconds(), "queries/s")
				b.ReportMetric((cpu(b)-before).Seconds()*1e6/queries, "cpu-µs/query")
			})
		}
	}
}

// takes is an evaluation that takes so long.
func takes(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}

// 20,000 evaluations of 10 ms on 16 processes, in one batch and in pieces as a run asks for
// them: which share of the ideal speed is reached, and which share of their time the
// processes evaluate. The timers of a busy machine are late, so the first is less.
func BenchmarkSleepers(b *testing.B) {
	if testing.Short() {
		b.Skip("it takes a minute")
	}
	const all, procs, each = 20_000, 16, 10 * time.Millisecond
	for _, n := range []int{query.ChunkRows, all} {
		b.Run(fmt.Sprint("batch=", n), func(b *testing.B) {
			var busy atomic.Int64
			c := newCrowd(b, 10, []int{procs / 2, procs / 2}, func(_, _ int, x []float64) float64 {
				began := time.Now()
				takes(each)
				busy.Add(int64(time.Since(began)))
				return x[0]
			})
			c.ask(b, 2*procs)
			busy.Store(0)
			for b.Loop() {
				for left := all; left > 0; left -= n {
					c.ask(b, min(n, left))
				}
			}
			ideal := all / procs * each
			b.ReportMetric(100*ideal.Seconds()*float64(b.N)/b.Elapsed().Seconds(), "%-of-ideal")
			b.ReportMetric(100*time.Duration(busy.Load()/procs).Seconds()/b.Elapsed().Seconds(), "%-busy")
		})
	}
}

// A batch of 100 evaluations of a second on 20 processes, one of which is ten times slower:
// how many times the ideal it takes, the first batch and a later one. The slow one is a
// process among those of a worker, or a worker of its own.
func BenchmarkStraggler(b *testing.B) {
	if testing.Short() {
		b.Skip("it takes a minute")
	}
	for name, procs := range map[string][]int{"process": {20}, "worker": {19, 1}, "workers": ones(20)} {
		b.Run(name, func(b *testing.B) {
			c := newCrowd(b, 10, procs, func(worker, proc int, x []float64) float64 {
				seconds := 1
				if worker == len(procs)-1 && proc == procs[worker] {
					seconds = 10
				}
				takes(time.Duration(seconds) * time.Second)
				return x[0]
			})
			const ideal = 100 / 19.1
			began := time.Now()
			c.ask(b, 100)
			first := time.Since(began)
			for b.Loop() {
				c.ask(b, 100)
			}
			b.ReportMetric(first.Seconds()/ideal, "times-ideal-at-first")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/ideal, "times-ideal")
		})
	}
}

// What the coordinator's own work costs between two looks at what is due, with 200 workers of
// 16 processes, a batch of 100,000 points that take a minute, and a tenth of them evaluated
// twice. Three values come meanwhile.
func BenchmarkDesk(b *testing.B) {
	const workers, procs, n = 200, 16, 100_000
	w := newWorld(10)
	w.desk.court.share = 0.1
	names := make([]string, workers)
	for i := range names {
		names[i] = fmt.Sprint("worker-", i)
		w.hello(names[i], procs)
	}
	w.begin(1, n, func(int) bool { return false })
	next := 0
	for b.Loop() {
		for range 3 {
			name := names[next%workers]
			next++
			m := w.desk.roster.all[name]
			for len(m.working) < procs {
				m.working = append(m.working, w.take(name).First)
			}
			c := &wire.Chunk{First: m.working[0], Dim: 10, Points: w.desk.batch.coordinates(m.working[0]-1, m.working[0])}
			m.working = m.working[1:]
			w.desk.take(evaluated(c, name, firstOf, 60), w.now)
		}
		w.now = w.now.Add(tickEvery)
		for _, name := range names {
			w.desk.roster.hear(w.desk.roster.all[name], w.now)
		}
		w.desk.tick(w.now)
	}
}
