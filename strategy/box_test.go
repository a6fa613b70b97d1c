package strategy

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A table of samples, at irregular places, is close to the function between them, and
// so are its slope and second derivative; beyond it rises.
func TestTable(t *testing.T) {
	f := func(y float64) float64 { return math.Sin(2*y) + y*y/5 }
	s := &stretch{}
	for k := range 101 {
		s.wanted = append(s.wanted, -3+6*float64(k)/100+0.02*math.Sin(float64(k*k)))
	}
	var values []float64
	for _, y := range s.wanted {
		values = append(values, 7+f(y)) // known up to a constant
	}
	table := &table{}
	table.add(s, values)
	table.fill(0.01)
	for y := -2.9; y < 2.9; y += 0.037 {
		v, slope, bend := table.jet(y)
		if math.Abs(v-7-f(y)) > 1e-4 || math.Abs(slope-2*math.Cos(2*y)-2*y/5) > 0.02 || math.Abs(bend+4*math.Sin(2*y)-0.4) > 1 {
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
	end := s.wanted[100]
	other := &stretch{wanted: []float64{end, end + 0.05, end + 0.1}}
	table.add(other, []float64{f(end), f(end + 0.05), f(end + 0.1)})
	table.fill(0.01)
	if got := table.at(end + 0.05); math.Abs(got-7-f(end+0.05)) > 1e-3 {
		t.Errorf("the other stretch is at %v, want %v", got, 7+f(end+0.05))
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// boxedFor prepares a search of Σ φ(⟨w_j, x⟩) in a box.
func boxedFor(t interface{ Fatal(...any) }, w *mat.Dense, phi func(y float64) float64, box objective.Box, scale float64) *boxed {
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
	a := &auto{
		ctx: context.Background(), f: &watched{Objective: objective.NewScale(f, objective.Cube(d, -1, 1), box), first: math.NaN()},
		task: Task{Bounds: box, Stage: func(string) {}, Seed: 1}, learnt: &Learnt{},
	}
	middle := make([]float64, d)
	for k := range middle {
		middle[k] = (box.Lo[k] + box.Hi[k]) / 2
	}
	if _, err := objective.Ask(a.ctx, a.f, 1, func(_ int, row []float64) { copy(row, middle) }); err != nil {
		t.Fatal(err)
	}
	return newBoxed(newSweeper(a, found))
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
		b := boxedFor(t, w, func(y float64) float64 { return y*y - math.Cos(5*y) }, box, 0.1)
		if err := b.learn(); err != nil {
			t.Fatal(err)
		}
		for j, table := range b.model.phi {
			lo, hi := 0.0, 0.0
			for k, v := range b.model.w.RawRowView(j) {
				lo += min(v*box.Lo[k], v*box.Hi[k])
				hi += max(v*box.Lo[k], v*box.Hi[k])
			}
			if from, to := table.samples[0].Y, table.samples[len(table.samples)-1].Y; from > lo+0.2 || to < hi-0.2 { // two scales
				t.Fatalf("component %d: from %v to %v of [%v, %v]", j, from, to, lo, hi)
			}
			for _, s := range table.samples {
				if math.Abs(table.at(s.Y)-s.Value) > 0.05 {
					t.Fatalf("component %d: %v at %v, sampled %v", j, table.at(s.Y), s.Y, s.Value)
				}
			}
		}
	})
}

// The model's minimum in a box that cuts the minimiser off is f's, by brute force.
func TestBoxedSearchIsBruteForce(t *testing.T) {
	phi := func(y float64) float64 { return (y-1.5)*(y-1.5) - math.Cos(7*y) }
	for seed := range 4 {
		stream := rng.Seed(seed).Stream("test")
		w := mat.NewDense(2, 2, nil)
		stream.Norm(w.RawMatrix().Data)
		box := objective.Cube(2, -1, 0.7)
		b := boxedFor(t, w, phi, box, 0.1)
		if err := b.search(); err != nil {
			t.Fatal(err)
		}
		rows := b.model.w
		least := math.Inf(1)
		const n = 1500
		for i := range n + 1 {
			for k := range n + 1 {
				x, y := -1+1.7*float64(i)/n, -1+1.7*float64(k)/n
				least = min(least, phi(rows.At(0, 0)*x+rows.At(0, 1)*y)+phi(rows.At(1, 0)*x+rows.At(1, 1)*y))
			}
		}
		if got := b.f.best.Value; got > least+1e-3 {
			t.Errorf("seed %d: %v, brute force %v", seed, got, least)
		}
	}
}
