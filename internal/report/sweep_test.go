package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// By hand: points that are not finite are left out, and the others are raised to the floor.
func TestSeriesAbove(t *testing.T) {
	s := Series{"", []float64{1, 2, 3, 0}, []float64{0, 1, 1, 1}, []float64{0.5, 2, 2, 2}, []float64{4, math.Inf(1), 3, 3}}
	got := s.above(1, true)
	if !slices.Equal(got.X, []float64{1, 3}) || !slices.Equal(got.Lower, []float64{1, 1}) || !slices.Equal(got.Median, []float64{1, 2}) || !slices.Equal(got.Upper, []float64{4, 3}) {
		t.Errorf("%+v", got)
	}
	if got := s.above(1, false); got.Lower[0] != 0 {
		t.Errorf("%+v", got)
	}
	if !positive([]Series{s}) || positive([]Series{s, {Median: []float64{-1}}}) {
		t.Error("which are positive?")
	}
}

// Series of any kind can be drawn, the same each time; none cannot.
func TestSweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sweep.svg")
	usual := Series{"usual", []float64{1e-8, 1e-4, 1}, []float64{5, 4, 0}, []float64{6, 5, 1e-3}, []float64{7, 6, 1}}
	below := Series{"below", []float64{1e-8, 1}, []float64{-3, -1}, []float64{-2, -1}, []float64{-1, 0}}
	single := Series{"single", []float64{1e-3}, []float64{0}, []float64{0}, []float64{0}}
	hopeless := Series{"hopeless", []float64{1}, []float64{1}, []float64{math.NaN()}, []float64{math.Inf(1)}}
	for i, all := range [][]Series{{usual}, {usual, below}, {single}, {hopeless, usual, single}, slices.Repeat([]Series{usual}, 12)} {
		var pictures [2][]byte
		for k := range pictures {
			if err := Sweep(path, "title", "noise", "gap", all, 1e-9); err != nil {
				t.Fatalf("%d: %v", i, err)
			}
			pictures[k], _ = os.ReadFile(path)
		}
		if !bytes.Equal(pictures[0], pictures[1]) || len(pictures[0]) < 1000 || bytes.Contains(pictures[0], []byte("NaN")) {
			t.Errorf("%d: %d bytes, or they differ, or are no numbers", i, len(pictures[0]))
		}
	}
	for _, all := range [][]Series{nil, {hopeless}} {
		if err := Sweep(path, "title", "noise", "gap", all, 1e-9); err == nil {
			t.Error("nothing was drawn without an error")
		}
	}
}
