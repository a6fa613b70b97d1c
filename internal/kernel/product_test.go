package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"gonum.org/v1/gonum/blas/blas64"
)

// draw returns a random matrix with pad numbers between its rows. If strange is set,
// some of its numbers are odd.
func draw(r *rand.Rand, rows, cols, pad int, strange bool) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + pad, Data: make([]float64, rows*(cols+pad))}
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
		if strange && r.IntN(50) == 0 {
			m.Data[i] = drawOdd(r)
		}
	}
	return m
}

func clone(m blas64.General) blas64.General {
	m.Data = append([]float64(nil), m.Data...)
	return m
}

// turned returns the transpose of m.
func turned(m blas64.General, pad int) blas64.General {
	t := blas64.General{Rows: m.Cols, Cols: m.Rows, Stride: m.Rows + pad, Data: make([]float64, m.Cols*(m.Rows+pad))}
	for i := range m.Rows {
		for j := range m.Cols {
			t.Data[j*t.Stride+i] = m.Data[i*m.Stride+j]
		}
	}
	return t
}

// naiveMul is the definition, one element at a time.
func naiveMul(c blas64.General, alpha float64, a, b blas64.General, beta float64) {
	for i := range a.Rows {
		for j := range b.Cols {
			sum := 0.0
			for k := range a.Cols {
				sum = math.FMA(a.Data[i*a.Stride+k], b.Data[k*b.Stride+j], sum)
			}
			at := &c.Data[i*c.Stride+j]
			if beta == 0 {
				*at = alpha * sum
			} else {
				*at = math.FMA(beta, *at, alpha*sum)
			}
		}
	}
}

// wantProducts fails unless Mul and MulT agree with the definition on every path, and do
// not change A, B or what lies between the rows of C.
func wantProducts(t testing.TB, r *rand.Rand, n, k, m int, alpha, beta float64, strange bool) {
	t.Helper()
	a, b := draw(r, n, k, r.IntN(4), strange), draw(r, k, m, r.IntN(4), strange)
	bT := turned(b, r.IntN(4))
	c := draw(r, n, m, r.IntN(4), strange)
	want := clone(c)
	naiveMul(want, alpha, a, b, beta)
	a0, b0, bT0 := clone(a), clone(b), clone(bT)
	eachPath(func(p path) {
		name := fmt.Sprintf("%d×%d·%d×%d, α %v, β %v on %v", n, k, k, m, alpha, beta, p)
		got := clone(c)
		Mul(got, alpha, a, b, beta)
		wantSame(t, name, got.Data, want.Data)
		got = clone(c)
		MulT(got, alpha, a, bT, beta)
		wantSame(t, name+", turned", got.Data, want.Data)
	})
	wantSame(t, "A", a.Data, a0.Data)
	wantSame(t, "B", b.Data, b0.Data)
	wantSame(t, "Bᵀ", bT.Data, bT0.Data)
}

var alphas, betas = []float64{1, 1, -1, 0.3, 0}, []float64{0, 0, 1, -0.7}

// Each dimension goes from 0 to 100, or 200, while the others are drawn at
// random.
func TestProductsAreTheDefinitionOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	largest := 100
	if *flags.Whole || *thorough {
		largest = 200
	}
	for size := range largest + 1 {
		for which := range 3 {
			shape := [3]int{r.IntN(40), r.IntN(40), r.IntN(40)}
			if size%10 == 0 {
				shape = [3]int{r.IntN(largest + 1), r.IntN(largest + 1), r.IntN(largest + 1)}
			}
			shape[which] = size
			wantProducts(t, r, shape[0], shape[1], shape[2],
				alphas[r.IntN(len(alphas))], betas[r.IntN(len(betas))], r.IntN(2) == 0)
		}
	}
}

// Sums longer than the depth of a panel are continued, not started again.
func TestLongSumsAreOneChain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{panelDepth - 1, panelDepth, panelDepth + 1, 2 * panelDepth, 2*panelDepth + 1, 1000} {
		wantProducts(t, r, 1+r.IntN(20), k, 1+r.IntN(60), 1, 0, true)
		wantProducts(t, r, 1+r.IntN(100), k, 1+r.IntN(60), 0.5, 2, true)
	}
}

// Any shape: go test ./internal/kernel -fuzz FuzzProducts
func FuzzProducts(f *testing.F) {
	f.Add(uint64(1), uint8(50), uint8(100), uint8(100), 1.0, 0.0)
	f.Add(uint64(2), uint8(1), uint8(200), uint8(25), -1.0, 1.0)
	f.Add(uint64(3), uint8(9), uint8(0), uint8(24), 2.0, 0.5)
	f.Add(uint64(4), uint8(17), uint8(131), uint8(1), 1.0, math.Inf(1))
	f.Fuzz(func(t *testing.T, seed uint64, n, k, m uint8, alpha, beta float64) {
		wantProducts(t, rand.New(rand.NewPCG(seed, 5)), int(n), int(k), int(m), alpha, beta, true)
	})
}

