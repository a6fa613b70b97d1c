package canon_test

import (
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/canon"
	"gonum.org/v1/gonum/mat"
)

type shape interface{ area() float64 }
type square struct{ Side float64 }
type disc struct{ Side float64 }

func (square) area() float64 { return 0 }
func (disc) area() float64   { return 0 }

type options struct {
	Shape  shape
	Sizes  []float64
	Matrix *mat.Dense
	Next   *options
	Words  map[string]int
	Watch  func() `fingerprint:"-"`
	Decide func()
	N      int
}

func TestMarshal(t *testing.T) {
	for want, v := range map[string]any{
		`{"N":0}`: options{},
		`{"Shape":{"type":"github.com/untwist/untwist/internal/canon_test.square","value":{"Side":2}},"N":0}`: options{Shape: square{2}},
		`{"Sizes":[0.1,"+Inf","NaN",-0,1e-320],"N":1}`:                                                        options{Sizes: []float64{0.1, math.Inf(1), math.NaN(), math.Copysign(0, -1), 1e-320}, N: 1},
		`{"Sizes":[],"N":0}`:                options{Sizes: []float64{}},
		`{"Matrix":[[1,2],[3,4]],"N":0}`:    options{Matrix: mat.NewDense(2, 2, []float64{1, 2, 3, 4})},
		`{"Next":{"N":5},"N":0}`:            options{Next: &options{N: 5}},
		`{"Words":[["a",1],["b",2]],"N":0}`: options{Words: map[string]int{"b": 2, "a": 1}},
		`{"N":3}`:                           options{N: 3, Watch: func() {}},
		`"a \"quoted\" word"`:               `a "quoted" word`,
		`null`:                              nil,
	} {
		got, err := canon.Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("%s, error %v, want %s", got, err, want)
		}
	}
}

// Two types with the same fields are not the same.
func TestTheTypeCounts(t *testing.T) {
	a, _ := canon.Marshal(options{Shape: square{1}})
	b, _ := canon.Marshal(options{Shape: disc{1}})
	if string(a) == string(b) {
		t.Errorf("a square and a disc are both %s", a)
	}
}

func TestWhatHasNoCanonicalForm(t *testing.T) {
	type hidden struct{ secret int }
	for want, v := range map[string]any{
		"Next.Decide is a func":  options{Next: &options{Decide: func() {}}},
		"secret is not exported": hidden{1},
	} {
		if _, err := canon.Marshal(v); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// stepped embeds a matrix, which could write itself and would forget the rest.
type stepped struct {
	*mat.Dense
	Step float64
}

func TestNothingIsForgotten(t *testing.T) {
	m := mat.NewDense(1, 1, []float64{3})
	a, errA := canon.Marshal(stepped{m, 1})
	b, errB := canon.Marshal(stepped{m, 2})
	if errA != nil || errB != nil || string(a) == string(b) {
		t.Errorf("%s, %v and %s, %v", a, errA, b, errB)
	}
	if got, err := canon.Marshal(map[float64]int{math.NaN(): 7}); err != nil || string(got) != `[["NaN",7]]` {
		t.Errorf("%s, error %v", got, err)
	}
	x, y := 1, 1
	for range 20 {
		if got, err := canon.Marshal(map[*int]int{&x: 2, &y: 3}); err != nil || string(got) != `[[1,2],[1,3]]` {
			t.Fatalf("%s, error %v", got, err)
		}
	}
	if got, err := canon.Marshal("\xff"); err == nil {
		t.Errorf("invalid UTF-8 is %s", got)
	}
	round := &options{}
	round.Next = round
	if _, err := canon.Marshal(round); err == nil || !strings.Contains(err.Error(), "without end") {
		t.Errorf("error %.100v", err)
	}
}
