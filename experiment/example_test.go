package experiment_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/untwist/untwist/experiment"
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
	s, err := g.OpenStore(ctx, filepath.Join(dir, "runs.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if err := g.Run(ctx, s, 2, nil); err != nil { // run again, it continues where it stopped
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
