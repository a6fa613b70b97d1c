package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

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

func newCrowd(b *testing.B, d int, procs []int, f func(worker int, x []float64) float64) *crowd {
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
				Open: func(int) (objective.Objective, error) {
					return objective.Func(d, func(x []float64) float64 { return f(i, x) }), nil
				},
			})
		}()
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
	ctx := objective.WithNumbers(context.Background(), func(i int) int { return before + i + 1 })
	if err := c.Evaluate(ctx, mat.NewDense(n, c.Dim(), nil), make([]float64, n)); err != nil {
		b.Fatal(err)
	}
}

// Queries of a trivial function of 100 numbers through two workers, on one machine, in
// pieces as a run asks for them and in one large batch.
func BenchmarkQueries(b *testing.B) {
	for _, n := range []int{1024, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCrowd(b, 100, []int{1, 1}, func(_ int, x []float64) float64 { return x[0] })
			c.ask(b, n)
			for b.Loop() {
				c.ask(b, n)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "queries/s")
		})
	}
}

// takes is an evaluation that takes so long.
func takes(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}

// A batch of 20,000 evaluations of 10 ms on 16 processes: which share of the possible speed
// is reached.
func BenchmarkSleepers(b *testing.B) {
	const n, procs, each = 20_000, 16, 10 * time.Millisecond
	c := newCrowd(b, 10, []int{procs / 2, procs / 2}, func(_ int, x []float64) float64 { takes(each); return x[0] })
	c.ask(b, 2*procs)
	for b.Loop() {
		c.ask(b, n)
	}
	ideal := n / procs * each
	b.ReportMetric(100*ideal.Seconds()*float64(b.N)/b.Elapsed().Seconds(), "%")
}

// A batch of 100 evaluations of a second on 20 processes, one of which is ten times slower:
// how many times the ideal it takes.
func BenchmarkStraggler(b *testing.B) {
	c := newCrowd(b, 10, []int{19, 1}, func(worker int, x []float64) float64 {
		takes(time.Second * time.Duration(1+9*worker))
		return x[0]
	})
	for looks := time.NewTicker(10 * time.Millisecond); c.Status().Procs() < 20; <-looks.C {
	}
	for b.Loop() {
		c.ask(b, 100)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/5, "times-ideal")
}
