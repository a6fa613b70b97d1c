package parameter_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/parameter"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func Example() {
	s := parameter.Space{
		{Name: "k", Unit: "m/s", Min: new(1e-6), Max: new(1e-2), Log: true},
		{Name: "n", Fixed: new(3.)},
		{Name: "d", Min: new(0.), Max: new(5.)},
	}
	f := objective.Func(3, func(x []float64) float64 { fmt.Println(x); return 0 })
	c := parameter.NewCoordinates(f, s)
	z := mat.NewDense(2, 2, []float64{s.Bounds().Lo[0], 2, 0, 7}) // f is asked within the limits only
	fmt.Println(c.Evaluate(context.Background(), z, make([]float64, 2)))
	fmt.Println(s.Combination([]float64{0.6, -0.8}))
	// Output:
	// [1e-06 3 2]
	// [0.01 3 5]
	// <nil>
	// 0.6·log(k) - 0.8·d
}

// space draws a space of parameters that are right.
func space(t *rapid.T) parameter.Space {
	s := parameter.Plain(rapid.IntRange(1, 6).Draw(t, "dim"))
	for i := range s {
		p := &s[i]
		if i > 0 && rapid.Bool().Draw(t, "fixed") {
			p.Fixed = new(rapid.Float64Range(-1e6, 1e6).Draw(t, "value"))
			continue
		}
		p.Log = rapid.Bool().Draw(t, "log")
		least := -1e6
		if p.Log {
			least = 1e-9
		}
		lo := rapid.Float64Range(least, 1e6).Draw(t, "lo")
		hi := lo + math.Abs(lo)*rapid.Float64Range(0.01, 1e3).Draw(t, "width") + 1e-3
		p.Min, p.Max = &lo, &hi
		if rapid.Bool().Draw(t, "free") {
			p.Low, p.High, p.Min, p.Max = p.Min, p.Max, nil, nil
		}
	}
	return s
}

// What is asked lies within the limits, and reaches them exactly at the limits of z. A known
// point is asked exactly.
func TestCoordinatesStayWithinTheLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := space(t)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		var asked []float64
		c := parameter.NewCoordinates(objective.Func(len(s), func(x []float64) float64 {
			asked = append([]float64(nil), x...)
			return 0
		}), s)
		ask := func(z []float64) []float64 {
			if err := c.Evaluate(t.Context(), mat.NewDense(1, c.Dim(), z), make([]float64, 1)); err != nil {
				t.Fatal(err)
			}
			if k := s.Limits().Outside(asked); k >= 0 {
				t.Fatalf("%s is %v, outside its limits", s[k].Name, asked[k])
			}
			return asked
		}
		z := make([]float64, c.Dim())
		for k := range z {
			z[k] = rapid.Float64().Draw(t, "z")
		}
		ask(z)
		known := s.Middle()
		if got := ask(c.Know(known)); fmt.Sprint(got) != fmt.Sprint(known) {
			t.Fatalf("%v was asked instead of %v", got, known)
		}
		b := s.Bounds()
		for name, side := range map[string][]float64{"min": b.Lo, "max": b.Hi} {
			x := ask(side)
			for i, p := range s {
				if at := s.At(i, x[i]); p.Min != nil && at != name {
					t.Fatalf("%s is %v, at %q and not at its %s", p.Name, x[i], at, name)
				}
			}
		}
	})
}

// There and back again: z is the value, or its logarithm.
func TestInwardAndOutward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := space(t)
		start := s.Start()
		var asked []float64
		c := parameter.NewCoordinates(objective.Func(len(s), func(x []float64) float64 {
			asked = append([]float64(nil), x...)
			return 0
		}), s)
		z := make([]float64, c.Dim())
		for k := range z {
			z[k] = start.Lo[k] + rapid.Float64Range(0, 1).Draw(t, "share")*(start.Hi[k]-start.Lo[k])
		}
		if err := c.Evaluate(t.Context(), mat.NewDense(1, c.Dim(), z), make([]float64, 1)); err != nil {
			t.Fatal(err)
		}
		for k, i := range s.Free() {
			want := z[k]
			if s[i].Log {
				want = math.Exp(z[k])
			}
			if math.Abs(asked[i]-want) > 1e-12*math.Abs(want) {
				t.Fatalf("%v at z = %v, want %v", asked[i], z[k], want)
			}
		}
		for k, back := range s.Inward(asked) {
			if math.Abs(back-z[k]) > 1e-12*(1+math.Abs(z[k])) {
				t.Fatalf("%v became %v", z[k], back)
			}
		}
	})
}

