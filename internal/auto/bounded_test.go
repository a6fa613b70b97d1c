package auto

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// A table of samples, at irregular places, is close to the function between them, and
// so are its slope and second derivative; beyond it rises.
func TestTable(t *testing.T) {
	f := func(y float64) float64 { return math.Sin(2*y) + y*y/5 }
	s := &stretch{}
	for k := range 101 {
		y := -3 + 6*float64(k)/100 + 0.02*math.Sin(float64(k*k))
		s.seen = append(s.seen, sample{y: y, value: 7 + f(y)}) // known up to a constant
	}
	end := s.seen[100].y
	table := &table{}
	table.add(s)
	table.fill(0.01)
	for y := -2.9; y < 2.9; y += 0.037 {
		v, slope, bend := table.jet(y)
		if v += table.least; math.Abs(v-7-f(y)) > 1e-4 || math.Abs(slope-2*math.Cos(2*y)-2*y/5) > 0.02 || math.Abs(bend+4*math.Sin(2*y)-0.4) > 1 {
			t.Errorf("at %.3f: %v, %v, %v; want %v", y, v, slope, bend, 7+f(y))
		}
	}
	if table.at(-4) < table.at(-3) || table.at(4) < table.at(3) {
		t.Error("it falls beyond its ends")
	}
	if len(table.wells) != 2+boolToInt(f(-3) < f(-2.99))+boolToInt(f(3) < f(2.99)) {
		t.Errorf("wells %v", table.wells)
	}
	// Another stretch with another constant, tied where they meet.
	other := &stretch{}
	for _, y := range []float64{end, end + 0.05, end + 0.1} {
		other.seen = append(other.seen, sample{y: y, value: f(y)})
	}
	table.add(other)
	table.fill(0.01)
	if got := table.least + table.at(end+0.05); math.Abs(got-7-f(end+0.05)) > 1e-3 {
		t.Errorf("the other stretch is at %v, want %v", got, 7+f(end+0.05))
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// boundedFor prepares a search of Σ φ(⟨w_j, x⟩) in a box.
func boundedFor(t interface{ Fatal(...any) }, w *mat.Dense, phi func(y float64) float64, box objective.Box, scale float64) *bounded {
	fr, err := frame.New(w)
	if err != nil {
		t.Fatal(err)
	}
	m, d := w.Dims()
	f := objective.Func(d, func(x []float64) float64 {
		if k := box.Outside(x); k >= 0 {
			t.Fatal("asked outside the box", x)
		}
		sum := 0.0
		for j := range m {
			y := 0.0
			for k, v := range fr.Matrix().RawRowView(j) {
				y += v * x[k]
			}
			sum += phi(y)
		}
		return sum
	})
	found := &identify.Finding{Frame: fr}
	for j := range m {
		found.Blocks = append(found.Blocks, []int{j})
		found.Scale = append(found.Scale, scale)
	}
	watched := watch(query.NewScale(f, objective.Cube(d, -1, 1), box), func(objective.Stage) {})
	if _, err := watched.ask(context.Background(), between(box.Lo, box.Hi, 0.5)); err != nil {
		t.Fatal(err)
	}
	return newBounded(watched, newCoordinates(found, box), 1, math.MaxInt)
}

// Lines reach every coordinate that a point of the box can have, if W̃ is not
// ill-conditioned, and leave it nowhere.
func TestLinesCoverTheBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "d")
		w := mat.NewDense(d, d, nil)
		for i := range d {
			for k := range d {
				w.Set(i, k, rapid.Float64Range(-0.3, 0.3).Draw(t, "w"))
			}
			w.Set(i, i, w.At(i, i)+2)
		}
		box := objective.Cube(d, -1, 1)
		for k := range d {
			box.Lo[k] = rapid.Float64Range(-1, -0.1).Draw(t, "lo")
			box.Hi[k] = rapid.Float64Range(0.1, 1).Draw(t, "hi")
		}
		b := boundedFor(t, w, func(y float64) float64 { return y*y - math.Cos(5*y) }, box, 0.1)
		known, err := b.cover(context.Background(), func(int) (float64, float64) { return math.Inf(-1), math.Inf(1) })
		if err != nil || !known {
			t.Fatal(known, err)
		}
		m := b.model
		for j, table := range m.phi {
			lo, hi := 0.0, 0.0
			for k, v := range m.w.RawRowView(j) {
				lo += min(v*box.Lo[k], v*box.Hi[k])
				hi += max(v*box.Lo[k], v*box.Hi[k])
			}
			if from, to := table.samples[0].y, table.samples[len(table.samples)-1].y; from > lo+0.2 || to < hi-0.2 { // two scales
				t.Fatalf("component %d: from %v to %v of [%v, %v]", j, from, to, lo, hi)
			}
			for _, s := range table.samples {
				if math.Abs(table.least+table.at(s.y)-s.value) > 0.05 {
					t.Fatalf("component %d: %v at %v, sampled %v", j, table.at(s.y), s.y, s.value)
				}
			}
		}
	})
}

// The model's minimum in a box that cuts the minimiser off, and then a descent, lead to f's,
// by brute force.
func TestBoundedSearchIsBruteForce(t *testing.T) {
	phi := func(y float64) float64 { return (y-1.5)*(y-1.5) - math.Cos(7*y) }
	for seed := range flags.Usually(4, 2) {
		stream := rng.Seed(seed).Stream("test")
		w := mat.NewDense(2, 2, nil)
		stream.Norm(w.RawMatrix().Data)
		box := objective.Cube(2, -1, 0.7)
		b := boundedFor(t, w, phi, box, 0.1)
		if _, err := b.search(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := (&polisher{f: b.f, at: b.at}).polish(context.Background()); err != nil {
			t.Fatal(err)
		}
		rows := b.at.w
		least := math.Inf(1)
		n := flags.Usually(1500, 700)
		for i := range n + 1 {
			for k := range n + 1 {
				x, y := -1+1.7*float64(i)/float64(n), -1+1.7*float64(k)/float64(n)
				least = min(least, phi(rows.At(0, 0)*x+rows.At(0, 1)*y)+phi(rows.At(1, 0)*x+rows.At(1, 1)*y))
			}
		}
		if got := b.f.best.Value; got > least+1e-3 {
			t.Errorf("seed %d: %v, brute force %v", seed, got, least)
		}
	}
}
