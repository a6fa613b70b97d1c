package acceptance

import (
	"math"
	"math/cmplx"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A fit is a calibration as one value: the sum of squares of what a model of some parameters says less what was
// measured, in units of the error of a measurement. Parameters are searched as they stand here; those of rates and
// sizes are logarithms to the base 10.
type fit struct {
	name   string
	held   bool // it was looked at only at the end
	lo, hi []float64
	truth  []float64
	model  func(p []float64) []float64
}

// error of a measurement, as a part of the largest.
const fitError = 0.01

// objective returns the sum of squares. What is measured is the truth with errors that are always the same.
func (f fit) objective() objective.Objective {
	measured, stream := f.model(f.truth), rng.Seed(1).Stream("fits", f.name)
	most := 0.0
	for _, v := range measured {
		most = max(most, math.Abs(v))
	}
	for i := range measured {
		measured[i] += fitError * most * stream.NormFloat64()
	}
	return objective.Func(len(f.lo), func(p []float64) (sum float64) {
		for i, v := range f.model(p) {
			sum += math.Pow((v-measured[i])/(fitError*most), 2)
		}
		return sum
	})
}

// times returns n equal steps up to the end, from the first step on.
func times(n int, end float64) (all []float64) {
	for i := range n {
		all = append(all, end*float64(i+1)/float64(n))
	}
	return all
}

// curve returns a function at all times.
func curve(t []float64, f func(t float64) float64) (y []float64) {
	for _, v := range t {
		y = append(y, f(v))
	}
	return y
}

func ten(p float64) float64 { return math.Pow(10, p) }

// solved returns some components of y' = f(t, y) at n equal times, by ten steps of Runge and Kutta between any two.
func solved(n int, end float64, y []float64, seen []int, f func(t float64, y, d []float64)) (out []float64) {
	const parts = 10
	m, h := len(y), end/float64(n*parts)
	y = append([]float64(nil), y...)
	k, z := make([][]float64, 4), make([]float64, m)
	for i := range k {
		k[i] = make([]float64, m)
	}
	for step := range n * parts {
		t := float64(step) * h
		for i, c := range []float64{0, h / 2, h / 2, h} {
			for j := range z {
				if z[j] = y[j]; i > 0 {
					z[j] += c * k[i-1][j]
				}
			}
			f(t+c, z, k[i])
		}
		for j := range y {
			y[j] += h / 6 * (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])
		}
		if step%parts == parts-1 {
			for _, j := range seen {
				out = append(out, y[j])
			}
		}
	}
	return out
}

