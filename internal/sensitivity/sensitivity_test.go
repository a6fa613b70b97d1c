package sensitivity_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// sampled returns a run that has seen n points of the box of a subject, with values
// unit·f + origin + noise, and x in units of length times.
func (s *subject) sampled(n int, unit, origin, times float64) sensitivity.Run {
	random := rng.Seed(s.seed).Stream("sampled")
	seen := sensitivity.NewSeen(s.d)
	r := sensitivity.Run{Seen: seen, Sigma: unit * s.noise}
	for _, h := range s.half {
		r.Start.Lo, r.Start.Hi = append(r.Start.Lo, -h*times), append(r.Start.Hi, h*times)
	}
	x, scaled := make([]float64, s.d), make([]float64, s.d)
	for k := range n {
		for i, h := range s.half {
			x[i] = (2*random.Float64() - 1) * h
			scaled[i] = x[i] * times
		}
		v := s.of(x) + s.noise*random.NormFloat64()
		seen.See(k+1, scaled, objective.Answer{Value: float64(unit*v) + origin})
	}
	r.Frame, _ = frame.New(s.w)
	return r
}

var smooth = []string{"square", "sine", "exp", "cube", "well", "bump"}

// In other units of f and of x, indices are the same; so are they, in another order, if the
// parameters are.
func TestUnitsAndOrderDoNotMatter(t *testing.T) {
	n := flags.Usually(110, 60)
	if *flags.Whole {
		n = 300
	}
	s := newSubject(4, "skew", smooth, 5)
	s.half = []float64{5, 3, 4, 6}
	plain := sensitivity.Of(s.sampled(n, 1, 0, 1))
	if !plain.OK() {
		t.Fatal(plain.Reason)
	}
	same := func(what string, got sensitivity.Indices, order []int, unit float64) {
		t.Helper()
		if !got.OK() {
			t.Fatalf("%s: %s", what, got.Reason)
		}
		for i, at := range order {
			a, b := plain.Parameters[at], got.Parameters[i]
			if math.Abs(a.Total-b.Total) > (a.Error+b.Error)/2+1e-4 {
				t.Errorf("%s: parameter %d is %.4f ± %.4f, and was %.4f ± %.4f", what, at+1, b.Total, b.Error, a.Total, a.Error)
			}
		}
		if relative := got.Variance / (plain.Variance * unit * unit); math.Abs(relative-1) > 0.02 {
			t.Errorf("%s: the variance is %g times that of before", what, relative)
		}
	}
	order := []int{0, 1, 2, 3}
	if *flags.Whole {
		same("f in thousandths", sensitivity.Of(s.sampled(n, 1000, 0, 1)), order, 1000)
		same("x in millionths", sensitivity.Of(s.sampled(n, 1, 0, 1e6)), order, 1)
	}
	same("f in millions, with an origin", sensitivity.Of(s.sampled(n, 1e-6, 3e-3, 1)), order, 1e-6)

	r := s.sampled(n, 1, 0, 1)
	order = []int{2, 0, 3, 1}
	turned, box, w := sensitivity.NewSeen(4), objective.Box{}, mat.NewDense(4, 4, nil)
	for i, at := range order {
		box.Lo, box.Hi = append(box.Lo, r.Start.Lo[at]), append(box.Hi, r.Start.Hi[at])
		for j := range 4 {
			w.Set(j, i, s.w.At(j, at))
		}
	}
	random, x, y := rng.Seed(s.seed).Stream("sampled"), make([]float64, 4), make([]float64, 4)
	for k := range n {
		for i, h := range s.half {
			x[i] = (2*random.Float64() - 1) * h
		}
		_ = random.NormFloat64()
		for i, at := range order {
			y[i] = x[at]
		}
		turned.See(k+1, y, objective.Answer{Value: s.of(x)})
	}
	r.Seen, r.Start = turned, box
	r.Frame, _ = frame.New(w)
	same("another order", sensitivity.Of(r), order, 1)
}

