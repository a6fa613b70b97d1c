package journal_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A run asks for two points. The same run again is answered from the journal, and asks only
// for what is new.
func Example() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "run.journal")
	header := journal.Header{Numerics: 1, Dim: 1, About: []byte(`{"Seed":1}`)}
	square := objective.Func(1, func(x []float64) float64 {
		fmt.Println("asked for the square of", x[0])
		return x[0] * x[0]
	})
	for _, points := range []*mat.Dense{
		mat.NewDense(2, 1, []float64{2, 3}),
		mat.NewDense(3, 1, []float64{2, 3, 4}),
	} {
		j, err := journal.Open(journal.Config{File: file}, header)
		if err != nil {
			log.Fatal(err)
		}
		f := j.Wrap(square)
		values := make([]float64, points.RawMatrix().Rows)
		if err := f.Evaluate(context.Background(), points, values); err != nil {
			log.Fatal(err)
		}
		fmt.Println(values, "of which", f.Resumed(), "are from the journal")
		if err := j.Close(); err != nil {
			log.Fatal(err)
		}
	}
	header.About = []byte(`{"Seed":2}`)
	_, err = journal.Open(journal.Config{File: file}, header)
	for _, d := range err.(*journal.DiffersError).Differences {
		fmt.Println(d)
	}
	// Output:
	// asked for the square of 2
	// asked for the square of 3
	// [4 9] of which 0 are from the journal
	// asked for the square of 4
	// [4 9 16] of which 2 are from the journal
	// Seed is 1 in the journal and 2 now
}
