package cluster

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// One worker of three is wrong at a tenth of its points. It is found, ends with an error,
// and the run goes on; its end lists the points.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := newStand(t, 2, func(c *Config) { c.Verify = 0.1 })
	right := objective.Func(2, ripple)
	var points atomic.Int64
	wrong := objective.Func(2, func(x []float64) float64 {
		points.Add(1)
		if math.Mod(math.Abs(x[0]*1e3), 10) < 1 {
			return ripple(x) + 1e-9
		}
		return ripple(x)
	})
	s.worker("a", right, nil)
	s.worker("b", right, nil)
	s.worker("wrong", wrong, nil)
	s.until(func() bool { return len(s.Status().Workers) == 3 }) // a value of one that is alone is not compared
	n := 400
	xs := mat.NewDense(n, 2, nil)
	for round := 0; ; round++ {
		for i := range n {
			xs.Set(i, 0, math.Sin(float64(round*n+i)))
			xs.Set(i, 1, math.Cos(float64(round*n+i)))
		}
		first := round*n + 1
		ctx := query.WithNumbers(context.Background(), func(i int) int { return first + i })
		if err := s.Evaluate(ctx, xs, make([]float64, n)); err != nil {
			t.Fatal(err)
		}
		s.settle() // messages take longer than these points
		if strings.Contains(s.noted(), "wrong gets no more work") {
			break
		}
		if points.Load() > 1000 {
			t.Fatalf("%d points, and nobody has noticed: %s", points.Load(), s.noted())
		}
	}
	found := 0
	for _, d := range s.Differences() {
		if d.Wrong == "wrong" {
			found++
		}
		if d.Wrong == "a" || d.Wrong == "b" {
			t.Errorf("%v", &d)
		}
	}
	if found == 0 {
		t.Errorf("no difference names it: %v", fmt.Sprint(s.Differences()))
	}
}
