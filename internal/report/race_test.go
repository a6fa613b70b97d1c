package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// By hand: nothing left of where the axis begins, nor below the floor; of several values
// at the beginning the last holds.
func TestCourseStairs(t *testing.T) {
	c := Course{Queries: []float64{1, 5, 10, 20, 40}}
	got := c.stairs([]float64{math.Inf(1), 900, 90, 9, 0}, 10, 1)
	want := plotter.XYs{{X: 10, Y: 90}, {X: 20, Y: 90}, {X: 20, Y: 9}, {X: 40, Y: 9}, {X: 40, Y: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := c.stairs([]float64{math.Inf(1)}, 10, 1); got != nil {
		t.Error(got)
	}
}

// Courses of any kind can be drawn, the same each time; none cannot.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	usual := Course{"usual", []float64{1, 10, 1e6}, []float64{5, 4, 0}, []float64{6, 5, 1e-3}, []float64{math.Inf(1), 6, 1}}
	hopeless := Course{"hopeless", []float64{1}, []float64{math.Inf(1)}, []float64{math.Inf(1)}, []float64{math.Inf(1)}}
	partly := Course{"partly", []float64{1, 2}, []float64{3, 3}, []float64{4, 4}, []float64{math.Inf(1), math.Inf(1)}}
	short := Course{"short", []float64{1}, []float64{-1}, []float64{-1}, []float64{1e308}}
	for i, courses := range [][]Course{{usual, partly}, {usual, hopeless, short}, {short}, slices.Repeat([]Course{usual}, 12)} {
		var pictures [2][]byte
		for k := range pictures {
			path := filepath.Join(dir, "race.svg")
			if err := Race(path, "title", "gap", courses, 0.005, 10); err != nil {
				t.Fatalf("%d: %v", i, err)
			}
			pictures[k], _ = os.ReadFile(path)
		}
		if !bytes.Equal(pictures[0], pictures[1]) || len(pictures[0]) < 1000 || bytes.Contains(pictures[0], []byte("NaN")) {
			t.Errorf("%d: %d bytes, or they differ, or are no numbers", i, len(pictures[0]))
		}
	}
	for _, courses := range [][]Course{nil, {hopeless}} {
		if err := Race(filepath.Join(dir, "none.svg"), "title", "gap", courses, 0.005, 10); err == nil {
			t.Error("nothing was drawn without an error")
		}
	}
}
