package leastsquares

import "math"

// A function is one of the 22 of J. J. Moré, B. S. Garbow and K. E. Hillstrom, "Testing unconstrained
// optimization software", 1981, as J. J. Moré and S. M. Wild, "Benchmarking derivative-free optimization
// algorithms", 2009, use them: the residuals of a point, and where to start.
type function struct {
	name      string
	residuals func(x []float64, m int) []float64
	start     func(n int) []float64
}

// A problem is a function with its dimensions, a start that is ten times as far if far, and the least sum
// of squares that is known.
type problem struct {
	f     int
	n, m  int
	far   bool
	least float64
}

// suite are the 53 problems of Moré and Wild.
var suite = []problem{
	{1, 9, 45, false, 36}, {1, 9, 45, true, 36}, {2, 7, 35, false, 8.380281690143324}, {2, 7, 35, true, 8.380281690143324},
	{3, 7, 35, false, 9.880597014926506}, {3, 7, 35, true, 9.880597014926506}, {4, 2, 2, false, 0}, {4, 2, 2, true, 0},
	{5, 3, 3, false, 0}, {5, 3, 3, true, 0}, {6, 4, 4, false, 0}, {6, 4, 4, true, 0},
	{7, 2, 2, false, 48.98425367924011}, {7, 2, 2, true, 48.98425367924011}, {8, 3, 15, false, 8.214877306578963e-3}, {8, 3, 15, true, 17.42869333333333},
	{9, 4, 11, false, 3.075056038492363e-4}, {10, 3, 16, false, 87.94585517018605},
	{11, 6, 31, false, 2.287670053552372e-3}, {11, 6, 31, true, 2.287670053552372e-3}, {11, 9, 31, false, 1.399760138095796e-6}, {11, 9, 31, true, 1.399760138095796e-6},
	{11, 12, 31, false, 4.722381078684366e-10}, {11, 12, 31, true, 4.722381078684366e-10}, {12, 3, 10, false, 0}, {13, 2, 10, false, 124.3621823556148},
	{14, 4, 20, false, 85822.20162635628}, {14, 4, 20, true, 85822.20162635628},
	{15, 6, 6, false, 0}, {15, 7, 7, false, 0}, {15, 8, 8, false, 3.516873725677905e-3}, {15, 9, 9, false, 0}, {15, 10, 10, false, 4.772714e-3}, {15, 11, 11, false, 2.799762e-3},
	{16, 10, 10, false, 0}, {17, 5, 33, false, 5.464894697483038e-5}, {18, 11, 65, false, 4.01377362935478e-2}, {18, 11, 65, true, 4.01377362935478e-2},
	{19, 8, 8, false, 10.23897}, {19, 10, 12, false, 18.28117}, {19, 11, 14, false, 22.26060}, {19, 12, 16, false, 26.27277},
	{20, 5, 5, false, 0}, {20, 6, 6, false, 0}, {20, 8, 8, false, 0},
	{21, 5, 5, false, 0}, {21, 5, 5, true, 0}, {21, 8, 8, false, 0}, {21, 10, 10, false, 0}, {21, 12, 12, false, 0}, {21, 12, 12, true, 0},
	{22, 8, 8, false, 0}, {22, 8, 8, true, 0},
}

// from returns where a problem starts.
func (p problem) from() []float64 {
	x := functions[p.f-1].start(p.n)
	if p.far {
		for i := range x {
			x[i] *= 10
		}
	}
	return x
}

func constant(v float64) func(int) []float64 {
	return func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = v
		}
		return x
	}
}

func fixed(x ...float64) func(int) []float64 {
	return func(int) []float64 { return append([]float64(nil), x...) }
}

