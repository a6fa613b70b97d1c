package model

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// Looks that are learnt one after another say of E and θ what all of them say together, by least squares with
// one unknown for each number, and so do the standard deviations.
func TestThetaIsLearntWithAllPairs(t *testing.T) {
	const m, pairs, first, looks = 4, 6, 3, 5
	random := rng.Seed(7).Stream("test")
	matrix := func() *mat.Dense {
		z := make([]float64, m*m)
		random.Norm(z)
		return mat.NewDense(m, m, z)
	}
	const s2 = 1e-8
	var eq []equation
	for range looks {
		same := each(m, func(int, int) float64 { return s2 })
		eq = append(eq, equation{r: matrix(), v: matrix(), s2: same, vv: mat.NewDense(m, m, nil), u: [2]*mat.Dense{matrix(), matrix()}})
	}
	const n = 2*pairs + 2
	normal, right := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for k := range looks {
		eachPair(m, func(i, j, p int) {
			row := make([]float64, n)
			row[2*p], row[2*p+1] = eq[k].v.At(i, j), eq[k].v.At(j, i)
			row[n-2], row[n-1] = eq[k].u[0].At(i, j), eq[k].u[1].At(i, j)
			for a, x := range row {
				right.SetVec(a, right.AtVec(a)+x*eq[k].r.At(i, j)/s2)
				for b, y := range row {
					normal.Set(a, b, normal.At(a, b)+x*y/s2)
				}
			}
		})
	}
	var want mat.VecDense
	var covariance mat.Dense
	if err := want.SolveVec(normal, right); err != nil {
		t.Fatal(err)
	}
	if err := covariance.Inverse(normal); err != nil {
		t.Fatal(err)
	}
	for _, free := range []bool{true, false} { // whether θ moves at first, too
		a := system{eq: eq[:first], free: free}.solve()
		var rest []equation
		for _, q := range eq[first:] {
			r := q.r
			q.r = off(m, func(i, j int) float64 {
				i, j = min(i, j), max(i, j)
				return r.At(i, j) - pairOf(q.v, i, j).dot(pairOf(a.e, i, j)) - q.u[0].At(i, j)*a.theta[0] - q.u[1].At(i, j)*a.theta[1]
			})
			rest = append(rest, q)
		}
		b := system{eq: rest, free: true, before: a.total}.solve()
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) < 1e-4*(1+math.Abs(want))) {
				t.Errorf("free %v: %s is %v, want %v", free, what, got, want)
			}
		}
		near("γ", a.theta[0]+b.theta[0], want.AtVec(n-2))
		near("β", a.theta[1]+b.theta[1], want.AtVec(n-1))
		sd := b.total.errors(m, b.ofTheta.covariance()).sd
		eachPair(m, func(i, j, p int) {
			near("E_ij", a.e.At(i, j)+b.e.At(i, j), want.AtVec(2*p))
			near("E_ji", a.e.At(j, i)+b.e.At(j, i), want.AtVec(2*p+1))
			for at, q := range map[[2]int]int{{i, j}: 2 * p, {j, i}: 2*p + 1} {
				if x := sd.At(at[0], at[1]) / math.Sqrt(covariance.At(q, q)); x < 0.99 || x > 2 { // or that in the direction of mixed differences
					t.Errorf("the standard deviation is %v times what it is", x)
				}
			}
		})
	}
}

// Where E explains all that equations say of θ, u_k = v_ij b + v_ji c with the same b and c for all looks, T − AᵀKA is 0, and by rounding
// of either sign: the covariance of θ is finite all the same.
func TestInformationOfThetaIsNotNegative(t *testing.T) {
	const m, looks = 3, 3
	random := rng.Seed(3).Stream("test")
	for range 100 {
		var s system
		size := math.Exp(3 * random.NormFloat64())
		by := [2]float64{random.NormFloat64(), random.NormFloat64()}
		for range looks {
			v := each(m, func(int, int) float64 { return size * random.NormFloat64() })
			along := func(b float64) *mat.Dense {
				return off(m, func(i, j int) float64 { return b * (v.At(min(i, j), max(i, j)) + 3*v.At(max(i, j), min(i, j))) })
			}
			s.eq = append(s.eq, equation{
				r: mat.NewDense(m, m, nil), v: v, vv: mat.NewDense(m, m, nil), s2: each(m, func(int, int) float64 { return 1e-20 }),
				u: [2]*mat.Dense{along(by[0]), along(by[1])},
			})
		}
		c := s.solve().ofTheta.covariance()
		if !(c.a >= 0 && c.c >= 0 && c.a < 1 && c.c <= 1 && c.a*c.c >= c.b*c.b*(1-1e-6)) {
			t.Fatalf("the covariance of θ is %v", c)
		}
	}
}
