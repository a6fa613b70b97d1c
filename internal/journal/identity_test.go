package journal

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A told answer is in the file once Flush has returned, in the middle of a batch too.
func TestFlushWritesWhatWasTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.journal")
	j, err := Open(Config{File: file}, Header{Numerics: 1, Dim: 1, About: []byte(`{"Budget":9}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	during := -1
	f := j.Wrap(tellsFirst(func() {
		if err := j.Flush(); err != nil {
			t.Error(err)
		}
		copied := filepath.Join(t.TempDir(), "copy")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(copied, data, 0o600); err != nil {
			t.Error(err)
		}
		s, err := Read(copied, func(q Query) error {
			if q.Number != 1 || q.Value != 7 || q.By != "somebody" {
				t.Errorf("%+v", q)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		during = s.Queries
	}))
	if err := f.Evaluate(context.Background(), mat.NewDense(2, 1, []float64{1, 2}), make([]float64, 2)); err != nil {
		t.Fatal(err)
	}
	if during != 1 {
		t.Errorf("%d queries in the file after Flush, want 1", during)
	}
}

// The ID is that of the file: it survives being opened again, and another file has another.
func TestIDs(t *testing.T) {
	dir, ids := t.TempDir(), map[string]int{}
	for _, name := range []string{"a", "b", "a"} {
		j, err := Open(Config{File: filepath.Join(dir, name)}, Header{Numerics: 1, Dim: 1, About: []byte(`{"Budget":9}`)})
		if err != nil {
			t.Fatal(err)
		}
		f := j.Wrap(tellsFirst(func() {}))
		if err := f.Evaluate(context.Background(), mat.NewDense(2, 1, []float64{1, 2}), make([]float64, 2)); err != nil {
			t.Fatal(err)
		}
		ids[j.ID()]++
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(ids) != 2 {
		t.Errorf("IDs of a, b and a again: %v", ids)
	}
}

// tellsFirst tells its first answer, calls itself, and tells the others.
type tellsFirst func()

func (tellsFirst) Dim() int { return 1 }
func (f tellsFirst) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return f.Each(ctx, points, values, func(int, objective.Answer) {})
}
func (f tellsFirst) Each(_ context.Context, _ *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	for i := range values {
		values[i] = 7
		tell(i, objective.Answer{Value: 7, By: "somebody"})
		if i == 0 {
			f()
		}
	}
	return nil
}
