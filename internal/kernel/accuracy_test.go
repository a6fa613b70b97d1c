package kernel

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

var (
	thorough = flag.Bool("thorough", false, "test a thousand times as many arguments, and larger products")
)

// times returns n, or the multiple of it that the flags ask for.
func times(n int) int {
	switch {
	case *thorough:
		return 1000 * n
	case *flags.Whole:
		return 10 * n
	}
	return n
}

// judge logs the largest error of got and fails if it is above the bound. It prints
// each error above the bound that is larger than those before it.
func judge(t *testing.T, bound float64, measure func(float64, *big.Float) float64,
	want func(i int) *big.Float, got []float64, arguments ...[]float64) {
	t.Helper()
	at := func(i int) (a []float64) {
		for _, x := range arguments {
			a = append(a, x[i])
		}
		return a
	}
	largest, where := 0.0, 0
	for i, g := range got {
		w := want(i)
		e := measure(g, w)
		if e > largest {
			largest, where = e, i
			if e > bound {
				t.Errorf("at %v: got %v, want %.25g, an error of %.4g", at(i), g, w, e)
			}
		}
	}
	t.Logf("%d arguments: the largest error is %.4g, at %v", len(got), largest, at(where))
}

// specials fails unless f(x) is y, to the bit, for each pair x, y.
func specials(t *testing.T, f func(dst, x []float64), pairs [][2]float64) {
	t.Helper()
	for _, p := range pairs {
		got := []float64{1234}
		f(got, p[:1])
		if math.Float64bits(got[0]) != math.Float64bits(p[1]) && !(math.IsNaN(got[0]) && math.IsNaN(p[1])) {
			t.Errorf("at %v: got %v, want %v", p[0], got[0], p[1])
		}
	}
}

// around returns x and the n float64s on either side of it.
func around(x float64, n int) []float64 {
	all := []float64{x}
	for up, down := x, x; n > 0; n-- {
		up, down = math.Nextafter(up, math.Inf(1)), math.Nextafter(down, math.Inf(-1))
		all = append(all, up, down)
	}
	return all
}

// spread returns a number between 2^lo and 2^hi, its logarithm uniform.
func spread(r *rand.Rand, lo, hi float64) float64 {
	return math.Exp2(lo + (hi-lo)*r.Float64())
}

func sign(r *rand.Rand) float64 { return float64(1 - 2*r.IntN(2)) }

func TestTheReferenceHasTheDigitsOfTheTables(t *testing.T) {
	for want, got := range map[string]*big.Float{
		"3.141592653589793238462643383279502884197":   bigPi,
		"0.6931471805599453094172321214581765680755":  bigLn2,
		"2.718281828459045235360287471352662497757":   bigExp(exactly(1)),
		"2.302585092994045684017991454684364207601":   bigLog(10),
		"1.41421356237309504880168872420969807857":    bigPow(2, 0.5),
		"0.8414709848078965066525023216302989996226":  bigSin(1, 0),
		"0.5403023058681397174009366074429766037323":  bigSin(1, 1),
		"-0.8522008497671888017727058937530293682618": bigSin(1e22, 0),
	} {
		if g := got.Text('g', 40); g != want {
			t.Errorf("got %s, want %s", g, want)
		}
	}
}

func TestExpIsWithinOneUlp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var x []float64
	// The ends of the range of all results and of normal results, and where Exp clamps.
	for _, end := range []float64{0, 709.782712893384, -708.3964185322641, -744.4400719213812, -745.1332191019412, expTop, expBottom} {
		x = append(x, around(end, 20)...)
	}
	for range times(1000) {
		steps := float64(r.IntN(4300)-2150) / 2 // at half-integers k jumps, at integers r is 0
		x = append(x, -747+1458*r.Float64(), 0.7*sign(r)*r.Float64(), sign(r)*spread(r, -1074, 9.4),
			-708-r.Float64(), around(min(steps*math.Ln2, 711), 8)[r.IntN(17)])
	}
	got := make([]float64, len(x))
	Exp(got, x)
	judge(t, 1, inUlps, func(i int) *big.Float { return bigExp(exactly(x[i])) }, got, x)
	specials(t, Exp, [][2]float64{{0, 1}, {minusZero, 1}, {infinity, infinity}, {minusInf, 0}, {notANumber, notANumber},
		{711, infinity}, {math.MaxFloat64, infinity}, {-746, 0}, {-math.MaxFloat64, 0}})
}

