package problem

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// The naive… functions are the published definitions, written a second time: one point at a
// time, with explicit matrices and the functions of math.

func naiveOsc(x float64) float64 {
	if x == 0 {
		return 0
	}
	hat, c1, c2 := math.Log(math.Abs(x)), 5.5, 3.1
	if x > 0 {
		c1, c2 = 10, 7.9
	}
	return math.Copysign(math.Exp(hat+0.049*(math.Sin(c1*hat)+math.Sin(c2*hat))), x)
}

func naiveAsy(beta, x float64, i, d int) float64 {
	if x <= 0 {
		return x
	}
	return math.Pow(x, 1+beta*float64(i)/float64(d-1)*math.Sqrt(x))
}

func naivePen(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Pow(math.Max(0, math.Abs(v)-5), 2)
	}
	return sum
}

// A naive point is a vector with the maps of the definitions.
type naive []float64

func (x naive) each(f func(i int, v float64) float64) naive {
	y := make(naive, len(x))
	for i, v := range x {
		y[i] = f(i, v)
	}
	return y
}

func (x naive) sum(f func(i int, v float64) float64) float64 {
	total := 0.0
	for _, v := range x.each(f) {
		total += v
	}
	return total
}

func (x naive) minus(c []float64) naive {
	return x.each(func(i int, v float64) float64 { return v - c[i] })
}

func (x naive) times(m linear) naive {
	return mat.Col(nil, 0, func() mat.Matrix {
		var y mat.Dense
		y.Mul(matrix(m), mat.NewVecDense(len(x), x))
		return &y
	}())
}

func (x naive) osc() naive { return x.each(func(_ int, v float64) float64 { return naiveOsc(v) }) }

func (x naive) asy(beta float64) naive {
	return x.each(func(i int, v float64) float64 { return naiveAsy(beta, v, i, len(x)) })
}

func (x naive) at(i int) float64 { return float64(i) / float64(len(x)-1) }

func (x naive) lambda(alpha float64) naive {
	return x.each(func(i int, v float64) float64 { return math.Pow(alpha, 0.5*x.at(i)) * v })
}

func (x naive) squares(weight func(i int) float64) float64 {
	return x.sum(func(i int, v float64) float64 { return weight(i) * v * v })
}

func (x naive) rastrigin() float64 {
	waves := x.sum(func(_ int, v float64) float64 { return math.Cos(2 * math.Pi * v) })
	return 10*(float64(len(x))-waves) + x.squares(func(int) float64 { return 1 })
}

func (x naive) rosenbrock() float64 {
	return x[:len(x)-1].sum(func(i int, v float64) float64 {
		return 100*math.Pow(v*v-x[i+1], 2) + (v-1)*(v-1)
	})
}

