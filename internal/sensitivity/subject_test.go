package sensitivity_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if !*flags.Whole {
		sensitivity.Quick(float64(flags.Usually(10, 25)))
	}
	m.Run()
}

// A ridge is a function of one coordinate, over some ±9.
type ridge struct {
	name string
	of   func(y float64) float64
}

var ridges = map[string]ridge{
	"square":    {"square", func(y float64) float64 { return y * y }},
	"sine":      {"sine", func(y float64) float64 { return 6 * math.Sin(y) }},
	"exp":       {"exp", func(y float64) float64 { return 3 * math.Exp(0.4*y) }},
	"cube":      {"cube", func(y float64) float64 { return y*y*y/6 + y }},
	"power":     {"power", func(y float64) float64 { return 2 * math.Pow(math.Abs(y-0.7), 1.5) }},
	"kink":      {"kink", func(y float64) float64 { return 4 * math.Abs(y-0.4) }},
	"rastrigin": {"rastrigin", func(y float64) float64 { return y*y + 10 - 10*math.Cos(2*math.Pi*y) }},
	"well":      {"well", func(y float64) float64 { return 0.02*(y*y-9)*(y*y-9) + y }},
	"bump":      {"bump", func(y float64) float64 { return y*y/2 - 8*math.Exp(-(y-1)*(y-1)) }},
}

// A subject is f(x) = φ(Σ_j c_j f_j(⟨w_j, x⟩ − a_j)).
type subject struct {
	d       int
	w       *mat.Dense
	f       []ridge
	scale   []float64
	shift   []float64
	outer   func(float64) float64
	half    []float64 // of the box
	bounded bool
	noise   float64
	fails   float64
	seed    uint64
}

// newSubject makes a subject. kinds are taken in turn.
func newSubject(d int, how string, kinds []string, seed uint64) *subject {
	random := rng.Seed(seed).Stream("subject", d, how)
	s := &subject{d: d, w: mat.NewDense(d, d, nil), seed: seed}
	for j := range d {
		row := s.w.RawRowView(j)
		random.Norm(row)
		if how == "sparse" {
			for k := range row {
				if k != j && k != (j+1)%d && k != (j+3)%d {
					row[k] = 0
				}
			}
			row[j] += math.Copysign(1, row[j])
		}
		if how == "axes" {
			clear(row)
			row[j] = 1
		}
		if how == "orthogonal" {
			for i := range j {
				other := s.w.RawRowView(i)
				p := mat.Dot(mat.NewVecDense(d, row), mat.NewVecDense(d, other))
				for k := range row {
					row[k] -= p * other[k]
				}
			}
		}
		length := mat.Norm(mat.NewVecDense(d, row), 2)
		for k := range row {
			row[k] /= length
		}
		s.f = append(s.f, ridges[kinds[j%len(kinds)]])
		s.scale = append(s.scale, math.Exp(random.NormFloat64()))
		s.shift = append(s.shift, random.NormFloat64())
		s.half = append(s.half, 5)
	}
	return s
}

func (s *subject) parts(dst, x []float64) {
	for j := range dst {
		dst[j] = mat.Dot(mat.NewVecDense(s.d, x), s.w.RowView(j))
	}
}

func (s *subject) of(x []float64) float64 {
	y := make([]float64, s.d)
	s.parts(y, x)
	v := 0.0
	for j := range y {
		v += s.scale[j] * s.f[j].of(y[j]-s.shift[j])
	}
	if s.outer != nil {
		v = s.outer(v)
	}
	return v
}

// objective returns f with noise and failures that depend on the point alone.
func (s *subject) objective() objective.Objective {
	random := rng.Seed(s.seed).Stream("blemishes")
	return objective.Fallible(s.d, func(_ context.Context, x []float64) (float64, error) {
		v := s.of(x)
		if s.noise > 0 {
			v += s.noise * random.NormFloat64()
		}
		if s.fails > 0 && random.Float64() < s.fails {
			return 0, errors.New("failed")
		}
		return v, nil
	})
}

// naive returns the total indices by brute force with n points: nothing is shared with the
// package but the definition. Var(f | x_~i) is estimated from pairs.
func (s *subject) naive(n int) (total []float64, through [][]float64, variance float64) {
	random := rng.Seed(12345).Stream("naive")
	total = make([]float64, s.d)
	for range s.d {
		through = append(through, make([]float64, s.d))
	}
	x, y, at := make([]float64, s.d), make([]float64, s.d), make([]float64, s.d)
	out := func(v float64) float64 {
		if s.outer != nil {
			return s.outer(v)
		}
		return v
	}
	first, sum, square := 0.0, 0.0, 0.0
	for k := range n {
		for i := range x {
			x[i] = (2*random.Float64() - 1) * s.half[i]
		}
		s.parts(y, x)
		inner := 0.0
		for j := range y {
			at[j] = s.scale[j] * s.f[j].of(y[j]-s.shift[j])
			inner += at[j]
		}
		v := out(inner)
		if k == 0 {
			first = v
		}
		sum += v - first
		square += (v - first) * (v - first)
		for i := range x {
			step := (2*random.Float64()-1)*s.half[i] - x[i]
			moved := inner
			for j := range y {
				if c := s.w.At(j, i); c != 0 {
					now := s.scale[j]*s.f[j].of(y[j]+c*step-s.shift[j]) - at[j]
					moved += now
					alone := out(inner+now) - v
					through[i][j] += alone * alone / 2
				}
			}
			total[i] += (out(moved) - v) * (out(moved) - v) / 2
		}
	}
	c := float64(n)
	variance = square/c - sum/c*sum/c
	for i := range total {
		total[i] /= c * variance
		for j := range through[i] {
			through[i][j] /= c * variance
		}
	}
	return total, through, variance
}

// run minimises or probes, and asks for the indices.
func (s *subject) run(t testing.TB, probe bool) (sensitivity.Indices, string) {
	t.Helper()
	seen := sensitivity.NewSeen(s.d)
	box := objective.Box{}
	for _, h := range s.half {
		box.Lo, box.Hi = append(box.Lo, -h), append(box.Hi, h)
	}
	o := untwist.Options{Start: box, Seen: seen.See, Seed: s.seed, NoiseLevel: s.noise}
	if s.bounded {
		o.Bounds = box
	}
	r := sensitivity.Run{Start: box, Seen: seen, Sigma: s.noise}
	var structure untwist.Structure
	if probe {
		found, err := untwist.Probe(context.Background(), s.objective(), o)
		if err != nil {
			return sensitivity.Indices{Reason: "probe: " + err.Error()}, ""
		}
		structure = found.Structure
	} else {
		found, err := untwist.Minimize(context.Background(), s.objective(), o)
		if err != nil {
			return sensitivity.Indices{Reason: "minimize: " + err.Error()}, ""
		}
		if found.Structure != nil {
			structure = *found.Structure
		}
		r.Profiles = found.Profiles
	}
	if v := structure.Certificate.Verdict; v == certify.NotSeparable || v == certify.Unknown {
		return sensitivity.Indices{Reason: "not certified"}, structure.String()
	}
	r.Frame, r.Blocks, r.Map = structure.Frame, structure.Blocks, structure.Map
	all, _ := seen.Queries()
	return sensitivity.Of(r), fmt.Sprintf("%d queries, %s", all, structure)
}