func TestVectorsAreMatricesOfOneRow(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		n, k := r.IntN(60), r.IntN(300)
		a := draw(r, n, k, r.IntN(3), true)
		x, z := draw(r, 1, k, 0, true).Data, draw(r, 1, n, 0, true).Data
		want, wantT := make([]float64, n), make([]float64, k)
		for i := range want {
			want[i] = Dot(row(a, i), x)
		}
		for j := range wantT {
			for i := range z {
				wantT[j] = math.FMA(z[i], a.Data[i*a.Stride+j], wantT[j])
			}
		}
		eachPath(func(p path) {
			got, gotT := make([]float64, n), make([]float64, k)
			MulVec(got, a, x)
			wantSame(t, "MulVec on "+p.String(), got, want)
			MulVecT(gotT, a, z)
			wantSame(t, "MulVecT on "+p.String(), gotT, wantT)
		})
	}
}

// A product that several cores share has the same bits as on one core, however many
// cores there are and whichever way it is split.
func TestCoresDoNotChangeTheBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := rand.New(rand.NewPCG(7, 8))
	shapes, cores := [][3]int{{300, 200, 170}, {1, 1500, 2700}, {2700, 1500, 1}}, []int{1, 3, 64}
	if *flags.Whole || *thorough {
		shapes = append(shapes, [][3]int{{170, 200, 300}, {1, 3000, 3000}, {3000, 3000, 1}, {7, 100000, 9}}...)
		cores = []int{1, 2, 3, 7, 64}
	}
	for _, s := range shapes {
		a, b := draw(r, s[0], s[1], 1, false), draw(r, s[1], s[2], 2, false)
		bT := turned(b, 3)
		want := draw(r, s[0], s[2], 0, false)
		multiply(want, a, factor{b, false})
		eachPath(func(p path) {
			for _, cores := range cores {
				runtime.GOMAXPROCS(cores)
				got := draw(r, s[0], s[2], 0, false)
				Mul(got, 1, a, b, 0)
				wantSame(t, fmt.Sprintf("%v on %d cores and %v", s, cores, p), got.Data, want.Data)
				MulT(got, 1, a, bT, 0)
				wantSame(t, fmt.Sprintf("%v turned on %d cores and %v", s, cores, p), got.Data, want.Data)
			}
		})
	}
}

func TestARowDoesNotDependOnItsBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	a, b := draw(r, 151, 100, 0, false), draw(r, 100, 100, 0, false)
	whole := draw(r, 151, 100, 0, false)
	Mul(whole, 1, a, b, 0)
	for _, split := range []int{1, 2, 7, 50, 150} {
		part := draw(r, 151-split, 100, 0, false)
		Mul(part, 1, blas64.General{Rows: 151 - split, Cols: 100, Stride: 100, Data: a.Data[split*100:]}, b, 0)
		wantSame(t, fmt.Sprint("split at ", split), part.Data, whole.Data[split*100:])
	}
}