// Where parameters are searched by their logarithms, x is uniform in these. A fixed parameter
// has no index, and keeps its place.
func TestLogarithmsAndFixedParameters(t *testing.T) {
	low, high, fixed := 0.01, 100.0, 7.0
	space := parameter.Space{
		{Name: "a", Min: &low, Max: &high, Log: true},
		{Name: "b", Fixed: &fixed},
		{Name: "c", Min: &low, Max: &high, Log: true},
	}
	seen, random := sensitivity.NewSeen(3), rng.Seed(1).Stream("logarithms")
	half := math.Log(100)
	for k := range flags.Usually(200, 100) { // f = 2 log(a c)² + log(a/c)
		a, c := half*(2*random.Float64()-1), half*(2*random.Float64()-1)
		seen.See(k+1, []float64{math.Exp(a), fixed, math.Exp(c)}, objective.Answer{Value: 2*(a+c)*(a+c) + a - c})
	}
	w, _ := frame.New(mat.NewDense(2, 2, []float64{1, 1, 1, -1}))
	got := sensitivity.Of(sensitivity.Run{Space: space, Frame: w, Seen: seen})
	if !got.OK() {
		t.Fatal(got.Reason)
	}
	// Q = 2 everywhere, b = ∓½, so by the formulas of exactSquares:
	h := half
	both := 4 * 4 * math.Pow(h, 4) / 9
	alone := 4*4*math.Pow(h, 4)/45 + h*h/3
	want := (alone + both) / (2*alone + both)
	for _, i := range []int{0, 2} {
		if p := got.Parameters[i]; p.Fixed || math.Abs(p.Total-want) > min(p.Error+1e-9, 0.005) {
			t.Errorf("%s is %.4f ± %.4f, want %.4f", p.Name, p.Total, p.Error, want)
		}
	}
	if p := got.Parameters[1]; !p.Fixed || p.Total != 0 || p.Name != "b" {
		t.Errorf("the fixed parameter is %+v", p)
	}
}

// How much goes through each coordinate: what brute force says. Where coordinates share
// parameters they do not sum to the total.
func TestThrough(t *testing.T) {
	s := newSubject(flags.Usually(3, 2), "skew", smooth, 8)
	n := flags.Usually(150, 50)
	if *flags.Whole {
		n = 300
	}
	got := sensitivity.Of(s.sampled(n, 1, 0, 1))
	if !got.OK() {
		t.Fatal(got.Reason)
	}
	total, through, _ := s.naive(flags.Usually(200_000, 50_000))
	for i, p := range got.Parameters {
		if math.Abs(p.Total-total[i]) > 0.02 {
			t.Errorf("parameter %d: %.4f, by brute force %.4f", i+1, p.Total, total[i])
		}
		for j, v := range p.Through {
			if math.Abs(v-through[i][j]) > 0.02 {
				t.Errorf("parameter %d through %d: %.4f, by brute force %.4f", i+1, j+1, v, through[i][j])
			}
		}
	}
}

// Where the queries do not tell, there is a reason and no number.
func TestNotDetermined(t *testing.T) {
	s := newSubject(4, "skew", []string{"rastrigin"}, 1)
	if got := sensitivity.Of(s.sampled(60, 1, 0, 1)); got.OK() || !strings.Contains(got.Reason, "too little") {
		t.Errorf("60 points of Rastrigin's function: %+v", got)
	}
	if got := sensitivity.Of(s.sampled(10, 1, 0, 1)); got.OK() {
		t.Errorf("ten points: %+v", got)
	}
	n := flags.Usually(120, 60)
	if *flags.Whole {
		n = 300
	}
	r := s.sampled(n, 1, 0, 1)
	r.Frame = frame.Identity(4) // it does not separate there
	if got := sensitivity.Of(r); got.OK() {
		t.Errorf("in a wrong frame: %+v", got)
	}
	r.Blocks = [][]int{{0, 1}, {2}, {3}}
	if got := sensitivity.Of(r); got.OK() || !strings.Contains(got.Reason, "polynomial") {
		t.Errorf("a block of two: %+v", got)
	}
	r.Frame = nil
	if got := sensitivity.Of(r); got.OK() {
		t.Errorf("without a frame: %+v", got)
	}
}

