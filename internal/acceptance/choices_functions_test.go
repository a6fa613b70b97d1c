package acceptance

import (
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A chosen is a function of n continuous parameters in [-5, 5] and of choices, given by their numbers of
// values. Its tables are drawn once, from its name. These functions were written before the search was
// tuned; the held ones were run once, at the end.
type chosen struct {
	name    string
	n       int
	choices []int
	held    bool
	f       func(t table, x []float64, c []int) float64
}

// A table draws numbers that belong to indices: the same indices, the same number.
type table struct{ name string }

// of returns a uniform number from [-1, 1].
func (t table) of(index ...any) float64 {
	return 2*rng.Seed(41).Stream(append([]any{"choices", t.name}, index...)...).Float64() - 1
}

func squares(t table, x []float64, shift func(i int) float64) (sum float64) {
	for i, v := range x {
		sum += (v - shift(i)) * (v - shift(i))
	}
	return sum
}

var chosenFunctions = []chosen{
	{"sphere", 5, []int{4}, false, func(t table, x []float64, c []int) float64 {
		return squares(t, x, func(i int) float64 { return 3 * t.of(i) }) + 5*t.of("level", c[0])
	}},
	{"moved-ellipsoid", 8, []int{3, 5}, true, func(t table, x []float64, c []int) (sum float64) {
		for i, v := range x {
			d := v - 3*t.of(i, c[i%2])
			sum += math.Pow(1000, float64(i)/7) * d * d
		}
		return sum + 20*t.of("a", c[0]) + 20*t.of("b", c[1])
	}},
	{"valley", 6, []int{2, 2, 4}, false, func(t table, x []float64, c []int) (sum float64) {
		for i := range x[1:] {
			a, b := x[i+1]-x[i]*x[i], 1-x[i]
			sum += 10*a*a + b*b
		}
		return sum + 30*(t.of("a", c[0])+t.of("b", c[1])+t.of("c", c[2]))
	}},
	{"wells", 5, []int{8}, true, func(t table, x []float64, c []int) (sum float64) {
		for i, v := range x {
			d := v - 2*t.of(i)
			sum += d*d + 5 - 5*math.Cos(2*math.Pi*d)
		}
		return sum + 10*t.of("level", c[0])
	}},
	{"pairs", 10, []int{2, 3, 4, 5, 6}, false, func(t table, x []float64, c []int) float64 {
		sum := squares(t, x, func(i int) float64 { return 2*t.of(i) + t.of("moved", i, c[i%5]) })
		for a := range c {
			for b := range a {
				sum += 4 * t.of("pair", a, b, c[a], c[b])
			}
		}
		return sum
	}},
	{"materials", 7, []int{3, 3}, true, func(t table, x []float64, c []int) float64 {
		mass, stiff := 0., 0.
		for i, v := range x {
			e := math.Exp(v / 3)
			mass += e * (1.5 + t.of("density", c[i%2]))
			stiff += (1.5 + t.of("modulus", c[i%2])) / (e * (1.2 + t.of("length", i)))
		}
		return mass + 3*stiff + 2*math.Max(0, stiff-8)
	}},
	{"kinks", 6, []int{4, 4}, false, func(t table, x []float64, c []int) (sum float64) {
		for i, v := range x {
			sum += (1 + float64(i)) * math.Abs(v-3*t.of(i, c[0]))
		}
		return sum + 10*t.of("pair", c[0], c[1])
	}},
	{"two-wells", 10, []int{2, 8}, true, func(t table, x []float64, c []int) (sum float64) {
		for i, v := range x {
			sum += (v*v*v*v-16*v*v)/2 + v*(5+4*t.of("tilt", i, c[0]))
		}
		return sum/10 + 8*t.of("level", c[1])
	}},
	{"waves", 15, []int{5}, false, func(t table, x []float64, c []int) (sum float64) {
		for i, v := range x {
			d := v - 2*t.of(i, c[0])
			sum += d*d + 2*math.Sin(3*d)
		}
		return sum + 10*t.of("level", c[0])
	}},
	{"gates", 12, []int{2, 3}, true, func(t table, x []float64, c []int) (sum float64) {
		for i, v := range x {
			weight := 0.1
			if i%3 == c[1] || i%2 == c[0] {
				weight = 3
			}
			d := v - 3*t.of(i)
			sum += weight * d * d * (1 + d*d/20)
		}
		return sum + 5*t.of("level", c[0], c[1])
	}},
	{"parity", 8, []int{2, 2, 2, 2}, false, func(t table, x []float64, c []int) float64 {
		three := (c[0] + c[1] + c[2]) % 2
		return squares(t, x, func(i int) float64 { return 2*t.of(i) + float64(three) }) + 6*float64(three) + 2*float64(c[3]) - float64(c[0])
	}},
	{"scaled-ackley", 9, []int{3, 4, 8}, true, func(t table, x []float64, c []int) float64 {
		a, b := 0., 0.
		for i, v := range x {
			d := (v - 2*t.of(i)) * (1.5 + t.of("scale", c[0]))
			a += d * d / float64(len(x))
			b += math.Cos(2*math.Pi*d) / float64(len(x))
		}
		return -20*math.Exp(-0.2*math.Sqrt(a)) - math.Exp(b) + 5*t.of("b", c[1]) + 5*t.of("c", c[2])*(1+t.of("b", c[1]))
	}},
}

// dim returns the number of parameters.
func (c chosen) dim() int { return c.n + len(c.choices) }

// space returns the parameters, with the choices at these values; nil: they are searched.
func (c chosen) space(fixed []int) (s parameter.Space) {
	for i := range c.n {
		s = append(s, parameter.Parameter{Name: fmt.Sprintf("x%d", i+1), Min: new(-5.), Max: new(5.)})
	}
	for k, n := range c.choices {
		p := parameter.Parameter{Name: fmt.Sprintf("c%d", k+1)}
		for j := range n {
			p.Choices = append(p.Choices, string(rune('a'+j)))
		}
		if fixed != nil {
			p.Fixed = new(float64(fixed[k]))
		}
		s = append(s, p)
	}
	return s
}

// objective returns the function.
func (c chosen) objective() objective.Objective {
	t := table{c.name}
	return objective.Func(c.dim(), func(x []float64) float64 {
		choice := make([]int, len(c.choices))
		for k := range choice {
			choice[k] = int(x[c.n+k])
		}
		return c.f(t, x[:c.n], choice)
	})
}

// combinations returns all settings of the choices.
func (c chosen) combinations() [][]int {
	all := [][]int{{}}
	for _, n := range c.choices {
		var next [][]int
		for _, was := range all {
			for j := range n {
				next = append(next, append(append([]int{}, was...), j))
			}
		}
		all = next
	}
	return all
}