func TestParametersThatAreWrong(t *testing.T) {
	for want, p := range map[string]parameter.Parameter{
		"min is 3 and max is 2":             {Min: new(3.), Max: new(2.)},
		"above 0 on a logarithmic scale":    {Min: new(0.), Max: new(2.), Log: true},
		"not known where to look":           {Min: new(0.)},
		"not known where":                   {},
		"low is 2 and high is 2":            {Low: new(2.), High: new(2.)},
		"is not within the limits 0:1":      {Min: new(0.), Max: new(1.), Low: new(-1.), High: new(1.)},
		"the guess 4 is not within":         {Min: new(0.), Max: new(1.), Guess: new(4.)},
		"is fixed, so it takes no limits":   {Fixed: new(1.), Min: new(0.)},
		"max is +Inf, must be a finite":     {Min: new(0.), Max: new(math.Inf(1))},
		"guess is NaN, must be a finite":    {Guess: new(math.NaN())},
		"low is -1, must be above 0 on a l": {Low: new(-1.), High: new(1.), Log: true},
		"-1e+308:1e+308, where to look fir": {Min: new(-1e308), Max: new(1e308)},
		"0:1e-310, where to look first, is": {Min: new(0.), Max: new(1e-310)},
		"1e+300:1.0000000000000002e+300, w": {Min: new(1e300), Max: new(1.0000000000000002e300), Log: true},
	} {
		p.Name = "k"
		err := parameter.Space{p}.Check()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "parameter k: ") {
			t.Errorf("%+v: error %v, want %q", p, err, want)
		}
	}
	fine := parameter.Parameter{Name: "k", Min: new(0.), Max: new(1.)}
	for want, s := range map[string]parameter.Space{
		"two parameters k": {fine, fine}, "has no name": {{Min: new(0.), Max: new(1.)}},
		"all 1 are fixed": {{Name: "n", Fixed: new(1.)}}, "no parameter to search": {},
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestGuesses(t *testing.T) {
	s := parameter.Space{
		{Name: "a", Min: new(0.), Max: new(4.)}, {Name: "n", Fixed: new(7.)},
		{Name: "k", Min: new(1e-4), Max: new(1e-2), Log: true}, {Name: "g", Guess: new(2.)},
		{Name: "l", Guess: new(2.), Log: true, Min: new(1.)},
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	x := s.Guess()
	if len(x) != 5 || x[0] != 2 || x[1] != 7 || math.Abs(x[2]-1e-3) > 1e-15 || x[3] != 2 || x[4] != 2 {
		t.Errorf("guess %v", x)
	}
	if b := s.Start(); b.Lo[2] != -3 || b.Hi[2] != 7 || b.Lo[3] != 0 || math.Abs(b.Hi[3]-math.Log(200)) > 1e-14 {
		t.Errorf("start %v", b)
	}
	if lo, hi := parameter.Around(-2000); lo != -4000 || hi != 0 {
		t.Errorf("around −2000 is %v to %v", lo, hi)
	}
	if x := s[:3].Guess(); x != nil {
		t.Errorf("guess %v where there is none", x)
	}
}

func TestCombinations(t *testing.T) {
	s := parameter.Space{
		{Name: "k", Min: new(1e-6), Max: new(1e-2), Log: true}, {Name: "d", Min: new(1e-6), Max: new(1e-2), Log: true},
		{Name: "n", Fixed: new(1.)}, {Name: "p", Min: new(0.), Max: new(10.)}, {Name: "q", Min: new(0.), Max: new(1e-3)},
	}
	for _, c := range []struct {
		row  []float64
		want string
	}{
		{[]float64{0.7, -0.7, 0, 0}, "k^0.7·d^-0.7"},
		{[]float64{0.1, -0.7, 0, 0}, "d^0.7·k^-0.1"},
		{[]float64{0, 0, 1, 0}, "p"},
		{[]float64{0, 0, -1, 0}, "p"},
		{[]float64{1, 0, 0, 0}, "k"},
		{[]float64{-1, 0, 0, 0}, "k"},
		{[]float64{-0.999, 0, 0.998, 0}, "p - log(k)"},
		{[]float64{-0.3, 0, 0.6, 0.7}, "0.6·p - 0.3·log(k)"}, // q contributes a thousandth of p
		{[]float64{0, 0, -0.0001, 0.9}, "0.0001·p - 0.9·q"},
	} {
		if got := s.Combination(c.row); got != c.want {
			t.Errorf("%v is %q, want %q", c.row, got, c.want)
		}
	}
	if a, b := s.Sign([]float64{0.7, -0.7, 0, 0}), s.Sign([]float64{0.1, -0.7, 0, 0}); a != 1 || b != -1 {
		t.Errorf("the signs are %v and %v", a, b)
	}
	if got := parameter.Plain(3).Combination([]float64{-6e-12, 0.89, 0.45}); got != "0.89·x2 + 0.45·x3" {
		t.Errorf("without ranges it is %q", got)
	}
}

// A parameter within 1e-6 of its range from a limit is at its limit, on its scale.
func TestAtALimit(t *testing.T) {
	s := parameter.Space{
		{Name: "p", Min: new(-1.), Max: new(3.)},
		{Name: "k", Min: new(1e-6), Max: new(1.), Log: true}, // a range of 13.8
		{Name: "low", Min: new(0.), Low: new(0.), High: new(100.)},
		{Name: "free", Low: new(0.), High: new(1.)},
		{Name: "n", Fixed: new(1.)},
	}
	for _, c := range []struct {
		i     int
		value float64
		want  string
	}{
		{0, -1, "min"}, {0, -1 + 3.9e-6, "min"}, {0, -1 + 4.1e-6, ""}, {0, 3 - 3.9e-6, "max"}, {0, 3 - 4.1e-6, ""}, {0, 3, "max"},
		{1, 1.0000137e-6, "min"}, {1, 1.0000140e-6, ""}, {1, 0.9999863, "max"}, {1, 0.9999860, ""},
		{2, 0.99e-4, "min"}, {2, 1.01e-4, ""}, {2, 100, ""},
		{3, 0, ""}, {4, 1, ""},
	} {
		if got := s.At(c.i, c.value); got != c.want {
			t.Errorf("%s = %v is at %q, want %q", s[c.i].Name, c.value, got, c.want)
		}
	}
}

// A product of powers has its largest power positive, and is a dimensionless group where units
// cancel.
func TestProducts(t *testing.T) {
	on := func(name, unit string) parameter.Parameter {
		return parameter.Parameter{Name: name, Unit: unit, Min: new(1.), Max: new(10.), Log: true}
	}
	s := parameter.Space{on("ρ", "kg/m³"), on("v", "m/s"), on("d", "m"), on("μ", "Pa·s"), on("c", "J/(kg·K)"), on("k", "W m^-1 K^-1"), on("x", ""), on("a", "W/m·K"), on("b", "W/m·K")}
	s = append(s, parameter.Parameter{Name: "linear", Unit: "m", Min: new(1.), Max: new(10.)})
	for _, c := range []struct {
		row   []float64
		words string // "": it is none
		power float64
		group bool
	}{
		{[]float64{-.5, -.5, -.5, .5, 0, 0, 0, 0, 0, 0}, "ρ·v·d/μ", -.5, true}, // Reynolds
		{[]float64{0, 0, 0, .4, .4, -.4, 0, 0, 0, 0}, "μ·c/k", .4, true},       // Prandtl
		{[]float64{0, .3, .3, 0, 0, 0, 0, 0, 0, 0}, "v·d", .3, false},
		{[]float64{0, .4, -.8, 0, 0, 0, 0, 0, 0, 0}, "d^2/v", -.4, false},
		{[]float64{0, 0, .5, 0, 0, 0, -.5, 0, 0, 0}, "d/x", .5, false}, // no unit was given
		{[]float64{0, 0, 0, 0, 0, 0, 0, .5, -.5, 0}, "a/b", .5, false}, // a unit that can be read in two ways
		{[]float64{0, 0, -.5, 0, 0, 0, 0, 0, 0, 0}, "d", -.5, false},
		{[]float64{0, .4, .31, 0, 0, 0, 0, 0, 0, 0}, "", 0, false},
		{[]float64{0, 0, .5, 0, 0, 0, 0, 0, 0, -.5}, "", 0, false}, // not on a logarithmic scale
	} {
		p, ok := s.Product(c.row)
		if ok != (c.words != "") || ok && p != (parameter.Product{Words: c.words, Power: c.power, Group: c.group}) {
			t.Errorf("%v is %+v, %v", c.row, p, ok)
		}
	}
}