// value is the value of function k of the instance at x, less f_opt.
func (x naive) value(k int, in *instance) float64 {
	d, n := len(x), float64(len(x))
	t := x.minus(in.xopt)
	pen := naivePen(x)
	gamma := math.Max(1, math.Sqrt(n)/8)
	turned := func() naive {
		return x.times(in.r).each(func(_ int, v float64) float64 { return gamma*v + 0.5 })
	}
	switch k {
	case 1:
		return t.squares(func(int) float64 { return 1 })
	case 2:
		return t.osc().squares(func(i int) float64 { return math.Pow(10, 6*x.at(i)) })
	case 3:
		return t.osc().asy(0.2).lambda(10).rastrigin()
	case 4:
		return t.osc().each(func(i int, v float64) float64 {
			s := math.Pow(10, 0.5*x.at(i))
			if v > 0 && (i+1)%2 == 1 {
				s *= 10
			}
			return s * v
		}).rastrigin() + 100*pen
	case 5:
		return x.sum(func(i int, v float64) float64 {
			s := math.Copysign(math.Pow(10, x.at(i)), in.xopt[i])
			if in.xopt[i]*v >= 25 {
				v = in.xopt[i]
			}
			return 5*math.Abs(s) - s*v
		})
	case 6:
		return math.Pow(naiveOsc(t.times(in.r).lambda(10).times(in.q).sum(func(i int, v float64) float64 {
			if v*in.xopt[i] > 0 {
				v *= 100
			}
			return v * v
		})), 0.9)
	case 7:
		hat := t.times(in.r).lambda(10)
		z := hat.each(func(_ int, v float64) float64 {
			if math.Abs(v) > 0.5 {
				return math.Floor(0.5 + v)
			}
			return math.Floor(0.5+10*v) / 10
		}).times(in.q)
		return 0.1*math.Max(math.Abs(hat[0])/1e4, z.squares(func(i int) float64 { return math.Pow(10, 2*x.at(i)) })) + pen
	case 8:
		return t.each(func(_ int, v float64) float64 { return gamma*v + 1 }).rosenbrock()
	case 9:
		return turned().rosenbrock()
	case 10:
		return t.times(in.r).osc().squares(func(i int) float64 { return math.Pow(10, 6*x.at(i)) })
	case 11:
		z := t.times(in.r).osc()
		return 1e6*z[0]*z[0] + z[1:].squares(func(int) float64 { return 1 })
	case 12:
		z := t.times(in.r).asy(0.5).times(in.r)
		return z[0]*z[0] + 1e6*z[1:].squares(func(int) float64 { return 1 })
	case 13:
		z := t.times(in.r).lambda(10).times(in.q)
		return z[0]*z[0] + 100*math.Sqrt(z[1:].squares(func(int) float64 { return 1 }))
	case 14:
		return math.Sqrt(t.times(in.r).sum(func(i int, v float64) float64 { return math.Pow(math.Abs(v), 2+4*x.at(i)) }))
	case 15:
		return t.times(in.r).osc().asy(0.2).times(in.q).lambda(10).times(in.r).rastrigin()
	case 16:
		f0 := 0.0
		for k := range 12 {
			f0 += math.Pow(0.5, float64(k)) * math.Cos(2*math.Pi*math.Pow(3, float64(k))*0.5)
		}
		waves := t.times(in.r).osc().times(in.q).lambda(1.0 / 100).times(in.r).sum(func(_ int, v float64) float64 {
			sum := 0.0
			for k := range 12 {
				sum += math.Pow(0.5, float64(k)) * math.Cos(2*math.Pi*math.Pow(3, float64(k))*(v+0.5))
			}
			return sum
		})
		return 10*math.Pow(waves/n-f0, 3) + 10/n*pen
	case 17, 18:
		alpha := map[int]float64{17: 10, 18: 1000}[k]
		z := t.times(in.r).asy(0.5).times(in.q).lambda(alpha)
		return math.Pow(z[:d-1].sum(func(i int, v float64) float64 {
			s := math.Hypot(v, z[i+1])
			return math.Sqrt(s) + math.Sqrt(s)*math.Pow(math.Sin(50*math.Pow(s, 0.2)), 2)
		})/(n-1), 2) + 10*pen
	case 19:
		z := turned()
		return 10/(n-1)*z[:d-1].sum(func(i int, v float64) float64 {
			s := 100*math.Pow(v*v-z[i+1], 2) + (v-1)*(v-1)
			return s/4000 - math.Cos(s)
		}) + 10
	}
	return x.weakValue(k, in)
}