func TestProductsRefuseWhatDoesNotFit(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	m := func(rows, cols int) blas64.General { return draw(r, rows, cols, 0, false) }
	square, short := m(3, 3), m(3, 3)
	short.Data = short.Data[:8]
	narrow := m(3, 3)
	narrow.Stride = 2
	vast := blas64.General{Rows: 1<<32 + 1, Cols: 1, Stride: 1 << 32, Data: make([]float64, 64)}
	negative := m(3, 3)
	negative.Rows = -1
	buffer := make([]float64, 100)
	part := func(at, stride int) blas64.General {
		return blas64.General{Rows: 3, Cols: 3, Stride: stride, Data: buffer[at:]}
	}
	for name, f := range map[string]func(){
		"inner":             func() { Mul(m(2, 2), 1, m(2, 3), m(4, 2), 0) },
		"rows":              func() { Mul(m(3, 2), 1, m(2, 3), m(3, 2), 0) },
		"columns":           func() { Mul(m(2, 3), 1, m(2, 3), m(3, 2), 0) },
		"turned":            func() { MulT(m(2, 2), 1, m(2, 3), m(2, 4), 0) },
		"vector":            func() { MulVec(make([]float64, 3), m(3, 4), make([]float64, 3)) },
		"C has too few":     func() { Mul(short, 1, m(3, 3), m(3, 3), 0) },
		"A has too few":     func() { Mul(m(3, 3), 1, short, m(3, 3), 0) },
		"B has too few":     func() { Mul(m(3, 3), 1, m(3, 3), short, 0) },
		"B's rows overlap":  func() { Mul(m(3, 3), 1, m(3, 3), narrow, 0) },
		"too large":         func() { Mul(vast, 1, vast, m(1, 1), 0) },
		"negative":          func() { Mul(negative, 1, negative, m(3, 3), 0) },
		"C is A":            func() { Mul(square, 1, square, m(3, 3), 0) },
		"C is B":            func() { MulT(square, 1, m(3, 3), square, 0) },
		"C overlaps A":      func() { Mul(part(3, 3), 1, part(0, 3), m(3, 3), 0) },
		"A overlaps C":      func() { Mul(part(0, 10), 1, part(12, 10), m(3, 3), 0) },
		"columns overlap":   func() { Mul(part(2, 10), 1, part(0, 10), m(3, 3), 0) },
		"columns wrap":      func() { Mul(part(9, 10), 1, part(0, 10), m(3, 3), 0) },
		"other stride":      func() { Mul(part(4, 9), 1, part(0, 10), m(3, 3), 0) },
		"dst is too short":  func() { Cos(make([]float64, 2, 9), make([]float64, 3)) },
		"p is too short":    func() { Pow(make([]float64, 3), make([]float64, 3), make([]float64, 2, 9)) },
		"too few to sum up": func() { Dot(make([]float64, 3), make([]float64, 2, 9)) },
		"y is too short":    func() { Product(make([]float64, 3), make([]float64, 3), make([]float64, 2, 9)) },
		"z is too short": func() {
			Combine(make([]float64, 3), make([]float64, 3), 1, make([]float64, 3), 1, make([]float64, 2, 9))
		},
		"dst before x": func() { Exp(buffer[:9], buffer[1:10]) },
		"dst behind x": func() { Log(buffer[1:10], buffer[:9]) },
	} {
		eachPath(func(p path) {
			defer func() {
				if why := fmt.Sprint(recover()); !strings.Contains(why, "kernel:") && !strings.Contains(why, "out of range") {
					t.Errorf("%s on %v: %s", name, p, why)
				}
			}()
			f()
		})
	}
}

// Different columns of one matrix do not overlap, nor do empty matrices.
func TestNeighboursDoNotOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	whole := draw(r, 3, 10, 0, false)
	columns := func(lo, hi int) blas64.General {
		return blas64.General{Rows: 3, Cols: hi - lo, Stride: 10, Data: whole.Data[lo:]}
	}
	want := draw(r, 3, 3, 0, false)
	b := draw(r, 4, 3, 0, false)
	naiveMul(want, 1, columns(0, 4), b, 0)
	Mul(columns(4, 7), 1, columns(0, 4), b, 0)
	for i := range 3 {
		wantSame(t, "columns 4 to 6", row(columns(4, 7), i), row(want, i))
	}
	naiveMul(want, 1, columns(6, 10), b, 0)
	Mul(columns(3, 6), 1, columns(6, 10), b, 0)
	for i := range 3 {
		wantSame(t, "columns 3 to 5", row(columns(3, 6), i), row(want, i))
	}
	empty := blas64.General{Rows: 3, Cols: 0, Stride: 1, Data: whole.Data}
	Mul(columns(0, 2), 1, empty, blas64.General{Rows: 0, Cols: 2, Stride: 2}, 0)
	if whole.Data[0] != 0 || whole.Data[11] != 0 {
		t.Error("an empty sum is not 0")
	}
}

// A large product is cut into as many parts as there are cores. Together they cover it
// exactly once.
func TestRanges(t *testing.T) {
	for _, c := range []struct{ size, unit, n, want int }{
		{100, 8, 2, 2}, {100, 24, 3, 3}, {24, 24, 4, 1}, {25, 24, 4, 2}, {1, 8, 64, 1}, {1000, 8, 64, 64}, {16, 8, 2, 2},
	} {
		got := ranges(c.size, c.unit, c.n)
		next, longest := 0, 0
		for _, s := range got {
			if s.lo != next || s.lo%c.unit != 0 {
				t.Errorf("%v: %v", c, got)
			}
			next, longest = s.hi, max(longest, s.hi-s.lo)
		}
		if next != c.size || len(got) != c.want || longest > c.size/c.want+2*c.unit {
			t.Errorf("%v: %v", c, got)
		}
	}
}

func TestSmallProductsAllocateNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	c, a, b := draw(r, 50, 100, 0, false), draw(r, 50, 100, 0, false), draw(r, 100, 100, 0, false)
	x, y := make([]float64, 100), make([]float64, 100)
	eachPath(func(p path) {
		if n := testing.AllocsPerRun(100, func() {
			Mul(c, 1, a, b, 0)
			MulT(c, 2, a, b, 1)
			MulVec(y, b, x)
			Cos(y, x)
		}); n >= 1 {
			t.Errorf("%v allocates %v times", p, n)
		}
	})
}
