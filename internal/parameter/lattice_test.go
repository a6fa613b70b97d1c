package parameter_test

import (
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Steps of 0.1 from 0.3 are the numbers that a user would write.
func TestStepsAreWrittenAsTheUserWould(t *testing.T) {
	s := parameter.Space{{Name: "t", Min: new(0.3), Max: new(1.), Step: new(0.1)}}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	var words []string
	c := parameter.NewCoordinates(nil, s)
	for _, z := range s.Lattice(0, 10) {
		words = append(words, s.Word(0, c.Point([]float64{z})[0]))
	}
	if got := strings.Join(words, " "); got != "0.3 0.4 0.5 0.6 0.7 0.8 0.9 1" {
		t.Error(got)
	}
}

// By hand: the integers from 0.5 to 4.9 are 1 to 4, on a logarithmic scale at 0, log 2, log 3 and log 4, and
// the cell of 2 ends in the middle, at log √2 and log √6.
func TestCellsOfALogarithmicLattice(t *testing.T) {
	s := parameter.Space{{Name: "n", Min: new(0.5), Max: new(4.9), Integer: true, Log: true}}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	c := parameter.NewCoordinates(nil, s)
	for z, want := range map[float64]float64{-9: 1, 0.34: 1, 0.35: 2, 0.89: 2, 0.9: 3, 1.3: 4, 9: 4} {
		if got := c.Point([]float64{z})[0]; got != want {
			t.Errorf("%v at %v, want %v", got, z, want)
		}
	}
	b := s.Bounds()
	if math.Abs(b.Lo[0]+math.Log(2)/2) > 1e-15 || s.At(0, 4) != "max" || s.At(0, 1) != "min" {
		t.Errorf("bounds %v", b)
	}
}

// lattices returns a space of all kinds from numbers.
func lattices(lo, wide float64, steps uint8, log bool) parameter.Space {
	n := float64(steps%50) + 1
	step := wide / n
	if log {
		lo = math.Abs(lo) + wide
	}
	hi := lo + wide
	return parameter.Space{
		{Name: "t", Min: &lo, Max: &hi, Step: &step, Log: log},
		{Name: "n", Min: &lo, Max: new(lo + n + 2), Integer: true, Log: log},
		{Name: "m", Choices: []string{"copper", "1e3", "-0", "Größe"}},
		{Name: "x", Min: &lo, Max: &hi},
	}
}

// What is asked is on the lattice and within the limits, is found again where it is, and what the program is
// given reads back to it, to the bit.
func FuzzLattice(f *testing.F) {
	f.Add(0.3, 0.7, uint8(7), false, 0.1, -0.2)
	f.Add(-3., 1e6, uint8(49), true, 2., 0.)
	f.Fuzz(func(t *testing.T, lo, wide float64, steps uint8, log bool, u, v float64) {
		s := lattices(lo, wide, steps, log)
		if s.Check() != nil {
			return
		}
		var asked []float64
		c := parameter.NewCoordinates(objective.Func(len(s), func(x []float64) float64 {
			asked = append([]float64(nil), x...)
			return 0
		}), s)
		b := s.Bounds()
		z := make([]float64, 4)
		for k := range z {
			z[k] = b.Lo[k] + (b.Hi[k]-b.Lo[k])*(u+float64(k)*v)
		}
		ask := func(z []float64) []float64 {
			if err := c.Evaluate(t.Context(), mat.NewDense(1, 4, z), make([]float64, 1)); err != nil {
				t.Fatal(err)
			}
			return asked
		}
		x := ask(z)
		if k := s.Limits().Outside(x); k >= 0 {
			t.Fatalf("%s is %v, outside its limits", s[k].Name, x[k])
		}
		for i := range s {
			if why := s.Off(i, x[i]); why != "" {
				t.Fatalf("%s is %v, which %s", s[i].Name, x[i], why)
			}
			word := s.Word(i, x[i])
			if back, err := parameter.ReadValue(s[i], word); err != nil || math.Float64bits(back) != math.Float64bits(x[i]) {
				t.Fatalf("%s is %v, written %s, read %v, %v", s[i].Name, x[i], word, back, err)
			}
			if s[i].Integer && strings.ContainsAny(word, ".e") {
				t.Fatalf("the integer %s", word)
			}
		}
		if again := ask(s.Inward(x)); !equalBits(again[:3], x[:3]) {
			t.Fatalf("%v became %v", x, again)
		}
	})
}

func equalBits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// Where a query failed is told by the names of the parameters, with their units and words.
func TestTold(t *testing.T) {
	space := parameter.Space{{Name: "k", Unit: "m/s"}, {Name: "material", Choices: []string{"copper", "steel"}}, {Name: "n", Integer: true}}
	if got, want := space.Told([]float64{1e-3, 1, 7}), "k = 0.001 m/s, material = steel, n = 7"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := parameter.Plain(9).Told(make([]float64, 9)), "x1 = 0, x2 = 0, x3 = 0, x4 = 0, x5 = 0, x6 = 0 … of 9"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := parameter.Space(nil).Told([]float64{1}) + space.Told(nil); got != "" {
		t.Errorf("%q", got)
	}
}