// fits are twenty calibrations.
var fits = []fit{
	{"two exponentials", false, []float64{0, -2, 0, -2}, []float64{5, 1, 5, 1}, []float64{2, -0.8, 3, 0.2}, func(p []float64) []float64 {
		return curve(times(30, 10), func(t float64) float64 { return p[0]*math.Exp(-ten(p[1])*t) + p[2]*math.Exp(-ten(p[3])*t) })
	}},
	{"three exponentials", true, []float64{0, -2, 0, -2, 0, -2}, []float64{5, 1, 5, 1, 5, 1}, []float64{2, -1.2, 3, -0.3, 4, 0.5}, func(p []float64) []float64 {
		return curve(times(50, 20), func(t float64) float64 {
			return p[0]*math.Exp(-ten(p[1])*t) + p[2]*math.Exp(-ten(p[3])*t) + p[4]*math.Exp(-ten(p[5])*t)
		})
	}},
	{"inhibited enzyme", false, []float64{-1, -2, -1, -1}, []float64{2, 2, 3, 1}, []float64{0.7, 0.1, 1.2, 0.2}, func(p []float64) []float64 {
		return curve(times(25, 40), func(s float64) float64 { return ten(p[0])*s/(ten(p[1])+s+s*s/ten(p[2])) + p[3] })
	}},
	{"reactions in a row", true, []float64{-2, -2, -2, 0.5}, []float64{1, 1, 1, 2}, []float64{-0.3, -0.9, -1.3, 1.2}, func(p []float64) []float64 {
		return solved(20, 20, []float64{p[3], 0, 0}, []int{0, 1, 2}, func(_ float64, y, d []float64) {
			forward, back, last := ten(p[0])*y[0], ten(p[1])*y[1], ten(p[2])*y[1]
			d[0], d[1], d[2] = back-forward, forward-back-last, last
		})
	}},
	{"Arrhenius", false, []float64{-2, 20, -3, 20, 0.5, -0.2}, []float64{1, 120, 0, 120, 1.5, 0.2}, []float64{-0.5, 60, -1.4, 90, 1.1, 0.05}, func(p []float64) (all []float64) {
		for _, kelvin := range []float64{330, 350, 370} {
			x := (1/350. - 1/kelvin) * 1000 / 8.314
			first, second := ten(p[0])*math.Exp(p[1]*x), ten(p[2])*math.Exp(p[3]*x)
			all = append(all, solved(12, 12, []float64{p[4], p[5]}, []int{0, 1}, func(_ float64, y, d []float64) {
				d[0], d[1] = -first*y[0], first*y[0]-second*y[1]
			})...)
		}
		return all
	}},
	{"epidemic", true, []float64{-1, -2, -5, -1}, []float64{0.7, 0.5, -1, 0}, []float64{-0.2, -0.7, -3, -0.4}, func(p []float64) []float64 {
		return scaled(ten(p[3]), solved(40, 60, []float64{1 - ten(p[2]), ten(p[2])}, []int{1}, func(_ float64, y, d []float64) {
			infected := ten(p[0]) * y[0] * y[1]
			d[0], d[1] = -infected, infected-ten(p[1])*y[1]
		}))
	}},
	{"two waves", false, []float64{-1, -1.5, 20, -1.5, -2, -5}, []float64{0.5, 0.5, 60, 0.5, 0.3, -1}, []float64{-0.1, -0.9, 35, -0.5, -0.6, -3}, func(p []float64) []float64 {
		return solved(50, 100, []float64{1 - ten(p[5]), 0, ten(p[5])}, []int{2}, func(t float64, y, d []float64) {
			share := 1 / (1 + math.Exp(-(t-p[2])/3))
			infected := (ten(p[0])*(1-share) + ten(p[1])*share) * y[0] * y[2]
			d[0], d[1], d[2] = -infected, infected-ten(p[3])*y[1], ten(p[3])*y[1]-ten(p[4])*y[2]
		})
	}},
	{"pendulum", true, []float64{0, -2, -1.5, -2, 0}, []float64{1.2, 0, 1.5, 2, 2}, []float64{0.7, -0.9, 1, 0.3, 0.6}, func(p []float64) []float64 {
		return solved(60, 12, []float64{p[2], p[3]}, []int{0}, func(t float64, y, d []float64) {
			d[0], d[1] = y[1], -ten(p[0])*math.Sin(y[0])-ten(p[1])*y[1]+p[4]*math.Cos(2*t)
		})
	}},
	{"two resonances", false, []float64{-2, -3, -3, -2, -3, -3}, []float64{1, 1, 1, 1, 1, 1}, []float64{-0.7, -1, -1.2, -0.4, -0.3, -1.6}, func(p []float64) []float64 {
		return curve(times(60, 40), func(w float64) float64 {
			part := func(r, l, c float64) float64 {
				return 1 / math.Hypot(ten(r), ten(l)*w-1/(ten(c)*w))
			}
			return part(p[0], p[1], p[2]) + part(p[3], p[4], p[5])
		})
	}},
	{"battery", true, []float64{-1, -1, -4, 0.4, -1}, []float64{1, 2, -1, 1, 2}, []float64{0.1, 0.9, -2.6, 0.8, 0.4}, func(p []float64) (all []float64) {
		for k := range 30 {
			w := ten(-1 + float64(k)/6)
			angle := p[3] * math.Pi / 2
			admittance := complex(1/ten(p[1]), 0) + complex(ten(p[2])*math.Pow(w, p[3])*math.Cos(angle), ten(p[2])*math.Pow(w, p[3])*math.Sin(angle))
			diffusion := complex(ten(p[4])/math.Sqrt(2*w), -ten(p[4])/math.Sqrt(2*w))
			z := complex(ten(p[0]), 0) + 1/admittance + diffusion
			all = append(all, math.Log(cmplx.Abs(z)), cmplx.Phase(z))
		}
		return all
	}},
	{"two peaks", false, []float64{0, 0, -1, 0, 0, -1}, []float64{5, 10, 0.7, 5, 10, 0.7}, []float64{2, 3, -0.1, 3.5, 6.5, 0.2}, func(p []float64) []float64 {
		return curve(times(50, 10), func(t float64) float64 {
			return p[0]*math.Exp(-math.Pow((t-p[1])/ten(p[2]), 2)) + p[3]*math.Exp(-math.Pow((t-p[4])/ten(p[5]), 2))
		})
	}},
	{"three lines on a slope", true, []float64{0, 0, -1, 0, 0, -1, 0, 0, -1, -1, -0.2}, []float64{5, 10, 0.5, 5, 10, 0.5, 5, 10, 0.5, 1, 0.2},
		[]float64{2, 2, -0.3, 4, 5, -0.5, 3, 8, 0, 0.3, 0.05}, func(p []float64) []float64 {
			return curve(times(80, 10), func(t float64) float64 {
				y := p[9] + p[10]*t
				for k := 0; k < 9; k += 3 {
					y += p[k] / (1 + math.Pow((t-p[k+1])/ten(p[k+2]), 2))
				}
				return y
			})
		}},
	{"predator and prey", false, []float64{-1, -1, -1, -1, 0.1, 0.1}, []float64{0.7, 0.7, 0.7, 0.7, 3, 3}, []float64{0, -0.1, 0.1, -0.2, 1.5, 0.8}, func(p []float64) []float64 {
		return solved(30, 15, p[4:6], []int{0, 1}, func(_ float64, y, d []float64) {
			d[0], d[1] = y[0]*(ten(p[0])-ten(p[1])*y[1]), y[1]*(ten(p[2])*y[0]-ten(p[3]))
		})
	}},
	{"nerve", true, []float64{-0.5, 0, 0.5, -2, -1}, []float64{0.8, 1, 5, 2, 2}, []float64{0.2, 0.2, 3, -1, 1}, func(p []float64) []float64 {
		return solved(60, 20, []float64{p[3], p[4]}, []int{0, 1}, func(_ float64, y, d []float64) {
			d[0], d[1] = p[2]*(y[0]-y[0]*y[0]*y[0]/3+y[1]), -(y[0]-p[0]+p[1]*y[1])/p[2]
		})
	}},
	{"growth in two phases", false, []float64{0, -2, 0, 0, -2, 0}, []float64{5, 0.5, 15, 5, 0.5, 30}, []float64{2, -0.2, 5, 3, -0.4, 18}, func(p []float64) []float64 {
		return curve(times(40, 40), func(t float64) float64 {
			return p[0]*math.Exp(-math.Exp(-ten(p[1])*(t-p[2]))) + p[3]*math.Exp(-math.Exp(-ten(p[4])*(t-p[5])))
		})
	}},
	{"medicine", true, []float64{-1.5, -2, -2, -2, 0}, []float64{1, 0.5, 0.5, 0.5, 2}, []float64{0.1, -0.6, -0.4, -0.9, 1}, func(p []float64) []float64 {
		return scaled(1/ten(p[4]), solved(25, 24, []float64{100, 0, 0}, []int{1}, func(_ float64, y, d []float64) {
			in, out, there, back := ten(p[0])*y[0], ten(p[1])*y[1], ten(p[2])*y[1], ten(p[3])*y[2]
			d[0], d[1], d[2] = -in, in-out-there+back, there-back
		}))
	}},
	{"dose and response", false, []float64{-1, 0, -4, 0.5, 0, -1, 0.5}, []float64{1, 3, 0, 4, 3, 3, 4}, []float64{0.1, 1, -2, 1.5, 1.6, 1.3, 2}, func(p []float64) []float64 {
		return curve(times(40, 8), func(s float64) float64 {
			x := ten(s - 5)
			return p[0] + p[1]/(1+math.Pow(ten(p[2])/x, p[3])) + p[4]/(1+math.Pow(ten(p[5])/x, p[6]))
		})
	}},
	{"two vibrations", true, []float64{0, -2, 0, -3, 0, -2, 0, -3}, []float64{3, 0.5, 1.2, 3, 3, 0.5, 1.2, 3}, []float64{1.5, -0.8, 0.4, 0.5, 1, -1.1, 0.8, -1}, func(p []float64) []float64 {
		return curve(times(80, 8), func(t float64) (y float64) {
			for k := 0; k < 8; k += 4 {
				y += p[k] * math.Exp(-ten(p[k+1])*t) * math.Cos(ten(p[k+2])*t+p[k+3])
			}
			return y
		})
	}},
	{"water in soil", false, []float64{0, 0.3, -3, 0.05, -1, -1}, []float64{0.2, 0.6, 0, 0.8, 3, 1.5}, []float64{0.08, 0.43, -1.5, 0.3, 1.2, 0.5}, func(p []float64) (all []float64) {
		n := 1 + ten(p[3]) - 1
		m := 1 - 1/max(n, 1.001)
		for k := range 30 {
			full := math.Pow(1+math.Pow(ten(p[2])*ten(float64(k)/6), max(n, 1.001)), -m)
			all = append(all, p[0]+(p[1]-p[0])*full, (p[4]+p[5]*math.Log10(full))/10)
		}
		return all
	}},
	{"ladder of fifteen", true, constant(15, -1), constant(15, 1), []float64{-0.5, 0.2, 0.4, -0.3, 0.1, 0, -0.2, 0.3, -0.1, 0.2, -0.4, 0.5, 0, -0.3, 0.1}, func(p []float64) []float64 {
		return solved(30, 15, constant(7, 0), []int{0, 2, 4, 6}, func(_ float64, y, d []float64) {
			for i := range d {
				left := ten(p[14])
				if i > 0 {
					left = y[i-1]
				}
				d[i] = (left - y[i]) / ten(p[i])
				if i < 6 {
					d[i] -= (y[i] - y[i+1]) / ten(p[i+1])
				}
				d[i] /= ten(p[7+i])
			}
		})
	}},
}

// scaled returns numbers times a factor, and constant n equal ones.
func scaled(by float64, y []float64) []float64 {
	for i := range y {
		y[i] *= by
	}
	return y
}

func constant(n int, v float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = v
	}
	return all
}