func TestLogIsWithinOneUlp(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	x := append(around(1, 100), around(leastNormal, 20)...)
	x = append(x, math.MaxFloat64, math.SmallestNonzeroFloat64)
	for k := range 53 {
		x = append(x, 1+math.Ldexp(1, -k), 1-math.Ldexp(0.5, -k))
	}
	for k := -1022; k < 1024; k++ { // √2·2ᵏ is √½·2ᵏ⁺¹
		x = append(x, around(math.Ldexp(math.Sqrt2, k), 1)...)
	}
	for range times(1000) {
		x = append(x, math.Float64frombits(r.Uint64N(0x7ff<<52-1)+1), math.Float64frombits(r.Uint64N(1<<52)+1),
			1+sign(r)*spread(r, -53, -1), 0.5+1.5*r.Float64())
	}
	got := make([]float64, len(x))
	Log(got, x)
	judge(t, 1, inUlps, func(i int) *big.Float { return bigLog(x[i]) }, got, x)
	specials(t, Log, [][2]float64{{1, 0}, {0, minusInf}, {minusZero, minusInf}, {infinity, infinity}, {notANumber, notANumber},
		{minusInf, notANumber}, {-1, notANumber}, {-math.SmallestNonzeroFloat64, notANumber}})
}

// closest returns numbers that include the float64s m·2ᵉ ≥ 1 that are closest to
// multiples of π/2. The m are the denominators of the convergents of 2ᵉ·2/π.
func closest() (x []float64) {
	for e := -52; e <= 971; e++ {
		rest := scaled(bigTwoOverPi, e)
		whole, _ := rest.Int(nil)
		rest.Sub(rest, new(big.Float).SetInt(whole)).SetPrec(2 * precision)
		for m, last := 1.0, 0.0; m < 0x1p53; {
			if m >= 0x1p45 {
				x = append(x, math.Ldexp(m, e))
			}
			rest.Quo(big.NewFloat(1), rest)
			whole, _ = rest.Int(whole)
			rest.Sub(rest, new(big.Float).SetInt(whole))
			f, _ := whole.Float64()
			m, last = f*m+last, m
		}
	}
	return x
}

// angles returns the arguments for Cos and Sin.
func angles(r *rand.Rand) []float64 {
	x := append(closest(), math.MaxFloat64, math.Ldexp(6381956970095103, 797))
	x = append(append(x, around(farAway, 50)...), around(0, 10)...)
	eighths := func(k float64) float64 { // k·π/4
		f, _ := new(big.Float).Mul(scaled(bigPi, -2), big.NewFloat(k)).Float64()
		return f
	}
	for k := range min(times(200), 2000) {
		x = append(x, around(eighths(float64(k)), 1)...)
	}
	for range times(300) {
		x = append(x, spread(r, -1074, 1024), spread(r, -30, 43), spread(r, 41, 100), 10*r.Float64(),
			eighths(math.Round(spread(r, 0, 31))), eighths(math.Round(spread(r, 0, 1024))))
	}
	for i := range x {
		x[i] *= sign(r)
	}
	return x
}

func testTrig(t *testing.T, f func(dst, x []float64), quarter int64) {
	x := angles(rand.New(rand.NewPCG(3, 3)))
	got := make([]float64, len(x))
	f(got, x)
	want := func(i int) *big.Float { return bigSin(x[i], quarter) }
	measure := func(got float64, want *big.Float) float64 {
		if !(math.Abs(got) <= 1) {
			return math.Inf(1)
		}
		e, _ := less(want, big.NewFloat(got)).Float64()
		return math.Abs(e)
	}
	judge(t, 2.5e-16, measure, want, got, x)

	// Far away the reduction is exact to the last bit, so the result is right
	// however close to 0 it is.
	var far []float64
	for _, v := range x {
		if math.Abs(v) > farAway {
			far = append(far, v)
		}
	}
	got, x = make([]float64, len(far)), far
	f(got, x)
	judge(t, 1.5, inUlps, want, got, x)
	specials(t, f, [][2]float64{{infinity, notANumber}, {minusInf, notANumber}, {notANumber, notANumber}})
}

