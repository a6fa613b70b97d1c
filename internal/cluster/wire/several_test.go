package wire

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/objective"
)

// Answers of several numbers come through a message to the bit; one that has failed has none.
func TestSeveralNumbers(t *testing.T) {
	all := []Answer{
		{Offset: 0, Answer: objective.Answer{Value: 1.5, Numbers: []float64{1.5, -2, 1e-300}}},
		{Offset: 3, Answer: objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Kind: objective.Errored, Detail: "beyond"}}},
		{Offset: 4, Answer: objective.Answer{Value: 2, Numbers: []float64{2, 0.1, math.Pi}}},
	}
	v := Values{Worker: "here", First: 7, Answers: all}
	back, err := DecodeValues(v.Encode())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range back.Answers {
		if !slices.Equal(a.Numbers, all[i].Numbers) || a.Value != all[i].Value {
			t.Errorf("%d: %+v, want %+v", i, a, all[i])
		}
	}
}
