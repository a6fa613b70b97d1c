package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// A room is where a BBOB function is computed for a batch. z has the points at their present
// stage, one in each row; the others are spare. All have a stride of d, so that what is done
// to every number is done in one sweep.
type room struct {
	z, v, a, b blas64.General
	more       []float64 // what the function has asked for beyond roomWork
}

// roomWork is the length of scratch.work that a room of d columns needs.
func roomWork(d int) int { return 2 * rowsAtOnce * d }

// newRoom returns a room for n points.
func newRoom(s *scratch, n int) room {
	d := s.y.Cols
	a := blas64.General{Rows: rowsAtOnce, Cols: d, Stride: d, Data: s.work[:rowsAtOnce*d]}
	b := blas64.General{Rows: rowsAtOnce, Cols: d, Stride: d, Data: s.work[rowsAtOnce*d : roomWork(d)]}
	return room{rows(s.y, 0, n), rows(s.t, 0, n), rows(a, 0, n), rows(b, 0, n), s.work[roomWork(d):]}
}

// minus sets z = x − c, where c is tiled.
func (r *room) minus(x blas64.General, c []float64) {
	if x.Stride == x.Cols {
		kernel.Difference(r.z.Data, 1, x.Data, c)
		return
	}
	for i := range x.Rows {
		kernel.Difference(rows(r.z, i, 1).Data, 1, rows(x, i, 1).Data, c[:x.Cols])
	}
}

// tiled repeats a row for as many points as a room may have.
func tiled(v []float64) []float64 {
	all := make([]float64, 0, rowsAtOnce*len(v))
	for range rowsAtOnce {
		all = append(all, v...)
	}
	return all
}

// apply sets z = Mz.
func (r *room) apply(m linear) {
	m.apply(r.v, r.z, r.a)
	r.z, r.v = r.v, r.z
}

// applyTo sets z = Mx.
func (r *room) applyTo(x blas64.General, m linear) { m.apply(r.z, x, r.a) }

// oscillate sets z_i = T_osc(z_i), where with x̂ = log|x|
//
//	T_osc(x) = sign(x) exp(x̂ + 0.049 (sin c₁x̂ + sin c₂x̂)),   T_osc(0) = 0,
//
// c₁ = 10 and c₂ = 7.9 if x > 0, c₁ = 5.5 and c₂ = 3.1 otherwise. It is written as
// x·exp(0.049 (…)), which is exact at 0.
func (r *room) oscillate() {
	z, a, b := r.z.Data, r.a.Data, r.b.Data
	oscillate(z, a[:len(z)], b[:len(z)])
}

// oscillate sets z_i = T_osc(z_i). a and b are spare.
func oscillate(z, a, b []float64) {
	a, b = a[:len(z)], b[:len(z)]
	logs(a, z)
	for i, v := range z {
		negative := math.Float64bits(v) >> 63
		a[i], b[i] = oscillations[negative].c1*a[i], oscillations[negative].c2*a[i]
	}
	kernel.Sin(a, a)
	kernel.Sin(b, b)
	for i, v := range b {
		a[i] = 0.049 * (a[i] + v)
	}
	kernel.Exp(a, a)
	kernel.Product(z, z, a)
}

// oscillations has c₁ and c₂ of T_osc, for positive numbers and for negative ones.
var oscillations = [2]struct{ c1, c2 float64 }{{10, 7.9}, {5.5, 3.1}}

// logs sets dst_i = log|z_i|, and 0 where z_i = 0.
func logs(dst, z []float64) {
	for i, v := range z {
		if v == 0 {
			v = 1
		}
		dst[i] = math.Abs(v)
	}
	kernel.Log(dst, dst)
}

// asymmetric sets z_i = T_asy(z_i) for every point, where with β_i = β(i−1)/(d−1)
//
//	T_asy(x_i) = x_i^(1 + β_i √x_i) if x_i > 0,   x_i otherwise.
//
// It is written as x_i·exp(β_i √x_i log x_i).
func (r *room) asymmetric(beta []float64) {
	z, a, d := r.z.Data, r.a.Data[:len(r.z.Data)], r.z.Cols
	logs(a, z)
	positive := [2]float64{1, 0} // by the sign bit; a number that is not positive gets the factor exp(0)
	for lo := 0; lo < len(z); lo += d {
		z, a, beta := z[lo:lo+d], a[lo:lo+d], beta[:d]
		for j, v := range z {
			a[j] *= beta[j] * math.Sqrt(math.Abs(v)) * positive[math.Float64bits(v)>>63]
		}
	}
	kernel.Exp(a, a)
	kernel.Product(z, z, a)
}

// squares sets dst_i = Σ_j w_j z_ij². It keeps z.
func (r *room) squares(dst, w []float64) {
	kernel.Product(r.a.Data, r.z.Data, r.z.Data)
	kernel.MulVec(dst, r.a, w)
}

// rastrigin sets dst_i = 10(d − Σ_j cos 2πz_ij) + Σ_j z_ij².
func (r *room) rastrigin(dst, ones []float64) {
	a := r.a.Data
	for i, v := range r.z.Data {
		a[i] = 2 * math.Pi * v
	}
	kernel.Cos(a, a)
	for i, v := range r.z.Data {
		a[i] = float64(10*(1-a[i])) + square(v) // exactly 0 at 0
	}
	kernel.MulVec(dst, r.a, ones)
}

// penalty returns f_pen(x) = Σ max(0, |x_i|−5)².
func penalty(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		if over := math.Abs(v) - 5; over > 0 {
			sum += square(over)
		}
	}
	return sum
}

// addPenalty adds c·f_pen to the values of the points x.
func addPenalty(dst []float64, c float64, x blas64.General) {
	for i := range dst {
		dst[i] += float64(c * penalty(rows(x, i, 1).Data))
	}
}

// lambda returns the diagonal of Λ^α: α^(½(i−1)/(d−1)).
func lambda(alpha float64, d int) diagonal { return powers(math.Sqrt(alpha), d) }

// powers returns base^((i−1)/(d−1)) for i = 1, …, d.
func powers(base float64, d int) []float64 {
	w := spread(d)
	for i, at := range w {
		w[i] = power(base, at)
	}
	return w
}

// power returns x^p for x > 0, p ≥ 0. Unlike math.Pow it has the same bits on every machine.
func power(x, p float64) float64 {
	var y [1]float64
	kernel.Pow(y[:], []float64{x}, []float64{p})
	return y[0]
}

func scaled(c float64, v []float64) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = c * v[i]
	}
	return w
}

func ones(d int) []float64 { return powers(1, d) }
