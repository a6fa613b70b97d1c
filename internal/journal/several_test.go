package journal

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// severalAt are the numbers of the i-th query; the third has none, and one of the fourth is NaN.
func severalAt(i int) objective.Answer {
	a := objective.Answer{Value: float64(i), Numbers: []float64{float64(i), math.Sqrt(float64(i)), -1 / float64(i)}}
	switch i {
	case 3:
		return objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Kind: objective.Errored, Detail: "none"}}
	case 4:
		a.Value, a.Failure, a.Numbers[1] = math.Inf(1), &objective.Failure{Kind: objective.NotANumber, Detail: "nan"}, math.NaN()
	}
	return a
}

// A journal of version 2 keeps every number, and answers with the same bits; with hashes, too. One of
// version 1 stays what it is.
func TestSeveralNumbers(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		file := inFolder(t)
		h := theHeader()
		h.Numbers = 3
		asked := 0
		f := severalTeller{dim: h.Dim, answer: func() objective.Answer { asked++; return severalAt(asked) }}
		var first []objective.Answer
		for round := range 2 {
			j, err := Open(Config{File: file, HashPoints: hashed}, h)
			if err != nil {
				t.Fatal(err)
			}
			points, values := mat.NewDense(6, h.Dim, nil), make([]float64, 6)
			for i := range 6 {
				points.Set(i, 0, float64(i))
			}
			got := make([]objective.Answer, 6)
			if err := j.Wrap(f).Each(t.Context(), points, values, func(i int, a objective.Answer) { got[i] = a }); err != nil {
				t.Fatal(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				first = got
			}
			for i, a := range got {
				same := slices.EqualFunc(a.Numbers, first[i].Numbers, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
				if !same || values[i] != first[i].Value || i != 2 && len(a.Numbers) != 3 {
					t.Errorf("round %d, query %d: %+v, want %+v", round, i+1, a, first[i])
				}
			}
		}
		if asked != 6 {
			t.Errorf("%d were asked", asked)
		}
		if s, err := Read(file, nil); err != nil || s.Version != 2 || s.Queries != 6 {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if s, err := Read(makeJournal(t, Config{}, theBatches), nil); err != nil || s.Version != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A torn header of version 2 is begun anew, as one of version 1 is.
func TestUnbornOfVersion2(t *testing.T) {
	h := theHeader()
	h.Numbers = 2
	file := inFolder(t)
	j, err := Open(Config{File: file}, h)
	if err = errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	whole := contents(t, file)
	for _, n := range []int{5, preambleBytes, preambleBytes + headBytes + 3, len(whole) - 1} {
		write(t, file, whole[:n])
		j, err := Open(Config{File: file}, h)
		if err != nil {
			t.Errorf("%d bytes: %v", n, err)
			continue
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A severalTeller tells the answers that it has, in order.
type severalTeller struct {
	dim    int
	answer func() objective.Answer
}

func (f severalTeller) Dim() int { return f.dim }

func (f severalTeller) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return f.Each(ctx, points, values, func(int, objective.Answer) {})
}

func (f severalTeller) Each(_ context.Context, _ *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	for i := range values {
		a := f.answer()
		values[i] = a.Value
		tell(i, a)
	}
	return nil
}

var _ query.Teller = severalTeller{}
