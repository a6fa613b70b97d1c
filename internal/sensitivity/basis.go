package sensitivity

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// cells is how many cubic B-splines differ from 0 at a point.
const order = 4

// A basis is cubic B-splines on n equal intervals of [-reach, reach]. Beyond it they are
// constant.
type basis struct {
	n     int
	reach float64
}

func (b basis) size() int { return b.n + order - 1 }

// at returns the first of the four splines that are not 0 at t, and all four.
func (b basis) at(t float64) (int, [order]float64) {
	u := (t/b.reach + 1) / 2 * float64(b.n)
	u = min(max(u, 0), float64(b.n))
	k := min(int(u), b.n-1)
	u -= float64(k)
	v := 1 - u
	uu, vv := float64(u*u), float64(v*v)
	return k, [order]float64{
		float64(vv*v) / 6,
		(4 - float64(6*uu) + float64(3*uu*u)) / 6,
		(4 - float64(6*vv) + float64(3*vv*v)) / 6,
		float64(uu*u) / 6,
	}
}

// of returns the function with some coefficients at t.
func (b basis) of(coefficients []float64, t float64) float64 {
	k, v := b.at(t)
	sum := 0.0
	for i, c := range v {
		sum += float64(c * coefficients[k+i])
	}
	return sum
}

// differences sets dst to the differences of order q of coefficients.
func differences(coefficients []float64, q int) []float64 {
	out := append([]float64(nil), coefficients...)
	for range q {
		for i := range len(out) - 1 {
			out[i] = out[i+1] - out[i]
		}
		out = out[:len(out)-1]
	}
	return out
}

// roughness returns DᵀD for differences D of order q of n coefficients.
func roughness(n, q int) *mat.SymDense {
	unit := make([]float64, q+1) // (1 − s)^q
	unit[0] = 1
	for k := range q {
		for i := k + 1; i > 0; i-- {
			unit[i] -= unit[i-1]
		}
	}
	out := mat.NewSymDense(n, nil)
	for r := range n - q {
		for i, a := range unit {
			for j := i; j < len(unit); j++ {
				out.SetSym(r+i, r+j, out.At(r+i, r+j)+float64(a*unit[j]))
			}
		}
	}
	return out
}

func rms(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum / max(1, float64(len(v))))
}

// parabolas returns an orthonormal basis of the coefficients of parabolas: they are those of
// parabolas in the number of the spline.
func parabolas(n int) [][]float64 {
	var out [][]float64
	for power := range 3 {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Pow(2*float64(i)/float64(n-1)-1, float64(power))
		}
		for range 2 { // once more, against rounding
			for _, q := range out {
				kernel.AddScaled(v, -kernel.Dot(v, q), q)
			}
		}
		kernel.Normalise(v)
		out = append(out, v)
	}
	return out
}
