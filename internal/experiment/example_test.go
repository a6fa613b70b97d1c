package experiment_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A small experiment: two methods on one problem at three seeds.
func ExampleTable1() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "grid")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	g := experiment.Table1{Problems: []string{"levy"}, Methods: []string{"cbo", "auto"}, Dim: 5, Runs: 3}
	if err := g.Complete(); err != nil {
		fmt.Println(err)
		return
	}
	s, err := g.Grid().OpenStore(ctx, filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if err := g.Grid().Run(ctx, s, 2, nil); err != nil { // run again, it continues where it stopped
		fmt.Println(err)
		return
	}
	table, err := g.Tabulate(ctx, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range table.Cells {
		fmt.Printf("%s on %s: %d of %d\n", c.Method, c.Problem, c.Successes, c.Runs)
	}
	// Output:
	// cbo on levy: 0 of 3
	// auto on levy: 3 of 3
}

// A parabola is a problem of one's own: Σ (x_i − c)², with c drawn from the seed.
type parabola struct{ objective.Objective }

func (parabola) Domain() objective.Box { return objective.Cube(3, -5, 5) }
func (parabola) Minimum() float64      { return 0 }

// A guess is a strategy of one's own: it asks for random points of the start box, which is
// [-1, 1]^d for every strategy, until the run ends.
type guess struct{}

func (guess) Name() string { return "guess" }
func (guess) Minimize(ctx context.Context, f objective.Objective, task strategy.Task) (strategy.Outcome, error) {
	random := rand.New(rand.NewPCG(task.Seed, 1))
	for {
		points := mat.NewDense(50, f.Dim(), nil)
		points.Apply(func(_, _ int, _ float64) float64 { return 2*random.Float64() - 1 }, points)
		if err := f.Evaluate(ctx, points, make([]float64, 50)); err != nil { // the budget is spent, for example
			return strategy.Outcome{}, err
		}
	}
}

// A comparison with a problem and a strategy of one's own.
func ExampleGrid() {
	mine := experiment.Case{Problem: "parabola", Dim: 3, New: func(seed uint64) (experiment.Problem, error) {
		c := float64(seed % 4)
		return parabola{objective.Func(3, func(x []float64) float64 {
			return (x[0]-c)*(x[0]-c) + (x[1]-c)*(x[1]-c) + (x[2]-c)*(x[2]-c)
		})}, nil
	}}
	auto, err := experiment.MethodNamed("auto")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := experiment.Grid{
		Cases: []experiment.Case{mine}, Methods: []experiment.Method{auto, {Name: "guess", Strategy: guess{}}},
		Runs: 5, Budget: "200*d", Targets: []float64{1, 1e-6},
	}
	if err := compare(g); err != nil {
		fmt.Println(err)
	}
	// Output:
	// auto on parabola: 5 of 5 reached 1e-06
	// guess on parabola: 0 of 5 reached 1e-06
}

// compare makes the runs of a grid and prints how often each method has reached the target.
func compare(g experiment.Grid) error {
	dir, err := os.MkdirTemp("", "grid")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := g.Complete(); err != nil {
		return err
	}
	s, err := g.OpenStore(context.Background(), filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := g.Run(context.Background(), s, 2, nil); err != nil {
		return err
	}
	c, err := g.Compare(context.Background(), s)
	if err != nil {
		return err
	}
	for _, cell := range c.Cells {
		last := cell.Goals[len(cell.Goals)-1]
		fmt.Printf("%s on %s: %d of %d reached %v\n", cell.Method, cell.Problem, last.Successes, cell.Runs, last.Target)
	}
	return nil
}
