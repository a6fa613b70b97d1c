package parameter_test

import (
	"testing"

	"github.com/untwist/untwist/internal/parameter"
)

// What is done for every query allocates as much in 1,000 dimensions as in 10.
func TestInwardAllocatesOnce(t *testing.T) {
	for _, d := range []int{10, 1000} {
		space, x := parameter.Plain(d), make([]float64, d)
		if n := testing.AllocsPerRun(10, func() { space.Inward(x) }); n > 1 {
			t.Errorf("d = %d: %v allocations", d, n)
		}
	}
}