func sumOf(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

var (
	bardY    = []float64{.14, .18, .22, .25, .29, .32, .35, .39, .37, .58, .73, .96, 1.34, 2.10, 4.39}
	kowalikV = []float64{4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625}
	kowalikY = []float64{.1957, .1947, .1735, .16, .0844, .0627, .0456, .0342, .0323, .0235, .0246}
	meyerY   = []float64{34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872}
	osborne1 = []float64{.844, .908, .932, .936, .925, .908, .881, .85, .818, .784, .751, .718, .685, .658, .628, .603, .58, .558, .538, .522, .506, .49, .478, .467, .457, .448, .438, .431, .424, .42, .414, .411, .406}
	osborne2 = []float64{1.366, 1.191, 1.112, 1.013, .991, .885, .831, .847, .786, .725, .746, .679, .608, .655, .616, .606, .602, .626, .651, .724, .649, .649, .694, .644, .624, .661, .612, .558, .533, .495, .5, .423, .395, .375, .372, .391, .396, .405, .428, .429, .523, .562, .607, .653, .672, .708, .633, .668, .645, .632, .591, .559, .597, .625, .739, .71, .729, .72, .636, .581, .428, .292, .162, .098, .054}
)

var functions = []function{
	{"linear, full rank", func(x []float64, m int) []float64 {
		r, s := make([]float64, m), 2*sumOf(x)/float64(m)
		for i := range r {
			if r[i] = -1 - s; i < len(x) {
				r[i] += x[i]
			}
		}
		return r
	}, constant(1)},
	{"linear, rank 1", func(x []float64, m int) []float64 {
		r, s := make([]float64, m), 0.
		for j, v := range x {
			s += float64(j+1) * v
		}
		for i := range r {
			r[i] = float64(i+1)*s - 1
		}
		return r
	}, constant(1)},
	{"linear, rank 1, zero columns and rows", func(x []float64, m int) []float64 {
		r, s := make([]float64, m), 0.
		for j := 1; j < len(x)-1; j++ {
			s += float64(j+1) * x[j]
		}
		for i := range r {
			if r[i] = float64(i)*s - 1; i == m-1 {
				r[i] = -1
			}
		}
		return r
	}, constant(1)},
	{"Rosenbrock", func(x []float64, _ int) []float64 { return []float64{10 * (x[1] - x[0]*x[0]), 1 - x[0]} }, fixed(-1.2, 1)},
	{"helical valley", func(x []float64, _ int) []float64 {
		theta := math.Copysign(.25, x[1])
		if x[0] > 0 {
			theta = math.Atan(x[1]/x[0]) / (2 * math.Pi)
		} else if x[0] < 0 {
			theta = math.Atan(x[1]/x[0])/(2*math.Pi) + .5
		}
		return []float64{10 * (x[2] - 10*theta), 10 * (math.Hypot(x[0], x[1]) - 1), x[2]}
	}, fixed(-1, 0, 0)},
	{"Powell singular", func(x []float64, _ int) []float64 {
		return []float64{x[0] + 10*x[1], math.Sqrt(5) * (x[2] - x[3]), (x[1] - 2*x[2]) * (x[1] - 2*x[2]), math.Sqrt(10) * (x[0] - x[3]) * (x[0] - x[3])}
	}, fixed(3, -1, 0, 1)},
	{"Freudenstein and Roth", func(x []float64, _ int) []float64 {
		return []float64{-13 + x[0] + ((5-x[1])*x[1]-2)*x[1], -29 + x[0] + ((1+x[1])*x[1]-14)*x[1]}
	}, fixed(.5, -2)},
	{"Bard", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range r {
			u, v := float64(i+1), float64(15-i)
			r[i] = bardY[i] - (x[0] + u/(x[1]*v+x[2]*min(u, v)))
		}
		return r
	}, fixed(1, 1, 1)},
	{"Kowalik and Osborne", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i, v := range kowalikV {
			r[i] = kowalikY[i] - x[0]*(v*(v+x[1]))/(v*(v+x[2])+x[3])
		}
		return r
	}, fixed(.25, .39, .415, .39)},
	{"Meyer", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range r {
			r[i] = x[0]*math.Exp(x[1]/(5*float64(i+1)+45+x[2])) - meyerY[i]
		}
		return r
	}, fixed(.02, 4000, 250)},
	{"Watson", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range 29 {
			t, a, b, power := float64(i+1)/29, 0., 0., 1.
			for j, v := range x {
				b += power * v
				if j+1 < len(x) {
					a += float64(j+1) * power * x[j+1]
				}
				power *= t
			}
			r[i] = a - b*b - 1
		}
		r[29], r[30] = x[0], x[1]-x[0]*x[0]-1
		return r
	}, constant(.5)},
	{"Box", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range r {
			t := float64(i+1) / 10
			r[i] = math.Exp(-t*x[0]) - math.Exp(-t*x[1]) + (math.Exp(-float64(i+1))-math.Exp(-t))*x[2]
		}
		return r
	}, fixed(0, 10, 20)},
	{"Jennrich and Sampson", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range r {
			t := float64(i + 1)
			r[i] = 2 + 2*t - math.Exp(t*x[0]) - math.Exp(t*x[1])
		}
		return r
	}, fixed(.3, .4)},
	{"Brown and Dennis", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range r {
			t := float64(i+1) / 5
			a, b := x[0]+t*x[1]-math.Exp(t), x[2]+math.Sin(t)*x[3]-math.Cos(t)
			r[i] = a*a + b*b
		}
		return r
	}, fixed(25, 5, -5, -1)},
	{"Chebyquad", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for _, v := range x {
			a, b := 1., 2*v-1
			t := 2 * b
			for i := range r {
				r[i] += b
				a, b = b, t*b-a
			}
		}
		for i := range r {
			if r[i] /= float64(len(x)); i%2 == 1 {
				r[i] += 1 / (float64((i+1)*(i+1)) - 1)
			}
		}
		return r
	}, func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i+1) / float64(n+1)
		}
		return x
	}},
	{"Brown almost linear", func(x []float64, m int) []float64 {
		r, s, product := make([]float64, m), sumOf(x)-float64(len(x)+1), 1.
		for i, v := range x {
			product *= v
			r[i] = v + s
		}
		r[m-1] = product - 1
		return r
	}, constant(.5)},
	{"Osborne 1", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range r {
			t := 10 * float64(i)
			r[i] = osborne1[i] - (x[0] + x[1]*math.Exp(-x[3]*t) + x[2]*math.Exp(-x[4]*t))
		}
		return r
	}, fixed(.5, 1.5, 1, .01, .02)},
	{"Osborne 2", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		for i := range r {
			t := float64(i) / 10
			square := func(v float64) float64 { return v * v }
			r[i] = osborne2[i] - (x[0]*math.Exp(-x[4]*t) + x[1]*math.Exp(-x[5]*square(t-x[8])) + x[2]*math.Exp(-x[6]*square(t-x[9])) + x[3]*math.Exp(-x[7]*square(t-x[10])))
		}
		return r
	}, fixed(1.3, .65, .65, .7, .6, 3, 5, 7, 2, 4.5, 5.5)},
	{"Bdqrtic", func(x []float64, m int) []float64 {
		n := len(x)
		r := make([]float64, m)
		for i := range n - 4 {
			r[i] = 3 - 4*x[i]
			r[n-4+i] = x[i]*x[i] + 2*x[i+1]*x[i+1] + 3*x[i+2]*x[i+2] + 4*x[i+3]*x[i+3] + 5*x[n-1]*x[n-1]
		}
		return r
	}, constant(1)},
	{"Cube", func(x []float64, m int) []float64 {
		r := make([]float64, m)
		r[0] = x[0] - 1
		for i := 1; i < m; i++ {
			r[i] = 10 * (x[i] - x[i-1]*x[i-1]*x[i-1])
		}
		return r
	}, constant(.5)},
	{"Mancino", mancino, func(n int) []float64 {
		x := mancino(make([]float64, n), n)
		for i := range x {
			x[i] *= -8.710996e-4
		}
		return x
	}},
	{"Heart", func(x []float64, _ int) []float64 {
		return []float64{
			x[0] + x[1] + .69, x[2] + x[3] + .044,
			x[4]*x[0] + x[5]*x[1] - x[6]*x[2] - x[7]*x[3] + 1.57,
			x[6]*x[0] + x[7]*x[1] + x[4]*x[2] + x[5]*x[3] + 1.31,
			x[0]*(x[4]*x[4]-x[6]*x[6]) - 2*x[2]*x[4]*x[6] + x[1]*(x[5]*x[5]-x[7]*x[7]) - 2*x[3]*x[5]*x[7] + 2.65,
			x[2]*(x[4]*x[4]-x[6]*x[6]) + 2*x[0]*x[4]*x[6] + x[3]*(x[5]*x[5]-x[7]*x[7]) + 2*x[1]*x[5]*x[7] - 2,
			x[0]*x[4]*(x[4]*x[4]-3*x[6]*x[6]) + x[2]*x[6]*(x[6]*x[6]-3*x[4]*x[4]) + x[1]*x[5]*(x[5]*x[5]-3*x[7]*x[7]) + x[3]*x[7]*(x[7]*x[7]-3*x[5]*x[5]) + 12.6,
			x[2]*x[4]*(x[4]*x[4]-3*x[6]*x[6]) - x[0]*x[6]*(x[6]*x[6]-3*x[4]*x[4]) + x[3]*x[5]*(x[5]*x[5]-3*x[7]*x[7]) - x[1]*x[7]*(x[7]*x[7]-3*x[5]*x[5]) - 9.48,
		}
	}, fixed(-.3, -.39, .3, -.344, -1.2, 2.69, 1.59, -1.5)},
}

// mancino has the residuals of Mancino's function; its start is a multiple of those at 0.
func mancino(x []float64, m int) []float64 {
	r := make([]float64, m)
	for i := range r {
		sum := 0.
		for j := range x {
			v := math.Sqrt(x[i]*x[i] + float64(i+1)/float64(j+1))
			s, c := math.Sincos(math.Log(v))
			sum += v * (math.Pow(s, 5) + math.Pow(c, 5))
		}
		r[i] = 1400*x[i] + math.Pow(float64(i+1)-50, 3) + sum
	}
	return r
}
