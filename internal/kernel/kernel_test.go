package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func draw(r *rand.Rand, rows, cols, pad int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + pad, Data: make([]float64, rows*(cols+pad))}
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	return m
}

// naiveMulT is the definition, one element at a time.
func naiveMulT(c, a, b blas64.General) {
	for i := range a.Rows {
		for j := range b.Rows {
			sum := 0.0
			for k := range a.Cols {
				sum = math.FMA(a.Data[i*a.Stride+k], b.Data[j*b.Stride+k], sum)
			}
			c.Data[i*c.Stride+j] = sum
		}
	}
}

func TestMulTIsTheDefinitionToTheBit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, m, k := r.IntN(12), r.IntN(12), r.IntN(40)
		a, b := draw(r, n, k, r.IntN(3)), draw(r, m, k, r.IntN(3))
		got, want := draw(r, n, m, 2), draw(r, n, m, 2)
		copy(got.Data, want.Data) // the padding must survive too
		MulT(got, 1, a, b, 0)
		naiveMulT(want, a, b)
		for i := range got.Data {
			if math.Float64bits(got.Data[i]) != math.Float64bits(want.Data[i]) {
				t.Fatalf("n=%d m=%d k=%d: element %d is %v, want %v", n, m, k, i, got.Data[i], want.Data[i])
			}
		}
	}
}

func TestARowDoesNotDependOnItsBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, b := draw(r, 51, 100, 0), draw(r, 100, 100, 0)
	whole := draw(r, 51, 100, 0)
	MulT(whole, 1, a, b, 0)
	for _, split := range []int{1, 2, 7, 50} {
		part := draw(r, 51-split, 100, 0)
		MulT(part, 1, blas64.General{Rows: 51 - split, Cols: 100, Stride: 100, Data: a.Data[split*100:]}, b, 0)
		for i := range part.Data {
			if part.Data[i] != whole.Data[split*100+i] {
				t.Fatalf("split at %d changed element %d", split, i)
			}
		}
	}
}

func TestMulTRefusesShapesThatDoNotFit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	defer func() {
		if recover() == nil {
			t.Fatal("no panic")
		}
	}()
	MulT(draw(r, 2, 2, 0), 1, draw(r, 2, 3, 0), draw(r, 2, 4, 0), 0)
}

func BenchmarkMulT(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, d := range []int{10, 100, 500} {
		x, w, y := draw(r, 50, d, 0), draw(r, d, d, 0), draw(r, 50, d, 0)
		flop := 2 * 50 * float64(d) * float64(d)
		b.Run(fmt.Sprintf("ours/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				MulT(y, 1, x, w, 0)
			}
			b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
		b.Run(fmt.Sprintf("gonum/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, w, 0, y)
			}
			b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
