package page

import (
	"testing"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// What a watch keeps of a query, and says of all, allocates as much in 1,000 dimensions as in
// 10. With d² steps a page of 10,000 dimensions took minutes.
func TestAWatchAllocatesLittle(t *testing.T) {
	for _, d := range []int{10, 1000} {
		space, x := parameter.Plain(d), make([]float64, d)
		for i := range space {
			space[i].Low, space[i].High = new(-1.), new(1.)
		}
		w := NewWatch(space)
		if n := testing.AllocsPerRun(10, func() { w.See(1, x, objective.Answer{Value: 1}) }); n > 2 {
			t.Errorf("d = %d: %v allocations for a query", d, n)
		}
		if n := testing.AllocsPerRun(10, func() { w.Evaluations() }); n > 10 {
			t.Errorf("d = %d: %v allocations for all", d, n)
		}
	}
}