func TestCosIsWithinItsBound(t *testing.T) {
	testTrig(t, Cos, 1)
	specials(t, Cos, [][2]float64{{0, 1}, {minusZero, 1}})
}

func TestSinIsWithinItsBound(t *testing.T) {
	testTrig(t, Sin, 0)
	specials(t, Sin, [][2]float64{{0, 0}, {minusZero, minusZero}})
}

func TestPowIsWithinOneUlp(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var x, p []float64
	add := func(px, pp float64) { x, p = append(x, px), append(p, pp) }
	for range times(500) {
		for _, pp := range []float64{2 + 4*r.Float64(), 6 - 6*r.Float64(), float64(1 + r.IntN(6))} {
			add(spread(r, max(-1022/pp, -1074), min(1024/pp, 1024)), pp)
			add(0.5+1.5*r.Float64(), pp)
		}
		pp := 2 + 4*r.Float64()
		add(spread(r, -1077/pp, -1022/pp), pp) // subnormal
		add(spread(r, 1023.9/pp, 1024.1/pp), pp)
		add(1+sign(r)*spread(r, -53, -1), pp)
		add(around(math.Ldexp(math.Sqrt2, r.IntN(300)-150), 2)[r.IntN(5)], pp)
	}
	got := make([]float64, len(x))
	Pow(got, x, p)
	judge(t, 1, inUlps, func(i int) *big.Float { return bigPow(x[i], p[i]) }, got, x, p)

	x, p = nil, nil
	for range times(200) {
		pp := spread(r, 3, 13)
		add(spread(r, -1022/pp, 1024/pp), pp)
	}
	got = make([]float64, len(x))
	Pow(got, x, p)
	judge(t, 20, inUlps, func(i int) *big.Float { return bigPow(x[i], p[i]) }, got, x, p)
	for _, p := range []float64{0.01, 0.5, 1, 2, 3.7, 6} {
		f := func(dst, x []float64) { Pow(dst, x, []float64{p}) }
		specials(t, f, [][2]float64{{0, 0}, {1, 1}, {infinity, infinity}, {-1, notANumber}, {minusInf, notANumber},
			{notANumber, notANumber}, {-math.SmallestNonzeroFloat64, notANumber}})
		if p >= 2 {
			specials(t, f, [][2]float64{{1e200, infinity}, {math.MaxFloat64, infinity}, {1e-200, 0}, {math.SmallestNonzeroFloat64, 0}})
		}
	}
}

func TestPowOfHugeExponents(t *testing.T) {
	for _, p := range []float64{1e4, 1e10, 1e16, 1e18, 1e50, 1e300, math.MaxFloat64} {
		f := func(dst, x []float64) { Pow(dst, x, []float64{p}) }
		specials(t, f, [][2]float64{{1, 1}, {1.5, infinity}, {10, infinity}, {1e300, infinity}, {0.5, 0}, {1e-300, 0}, {0, 0}})
	}
}

func TestConstantsAreWhatTheyAreCalled(t *testing.T) {
	for got, want := range map[float64]*big.Float{
		ln2:       bigLn2,
		ln2Lo:     less(bigLn2, big.NewFloat(ln2)),
		ln2Tail:   less(bigLn2, big.NewFloat(ln2Head)),
		invLn2:    new(big.Float).Quo(big.NewFloat(1), bigLn2),
		piHalf:    bigHalfPi,
		piHalfLo:  less(bigHalfPi, big.NewFloat(piHalf)),
		twoOverPi: bigTwoOverPi,
	} {
		if w, _ := want.Float64(); got != w {
			t.Errorf("got %x, want %x", got, w)
		}
	}
	if bits := big.NewFloat(ln2Head).MinPrec(); bits > 42 {
		t.Errorf("ln2Head has %d bits", bits)
	}
	got := new(big.Int)
	for _, word := range quarters {
		got.Lsh(got, 64).Or(got, new(big.Int).SetUint64(word))
	}
	want, _ := scaled(bigTwoOverPi, 64*(len(quarters)-1)).Int(nil)
	if got.Cmp(want) != 0 {
		t.Errorf("quarters are\n%x, want\n%x", got, want)
	}
}
