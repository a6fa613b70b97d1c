package mixed_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
)

// Integers whose sum is given are changed two at a time: least Σ (i + 1)(n_i − 3i)² with Σ n_i = 30 is 171, at
// (0, 0, 2, 6, 9, 13), also with the first two continuous. No query is off the sum.
func TestIntegersOfAGivenSum(t *testing.T) {
	for _, free := range []int{0, 2} {
		for _, seed := range flags.Seeds(flags.Usually(5, 2)) {
			off := 0.
			f := untwist.Func(6, func(x []float64) (sum float64) {
				total := 0.
				for i, v := range x {
					by := v - float64(3*i)
					sum += float64(i+1) * by * by
					total += v
				}
				off = max(off, math.Abs(total-30))
				return sum
			})
			o := untwist.Options{Budget: 600, Seed: seed, Limits: []string{"n1 + n2 + n3 + n4 + n5 + n6 = 30"}}
			for i := range 6 {
				o.Parameters = append(o.Parameters, untwist.Parameter{Name: fmt.Sprintf("n%d", i+1), Min: new(0.), Max: new(20.), Integer: i >= free})
			}
			r, err := untwist.Minimize(t.Context(), f, o)
			if err != nil || r.Value > 174 || off > 1e-9 {
				t.Errorf("%d continuous, seed %d: %v at %v, off by %v, %v", free, seed, r.Value, r.Point, off, err)
			}
		}
	}
}

// With a limit of an output and many wells CMA-ES searches integers and continuous parameters at once: the least value is
// below 1, and 1.97 is the next but one.
func TestWellsAndIntegersWithALimit(t *testing.T) {
	half := flags.Usually(3, 2)
	f := untwist.Vector(2*half, 2, func(x, out []float64) error {
		out[0], out[1] = 0, 0
		for i, v := range x {
			if by := v - .3; i < half {
				out[1] += v
				out[0] += by*by + 3 - 3*math.Cos(2*math.Pi*by)
			} else {
				out[0] += (v - 7) * (v - 7) / 10
			}
		}
		out[1] += x[half] / 10
		return nil
	})
	o := untwist.Options{Budget: 3000, Outputs: []untwist.Output{{Name: "o", Max: new(1.)}}}
	for i := range 2 * half {
		p := untwist.Parameter{Name: fmt.Sprintf("p%d", i+1), Min: new(-5.), Max: new(5.)}
		if i >= half {
			p.Min, p.Max, p.Integer = new(1.), new(20.), true
		}
		o.Parameters = append(o.Parameters, p)
	}
	var sum float64
	seeds := flags.Seeds(flags.Usually(5, 1))
	for _, o.Seed = range seeds {
		r, err := untwist.Minimize(t.Context(), f, o)
		if err != nil || !r.Feasible {
			t.Fatal(err)
		}
		sum += r.Value / float64(len(seeds))
	}
	if sum > 1.7 {
		t.Errorf("%v on average", sum)
	}
}

// A speed reducer of six continuous parameters and an integer, c, with eleven curved limits (J. Golinski, 1970): the models of
// regions come to c = 17 and 2994.47 from anywhere.
func TestRegionsWithLimits(t *testing.T) {
	f := untwist.Vector(7, 12, func(x, o []float64) error {
		a, b, c, d, e, g, h := x[0], x[1], x[2], x[3], x[4], x[5], x[6]
		o[0] = .7854*a*b*b*(3.3333*c*c+14.9334*c-43.0934) - 1.508*a*(g*g+h*h) + 7.4777*(g*g*g+h*h*h) + .7854*(d*g*g+e*h*h)
		o[1], o[2] = 27/(a*b*b*c)-1, 397.5/(a*b*b*c*c)-1
		o[3], o[4] = 1.93*d*d*d/(b*c*g*g*g*g)-1, 1.93*e*e*e/(b*c*h*h*h*h)-1
		o[5] = math.Sqrt(745*745*d*d/(b*b*c*c)+16.9e6)/(110*g*g*g) - 1
		o[6] = math.Sqrt(745*745*e*e/(b*b*c*c)+157.5e6)/(85*h*h*h) - 1
		o[7], o[8], o[9], o[10], o[11] = b*c/40-1, 5*b/a-1, a/(12*b)-1, (1.5*g+1.9)/d-1, (1.1*h+1.9)/e-1
		return nil
	})
	o := untwist.Options{Budget: 200}
	for i, side := range [][2]float64{{2.6, 3.6}, {.7, .8}, {17, 28}, {7.3, 8.3}, {7.3, 8.3}, {2.9, 3.9}, {5, 5.5}} {
		o.Parameters = append(o.Parameters, untwist.Parameter{Name: string(rune('a' + i)), Min: &side[0], Max: &side[1], Integer: i == 2})
	}
	for i := range 11 {
		o.Outputs = append(o.Outputs, untwist.Output{Name: fmt.Sprint("o", i), Max: new(0.)})
	}
	for _, o.Seed = range flags.Seeds(flags.Usually(5, 1)) {
		if r, err := untwist.Minimize(t.Context(), f, o); err != nil || !r.Feasible || r.Value > 2995 {
			t.Errorf("seed %d: %v at %v, %v", o.Seed, r.Value, r.Point, err)
		}
	}
}

// Under noise the best point is chosen by asking points again: its mean is told, and is near to the truth.
func TestNoisyIntegers(t *testing.T) {
	truth := func(x []float64) float64 {
		return (x[0]-.3)*(x[0]-.3) + (x[1]+.5)*(x[1]+.5) + (x[2]-7)*(x[2]-7)/4 + []float64{1, 0, .5}[int(x[3])]
	}
	within, gap := 0, 0.
	seeds := flags.Seeds(flags.Usually(10, 2))
	for _, seed := range seeds {
		noise := rng.Seed(seed).Stream("noise")
		r, err := untwist.Minimize(t.Context(), untwist.Func(4, func(x []float64) float64 { return truth(x) + .3*noise.NormFloat64() }), untwist.Options{
			Parameters: []untwist.Parameter{
				{Name: "a", Min: new(-2.), Max: new(2.)}, {Name: "b", Min: new(-2.), Max: new(2.)},
				{Name: "n", Min: new(1.), Max: new(20.), Integer: true}, {Name: "m", Choices: []string{"u", "v", "w"}},
			}, Budget: 600, Seed: seed, Workers: 1,
		})
		if err != nil || r.Noise == nil || r.ValueMean == nil || math.Abs(r.Noise.Sigma-.3) > .15 {
			t.Fatalf("%+v, %v", r.Noise, err)
		}
		if gap += truth(r.Point) / float64(len(seeds)); math.Abs(*r.ValueMean-truth(r.Point)) < *r.ValueError {
			within++
		}
	}
	if gap > .15 || 4*within < 3*len(seeds) { // 95 % are expected
		t.Errorf("%v above the least value on average; %d of %d intervals have the truth", gap, within, len(seeds))
	}
}