// weakValue is value for functions 20 to 24.
func (x naive) weakValue(k int, in *instance) float64 {
	d, n := len(x), float64(len(x))
	t := x.minus(in.xopt)
	pen := naivePen(x)
	sign := func(i int) float64 { return math.Copysign(1, in.xopt[i]) }
	switch k {
	case 20:
		hat := x.each(func(i int, v float64) float64 { return 2 * sign(i) * v })
		z := hat.each(func(i int, v float64) float64 {
			if i > 0 {
				v += 0.25 * (hat[i-1] - 2*math.Abs(in.xopt[i-1]))
			}
			return v - 2*math.Abs(in.xopt[i])
		}).lambda(10).each(func(i int, v float64) float64 { return 100 * (v + 2*math.Abs(in.xopt[i])) })
		return -z.sum(func(_ int, v float64) float64 { return v * math.Sin(math.Sqrt(math.Abs(v))) })/(100*n) +
			4.189828872724339 + 100*naivePen(z.each(func(_ int, v float64) float64 { return v / 100 }))
	case 21, 22:
		count := map[int]int{21: 101, 22: 21}[k]
		alphaFirst := map[int]float64{21: 1000, 22: 1000 * 1000}[k]
		reach := map[int]float64{21: 5, 22: 4.9}[k]
		order := in.params.Perm(count - 1)
		highest := 0.0
		for i := range count {
			y, w, alpha := naive(in.xopt), 10.0, alphaFirst
			if i > 0 {
				w = 1.1 + 8*float64(i+1-2)/float64(count-2)
				alpha = math.Pow(1000, 2*float64(order[i-1])/float64(count-2))
				y = in.uniform(reach)
			}
			c := make(naive, d)
			for j := range c {
				c[j] = math.Pow(alpha, 0.5*x.at(j)) / math.Pow(alpha, 0.25)
			}
			in.params.Shuffle(d, func(j, k int) { c[j], c[k] = c[k], c[j] })
			form := x.minus(y).times(in.r).squares(func(j int) float64 { return c[j] })
			highest = math.Max(highest, w*math.Exp(-form/(2*n)))
		}
		return math.Pow(naiveOsc(10-highest), 2) + pen
	case 23:
		product := 1.0
		for i, z := range t.times(in.r).lambda(100).times(in.q) {
			sum := 0.0
			for j := 1; j <= 32; j++ {
				two := math.Pow(2, float64(j))
				sum += math.Abs(two*z-math.Round(two*z)) / two
			}
			product *= math.Pow(1+float64(i+1)*sum, 10/math.Pow(n, 1.2))
		}
		return 10/(n*n)*product - 10/(n*n) + pen
	case 24:
		s := 1 - 1/(2*math.Sqrt(n+20)-8.2)
		mu1 := -math.Sqrt((2.5*2.5 - 1) / s)
		hat := x.each(func(i int, v float64) float64 { return 2 * sign(i) * v })
		first := hat.sum(func(_ int, v float64) float64 { return (v - 2.5) * (v - 2.5) })
		second := hat.sum(func(_ int, v float64) float64 { return (v - mu1) * (v - mu1) })
		waves := hat.each(func(_ int, v float64) float64 { return v - 2.5 }).times(in.r).lambda(100).times(in.q).sum(
			func(_ int, v float64) float64 { return math.Cos(2 * math.Pi * v) })
		return math.Min(first, n+s*second) + 10*(n-waves) + 1e4*pen
	}
	panic(k)
}

// The values of every function are those of its published definition: in the domain, outside
// of it, where penalties count, and close to the optimum.
func TestBBOBDefinitions(t *testing.T) {
	for k := 1; k <= 24; k++ {
		for _, c := range flags.Sample([]struct {
			d   int
			mix string
		}{{2, ""}, {5, ""}, {20, ""}, {40, ""}, {5, blockMix}, {90, blockMix}}, 3) {
			spec := Spec{Name: fmt.Sprintf("bbob-%d", k), Dim: c.d, Mix: c.mix, Seed: uint64(k)}
			t.Run(fmt.Sprintf("%s/%d%s", spec.Name, c.d, c.mix), func(t *testing.T) {
				n := 12
				p := drawn(t, spec)
				r := rng.Seed(7).Stream("test")
				points, values := mat.NewDense(n, c.d, nil), make([]float64, n)
				for i := range n {
					x := points.RawRowView(i)
					r.Norm(x)
					for j := range x {
						switch {
						case i < 6:
							x[j] = 10*r.Float64() - 5
						case i < 9:
							x[j] *= 4
						default:
							x[j] = p.Minimiser()[j] + x[j]*math.Pow(10, float64(6-i))
						}
					}
				}
				if err := p.Evaluate(context.Background(), points, values); err != nil {
					t.Fatal(err)
				}
				f, _ := bbobNamed(spec.Name)
				for i, got := range values {
					in := f.instance(spec)
					want := naive(points.RawRowView(i)).value(k, in)
					if got -= in.fopt; !(math.Abs(got-want) <= 1e-9*math.Abs(want)+1e-11) {
						t.Errorf("point %d: %v, the definition %v", i, got, want)
					}
				}
			})
		}
	}
}

func drawn(t testing.TB, s Spec) *Problem {
	t.Helper()
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