// The error has the truth at least as often as it says, for exact values and under noise. If it
// did so with a probability of 95 % for each of the seeds by itself, more than a fifth of the
// parameters would be outside once in 10,000 times.
func TestErrorsAreHonest(t *testing.T) {
	seeds, noises, points := flags.Usually(2, 1), []float64{0, 1}, flags.Usually(200_000, 100_000)
	if *flags.Whole {
		seeds, noises, points = 60, []float64{0, 1, 4}, 300_000
	}
	honest := func(seed int) *subject { return newSubject(3, "skew", smooth[seed%3:], uint64(seed+1)) }
	var truth [][]float64
	for seed := range seeds {
		want, _, _ := honest(seed).naive(points)
		truth = append(truth, want)
	}
	for _, noise := range noises {
		outside, all, refused := 0, 0, 0
		for seed, want := range truth {
			s := honest(seed)
			s.noise = noise
			got := sensitivity.Of(s.sampled(60+10*(seed%10), 1, 0, 1))
			if !got.OK() {
				refused++
				continue
			}
			for i, p := range got.Parameters {
				if all++; math.Abs(p.Total-want[i]) > p.Error+0.004 { // brute force has an error, too
					outside++
				}
			}
		}
		t.Logf("noise %g: %d of %d outside, %d of %d runs without an answer", noise, outside, all, refused, seeds)
		if outside*5 > all || all == 0 {
			t.Errorf("noise %g: %d of %d indices are outside their error", noise, outside, all)
		}
	}
}

// The same run gives the same bits.
func TestSameBits(t *testing.T) {
	s := newSubject(2, "skew", smooth, 2)
	n := flags.Usually(100, 30)
	if a, b := sensitivity.Of(s.sampled(n, 1, 0, 1)), sensitivity.Of(s.sampled(n, 1, 0, 1)); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\nand %+v", a, b)
	}
}

// Five million queries do not fill the memory, and the first of them are all kept.
func TestSeenIsThinned(t *testing.T) {
	seen := sensitivity.NewSeen(3)
	x := []float64{1, 2, 3}
	for k := range 300_000 {
		seen.See(k+1, x, objective.Answer{Value: float64(k)})
	}
	all, kept := seen.Queries()
	if all != 300_000 || kept < 40_000 || kept > 70_000 {
		t.Errorf("%d of %d are kept", kept, all)
	}
	seen.See(1, x, objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{}})
	if _, now := seen.Queries(); now != kept {
		t.Error("a failure is kept")
	}
}

func ExampleOf() {
	// Seen gets the queries of a run by untwist.Options.Seen. Here they are made up.
	seen := sensitivity.NewSeen(3)
	random := rng.Seed(1).Stream("example")
	for k := range 200 {
		x := []float64{2*random.Float64() - 1, 2*random.Float64() - 1, 2*random.Float64() - 1}
		sum := x[0] + x[1]
		seen.See(k+1, x, objective.Answer{Value: sum*sum + x[2]/10})
	}
	w, _ := frame.New(mat.NewDense(2, 3, []float64{1, 1, 0, 0, 0, 1}))
	indices := sensitivity.Of(sensitivity.Run{Start: objective.Cube(3, -1, 1), Frame: w, Seen: seen})
	for _, p := range indices.Parameters {
		fmt.Printf("%s %.2f\n", p.Name, p.Total)
	}
	// Output:
	// x1 0.85
	// x2 0.85
	// x3 0.01
}
