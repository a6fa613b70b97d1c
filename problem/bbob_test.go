package problem

import (
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// plain is the value of function k without rotations and offset at x, with the given x_opt.
func plain(k int, xopt, x []float64) float64 {
	d := len(x)
	in := &instance{
		d: d, r: newDense(kernel.Identity(d)), q: newDense(kernel.Identity(d)),
		xopt: xopt, params: rng.Seed(1).Stream("test"),
	}
	f := bbobFunctions[k-1].make(in)
	var value [1]float64
	f.values(value[:], blas64.General{Rows: 1, Cols: d, Stride: d, Data: x}, newScratch(d, f.work))
	return value[0]
}

// Values by hand, in two dimensions. T_osc and T_asy leave −1, 0 and 1 where they are.
func TestBBOBByHand(t *testing.T) {
	zero := []float64{0, 0}
	best := 4.2096874633 / 2
	z20, far := 420.96874633*(1-math.Sqrt(10)/4), 420.96874633*(1-5*math.Sqrt(10)/4)
	for _, c := range []struct {
		k       int
		xopt, x []float64
		want    float64
	}{
		{1, zero, []float64{1, 2}, 5},                                             // 1² + 2²
		{2, zero, []float64{1, -1}, 1_000_001},                                    // 1·1 + 10⁶·1
		{3, zero, []float64{-1, 0}, 1},                                            // 10(2 − 1 − 1) + 1
		{3, zero, []float64{0, 1}, 10*(1-math.Cos(2*math.Pi*math.Sqrt(10))) + 10}, // z_2 = √10
		{4, zero, []float64{1, 0}, 100},                                           // s_1 = 10 since x_1 > 0: z_1 = 10, 10(1−1) + 100
		{4, zero, []float64{-1, 0}, 1},                                            // s_1 = 1
		{5, []float64{5, -5}, []float64{0, 0}, 55},                                // s = (1, −10): 5 + 50
		{5, []float64{5, -5}, []float64{1, 1}, 64},                                // 5−1 + 50+10
		{5, []float64{5, -5}, []float64{9, -5}, 0},                                // z_1 stays at 5
		{6, []float64{1, 1}, []float64{0, 1}, 1},                                  // z = (−1, 0), s = 1: T_osc(1)^0.9
		{6, []float64{1, 1}, []float64{1.01, 1}, 1},                               // z = (0.01, 0), s = 100: T_osc(1)^0.9
		{7, zero, []float64{0.3, 0}, 0.009},                                       // ⌊½+3⌋/10 = 0.3: 0.1·0.09
		{7, zero, []float64{0.7, 0}, 0.1},                                         // ⌊½+0.7⌋ = 1
		{7, zero, []float64{0.04, 0}, 4e-7},                                       // ⌊½+0.4⌋ = 0: 0.1·0.04/10⁴
		{7, zero, []float64{0, 0.2}, 10},                                          // ẑ_2 = 0.2√10 = 0.63, so 1: 0.1·100·1
		{8, zero, []float64{1, 1}, 401},                                           // z = (2, 2): 100(4−2)² + 1
		{9, zero, []float64{1.5, 1.5}, 401},                                       // z = (2, 2)
		{9, zero, []float64{0, 0}, 6.5},                                           // z = (½, ½): 100(¼−½)² + ¼
		{10, zero, []float64{1, -1}, 1_000_001},                                   // as 2
		{11, zero, []float64{1, -1}, 1_000_001},                                   // 10⁶·1 + 1
		{12, zero, []float64{-1, 1}, 1_000_001},                                   // 1 + 10⁶·1
		{13, zero, []float64{2, 1}, 4 + 100*math.Sqrt(10)},
		{14, zero, []float64{2, -2}, math.Sqrt(68)}, // 2² + 2⁶
		{15, zero, []float64{-1, 0}, 1},             // as 3
		// z = (0, 0.1). 3^k/10 has the fractions 0.1, 0.3, 0.9, 0.7, 0.1, …, whose cosines are
		// c = (1+√5)/4 for even k and (1−√5)/4 for odd k. The sum over k is
		// G((3−√5)/4 + (3+√5)/8) = G(9−√5)/8, G = Σ_{k<6} 4^−k = (1−4^−6)/(3/4) = 1365/1024.
		{16, zero, []float64{0, 1}, 10 * math.Pow(1365.0/1024*(9-math.Sqrt(5))/8/2, 3)},
		{17, zero, []float64{-1, 0}, math.Pow(1+math.Pow(math.Sin(50), 2), 2)}, // s = 1
		{18, zero, []float64{0, -1}, math.Sqrt(1000) * math.Pow(1+math.Pow(math.Sin(50*math.Pow(1000, 0.1)), 2), 2)},
		{19, zero, []float64{0, 0}, 10*(6.5/4000-math.Cos(6.5)) + 10}, // s = 6.5, as 9
		// x̂ = (0, b), b = 4.2096874633: ẑ = (0, b − b/4), so z = 100(0, b(1 − √10/4)) =
		// (0, 88.1613…), whose root is 9.38943…, and its sine 0.0354….
		{20, []float64{best, -best}, []float64{0, -best}, 4.189828872724339 - z20*math.Sin(math.Sqrt(z20))/200},
		// x = (0, 0): z_2 = 100b(1 − 5√10/4) = −1243.05…, of which 743.05… beyond −500.
		{20, []float64{best, -best}, []float64{0, 0}, 4.189828872724339 - far*math.Sin(math.Sqrt(-far))/200 + math.Pow(-far/100-5, 2)*100},
		// S(¼) = ½/2 = ¼; the exponent of 1+¼ is 10/2^1.2; 10/d² = 2.5.
		{23, zero, []float64{0.25, 0}, 2.5 * (math.Pow(1.25, 10/math.Pow(2, 1.2)) - 1)},
		// x̂ − 2.5 = −2.5: both squares are 12.5, since 2 + sΣμ_1² = 2 + 2·5.25. z = (−2.5, −25):
		// 10(2 − (−1) − 1) = 20.
		{24, []float64{1.25, 1.25}, []float64{0, 0}, 32.5},
	} {
		if got := plain(c.k, c.xopt, c.x); !(math.Abs(got-c.want) <= 1e-12*math.Max(1, c.want)) {
			t.Errorf("bbob-%d at %v: %v, by hand %v", c.k, c.x, got, c.want)
		}
	}
}

// Gallagher's first peak in two dimensions, close to x_opt = 0. With 101 peaks α = 1000, and
// C_1 has the entries 1000^−¼ and 1000^¼ in some order. With 21 peaks α = 1000² and the
// entries are 1000^−½ and 1000^½. At x = (h, 0) the value is T_osc(10 − 10 exp(−C h²/4))².
func TestGallagherByHand(t *testing.T) {
	for k, c := range map[int]float64{21: math.Pow(1000, 0.25), 22: math.Sqrt(1000)} {
		const h = 0.01
		want := func(c float64) float64 { return math.Pow(naiveOsc(10-10*math.Exp(-c*h*h/4)), 2) }
		a, b := plain(k, []float64{0, 0}, []float64{h, 0}), plain(k, []float64{0, 0}, []float64{0, h})
		small, large := min(a, b), max(a, b)
		if !(math.Abs(small-want(1/c)) <= 1e-9*small && math.Abs(large-want(c)) <= 1e-9*large) {
			t.Errorf("bbob-%d: %v and %v, by hand %v and %v", k, small, large, want(1/c), want(c))
		}
	}
}

// Weierstrass at fractions whose multiples are known: at ⅓ the sum over k is 1 − cos 2π/3 =
// 3/2, since 3^k/3 is whole for k > 0. At ½ every term is 2·2^−k, together 4(1 − 2^−12).
func TestRipples(t *testing.T) {
	s := newScratch(3, roomWork(3))
	r := newRoom(s, 1)
	copy(r.z.Data, []float64{0, 1.0 / 3, 0.5})
	r.ripples()
	for i, want := range []float64{0, 1.5, 4 * (1 - math.Pow(2, -12))} {
		if got := r.v.Data[i]; !(math.Abs(got-want) <= 1e-8) { // ⅓ is rounded, and 3¹¹ times its error counts
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Katsuura's sum by its definition, also of large and tiny numbers.
func TestDigits(t *testing.T) {
	r := rng.Seed(3).Stream("test")
	for i := range 20000 {
		z := r.NormFloat64() * math.Pow(10, float64(i%20)-14)
		want := 0.0
		for j := 1; j <= 32; j++ {
			two := math.Ldexp(z, j)
			want += math.Ldexp(math.Abs(two-math.Round(two)), -j)
		}
		if got := digits(z); !(math.Abs(got-want) <= 4e-15*want) {
			t.Fatalf("S(%v) = %v, the definition %v", z, got, want)
		}
	}
	for _, z := range []float64{0, 3, -7, 1e300} {
		if digits(z) != 0 {
			t.Errorf("S(%v) = %v", z, digits(z))
		}
	}
	if !math.IsNaN(digits(math.NaN())) {
		t.Error("S(NaN) is a number")
	}
}

func osc(x float64) float64 {
	z := []float64{x}
	oscillate(z, make([]float64, 1), make([]float64, 1))
	return z[0]
}

// T_osc keeps the sign, 0, 1 and −1; it is strictly increasing; it changes a number by a
// factor of at most exp(0.098); it is not odd, and it is not smooth in size: its slope
// against log x oscillates around 1.
func TestOscillation(t *testing.T) {
	for _, x := range []float64{0, 1, -1} {
		if osc(x) != x {
			t.Errorf("T(%v) = %v", x, osc(x))
		}
	}
	before, steep, flat := math.Inf(-1), 0.0, math.Inf(1)
	for i := -4000; i <= 4000; i++ {
		x := math.Copysign(math.Exp(math.Abs(float64(i))/200-15), float64(i))
		if i == 0 {
			x = 0
		}
		y := osc(x)
		if !(y > before) || y*x < 0 || math.Abs(y) > math.Exp(0.098)*math.Abs(x) || math.Abs(y) < math.Exp(-0.098)*math.Abs(x) {
			t.Fatalf("T(%v) = %v after %v", x, y, before)
		}
		if i > 1 {
			slope := math.Log(y/before) * 200
			steep, flat = max(steep, slope), min(flat, slope)
		}
		before = y
	}
	// 1 ± 0.049(10 + 7.9) where both sines are at their steepest.
	if !(steep > 1.85 && steep < 1.878 && flat < 0.15 && flat > 0.122) {
		t.Errorf("slopes from %v to %v", flat, steep)
	}
	if osc(2) == -osc(-2) {
		t.Error("T is odd")
	}
}

// T_asy is the identity up to 0, at 1, and in the first coordinate; beyond it grows with the
// coordinate; x_i^(1+β_i√x_i) at 4 in the last coordinate is 4^(1+2β).
func TestAsymmetry(t *testing.T) {
	const d, beta = 5, 0.5
	asy := func(x float64) []float64 {
		s := newScratch(d, roomWork(d))
		r := newRoom(s, 1)
		for i := range d {
			r.z.Data[i] = x
		}
		r.asymmetric(scaled(beta, spread(d)))
		return r.z.Data
	}
	for _, x := range []float64{-1e3, -4, -1e-9, 0, 1} {
		for i, y := range asy(x) {
			if y != x {
				t.Errorf("coordinate %d: T(%v) = %v", i, x, y)
			}
		}
	}
	y := asy(4)
	if y[0] != 4 || !(math.Abs(y[d-1]-16) <= 1e-14*16) {
		t.Errorf("T(4) = %v", y)
	}
	for i := 1; i < d; i++ {
		if !(y[i] > y[i-1]) {
			t.Errorf("T(4) = %v", y)
		}
	}
}

// Λ^α has condition number √α, so a squared norm after it has α; its first entry is 1.
func TestLambda(t *testing.T) {
	for _, alpha := range []float64{10, 1000, 1.0 / 100} {
		l := lambda(alpha, 7)
		if l[0] != 1 || !(math.Abs(square(l[6])-alpha) <= 1e-14*alpha) || !(math.Abs(l[3]*l[3]-l[6]) <= 1e-14*l[6]) {
			t.Errorf("Λ^%v = %v", alpha, l)
		}
	}
}

// f_pen is 0 in the domain and on its boundary, and the squared distance from it outside.
func TestPenalty(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{{0, 0}, {5, 0}, {-5, 0}, {6, 1}, {-7, 4}} {
		if got := penalty([]float64{c.x, 1, -c.x}); got != 2*c.want {
			t.Errorf("f_pen(%v) = %v", c.x, got)
		}
	}
}

// Rotations are orthogonal, full and in blocks. A block rotation has at most blockSide
// entries in a row, and its permutations move places.
func TestBBOBRotations(t *testing.T) {
	for _, d := range []int{2, 5, 40, 41, 130} {
		for name, draw := range map[string]func(int, *rng.Stream) linear{"full": rotation, "block": blockRotation} {
			q := matrix(draw(d, rng.Seed(uint64(d)).Stream("test")))
			var gram mat.Dense
			gram.Mul(q, q.T())
			gram.Sub(&gram, kernel.Identity(d))
			if off := mat.Norm(&gram, 2); off > 1e-13 {
				t.Errorf("%s, d = %d: ‖QQᵀ − I‖ = %g", name, d, off)
			}
			for i := range d {
				entries, furthest := 0, 0
				for j, v := range q.RawRowView(i) {
					if v != 0 {
						entries, furthest = entries+1, max(furthest, i-j, j-i)
					}
				}
				if most := min(d, blockSide); name == "block" && entries > most || name == "full" && entries != d {
					t.Fatalf("%s, d = %d: %d entries in row %d", name, d, entries, i)
				}
			}
		}
	}
}

// A truncated permutation is a permutation, not the identity, and a single swap of it goes
// no further than a third of the length. Over many draws all places move.
func TestTruncatedPermutation(t *testing.T) {
	const d = 60
	moved := make([]bool, d)
	near := 0
	for seed := range uint64(20) {
		p := truncated(d, rng.Seed(seed).Stream("test"))
		seen := make([]bool, d)
		for i, k := range p {
			seen[k] = true
			moved[i] = moved[i] || k != i
			if max(i-k, k-i) <= d/3 {
				near++
			}
		}
		for k, s := range seen {
			if !s {
				t.Fatalf("place %d is lost", k)
			}
		}
	}
	for i, m := range moved {
		if !m {
			t.Errorf("place %d never moved", i)
		}
	}
	// A uniform permutation has 56 % within a third.
	if share := float64(near) / (20 * d); !(share > 0.65) {
		t.Errorf("%.2f of the places within a third", share)
	}
}

// The offset is rounded to two decimals, at most 1000 in size, sometimes just that, and in
// about half of all cases at most 100.
func TestBBOBOffset(t *testing.T) {
	small, cut := 0, 0
	for seed := range uint64(2000) {
		v := offset(rng.Seed(seed).Stream("test"))
		if math.Abs(v) > 1000 || math.Abs(v*100-math.Round(v*100)) > 1e-9 {
			t.Fatalf("f_opt = %v", v)
		}
		if math.Abs(v) <= 100 {
			small++
		}
		if math.Abs(v) == 1000 {
			cut++
		}
	}
	// Half of 2,000 with a standard deviation of 22; beyond 1000: 2/π·arctan(1/10), 127 with one of 11.
	if small < 890 || small > 1110 || cut < 72 || cut > 182 {
		t.Errorf("%d within 100, %d at 1000", small, cut)
	}
}

// Where x_opt lies, by the rules of every function.
func TestBBOBOptimum(t *testing.T) {
	for k := 1; k <= 24; k++ {
		const d = 50
		reach, sharp := 4.0, false // the largest coordinate, and whether all are as large
		switch k {
		case 5:
			reach, sharp = 5, true
		case 8:
			reach = 3
		case 20:
			reach, sharp = 4.2096874633/2, true
		case 22:
			reach = 3.92
		case 24:
			reach, sharp = 1.25, true
		case 9, 19:
			reach = 0 // see below
		}
		p := drawn(t, Spec{Name: fmt.Sprintf("bbob-%d", k), Dim: d, Seed: 3})
		x := p.Minimiser()
		most, least, positive := 0.0, math.Inf(1), 0
		for i, v := range x {
			most, least = max(most, math.Abs(v)), min(least, math.Abs(v))
			if v > 0 {
				positive++
			}
			if k == 4 && i%2 == 0 && v <= 0 {
				t.Errorf("bbob-4: coordinate %d is %v", i+1, v)
			}
		}
		if positive < 10 || positive > 40 && k != 4 {
			t.Errorf("bbob-%d: %d of %d coordinates are positive", k, positive, d)
		}
		if reach > 0 && !(most <= reach*(1+1e-15) && most >= 0.9*reach) || sharp && !(least >= reach*(1-1e-15)) {
			t.Errorf("bbob-%d: from %v to %v", k, least, most)
		}
		if reach == 0 {
			for i, v := range naive(x).times(newDense(p.Frame().Matrix())) { // γR x_opt = ½
				if !(math.Abs(v*stretch(d)-0.5) <= 1e-13) {
					t.Errorf("bbob-%d: coordinate %d of γRx is %v", k, i, v*stretch(d))
				}
			}
		}
	}
}

// A block rotation in four dimensions is the product of its three matrices.
func TestPermutedMap(t *testing.T) {
	turn := mat.NewDense(2, 2, []float64{0.6, -0.8, 0.8, 0.6})
	flip := mat.NewDense(2, 2, []float64{0, 1, 1, 0})
	p := permuted{left: []int{2, 0, 1, 3}, right: []int{0, 3, 2, 1}}
	for _, block := range []*mat.Dense{turn, flip} {
		p.blocks = append(p.blocks, mat.DenseCopyOf(block.T()).RawMatrix())
	}
	// P_right x = (x_1, x_4, x_3, x_2); B of it is (0.6x_1 − 0.8x_4, 0.8x_1 + 0.6x_4, x_2, x_3);
	// P_left takes its third, first, second and fourth.
	want := mat.NewDense(4, 4, []float64{
		0, 1, 0, 0,
		0.6, 0, 0, -0.8,
		0.8, 0, 0, 0.6,
		0, 0, 1, 0,
	})
	if got := matrix(p); !mat.EqualApprox(got, want, 1e-15) {
		t.Errorf("got\n%v", mat.Formatted(got))
	}
}

// The frame of bbob-24 has the rows of QΛ^100 R·diag(sign x_opt), since x̂ = 2 sign(x_opt)⊗x.
func TestLunaceksFrame(t *testing.T) {
	spec := Spec{Name: "bbob-24", Dim: 6, Seed: 2}
	f, _ := bbobNamed(spec.Name)
	in := f.instance(spec)
	var want mat.Dense
	want.Product(matrix(in.q), matrix(lambda(100, 6)), matrix(in.r))
	for i := range 6 {
		row := want.RawRowView(i)
		for j := range row {
			row[j] *= math.Copysign(1, in.xopt[j])
		}
		kernel.Normalise(row)
	}
	if got := drawn(t, spec).Frame().Matrix(); !mat.EqualApprox(got, &want, 1e-13) {
		t.Error("another frame")
	}
}
