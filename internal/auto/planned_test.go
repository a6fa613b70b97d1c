package auto

import (
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A run that is resumed with a larger budget does not call this one too small.
func TestWhichBudgetIsTooSmall(t *testing.T) {
	f := objective.Func(5, func(x []float64) float64 { return x[0]*x[1] + x[2]*x[3] - x[4]*x[0]*x[2] })
	for limit, want := range map[int]string{
		100:     "the budget is too small to look for mixed coordinates",
		100_000: "the budget of 100 with which the run was begun was too small to look for mixed coordinates",
	} {
		task, err := strategy.Task{Budget: 100, Limit: limit}.Complete(5)
		if err != nil {
			t.Fatal(err)
		}
		r := &run{f: &watched{Objective: f}, task: task, learnt: &strategy.Learnt{}}
		r.noteSmallBudget()
		if got := r.learnt.Notes[0]; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
