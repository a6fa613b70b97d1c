package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// someSweeps returns panels with n series each, from 0 on, and two levels.
func someSweeps(panels, n int) (all []Panel) {
	for k := range panels {
		p := Panel{Title: fmt.Sprintf("problem %d", k), Levels: []Level{{"the best there is", 90}, {"the worst", 0}}}
		for i := range n {
			p.Series = append(p.Series, Series{
				Name: fmt.Sprintf("method %d, some road", i), X: []float64{0, 1e-6, 1e-3, 0.3},
				Lower: []float64{60, 50, 0, 0}, Median: []float64{90, 70, 20, math.NaN()}, Upper: []float64{100, 90, 40, math.Inf(1)},
			})
		}
		all = append(all, p)
	}
	return all
}

// Panels of any number can be drawn, the same each time, and no label meets another.
func TestSweeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sweeps.svg")
	for _, panels := range []int{1, 2, 3, 4, 5} {
		for _, n := range []int{1, 4, 10} {
			for _, y := range []Ordinate{{Label: "runs that succeed, %", Percent: true}, {Label: "queries"}, {Label: "gap", Floor: 0.005}} {
				var pictures [2][]byte
				for k := range pictures {
					if err := Sweeps(path, strings.Repeat("a long title ", 30), "size of the error", y, someSweeps(panels, n)); err != nil {
						t.Fatal(err)
					}
					pictures[k], _ = os.ReadFile(path)
				}
				if !bytes.Equal(pictures[0], pictures[1]) || bytes.Contains(pictures[0], []byte("NaN")) || bytes.Contains(pictures[0], []byte("Inf")) {
					t.Errorf("%d panels, %d series: they differ, or are no numbers", panels, n)
				}
				checkLabels(t, fmt.Sprintf("%d panels of %d series", panels, n), path, panels*6+n)
			}
		}
	}
}

// 0 has a place of its own, to the left of all that is above it.
func TestZeroHasItsPlace(t *testing.T) {
	b := newBoard(Ordinate{Percent: true}, someSweeps(1, 1))
	if !(b.left < b.zero && b.zero < 1e-6/2) || b.right < 1e-3 || b.right > 0.3 { // what is at 0.3 is no number
		t.Errorf("%+v", b)
	}
	only := []Panel{{Series: []Series{{Name: "a", X: []float64{0}, Lower: []float64{1}, Median: []float64{1}, Upper: []float64{1}}}}}
	if b := newBoard(Ordinate{}, only); !(b.left < b.zero && b.zero < b.right) {
		t.Errorf("%+v", b)
	}
	if err := Sweeps(filepath.Join(t.TempDir(), "a.svg"), "title", "x", Ordinate{}, only); err != nil {
		t.Error(err)
	}
	without := []Panel{{Series: []Series{{Name: "a", X: []float64{2, 3}, Lower: []float64{1, 1}, Median: []float64{1, 2}, Upper: []float64{1, 3}}}}}
	if b := newBoard(Ordinate{}, without); b.zero != 0 || !(b.left < 2 && b.right > 3) {
		t.Errorf("%+v", b)
	}
}

// Without a series there is nothing to draw.
func TestNoSweeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	hopeless := []Panel{{Series: []Series{{Name: "a", X: []float64{1}, Lower: []float64{1}, Median: []float64{math.NaN()}, Upper: []float64{2}}}}}
	for _, panels := range [][]Panel{nil, {{Title: "empty"}}, hopeless} {
		if err := Sweeps(path, "title", "x", Ordinate{}, panels); err == nil {
			t.Error("nothing was drawn without an error")
		}
	}
}
