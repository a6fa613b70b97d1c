package kernel

import (
	"bytes"
	"encoding/binary"
	"flag"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
)

// eachPath calls f for every path of this processor and then restores the path that
// was active.
func eachPath(f func(p path)) {
	defer func(before path) { active = before }(active)
	for _, p := range available() {
		active = p
		f(p)
	}
}

// sameBits reports whether x and y are the same number: equal to the bit, or
// both NaN.
func sameBits(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// wantSame fails unless got and want agree, element by element.
func wantSame(t testing.TB, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Fatalf("%s: element %d of %d is %v (%#x), want %v (%#x)", name, i, len(want),
				got[i], math.Float64bits(got[i]), want[i], math.Float64bits(want[i]))
		}
	}
}

// odd are numbers at which something may go wrong.
var odd = []float64{
	0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, 0x0.fffffffffffffp-1022,
	math.MaxFloat64, -math.MaxFloat64, math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(1, 0), math.Nextafter(1, 2),
	expTop, expBottom, math.Nextafter(expTop, 0), 709.782712893384, 709.7827128933841, -708.4, -744.44, -745.13, -745.14,
	farAway, -farAway, math.Nextafter(farAway, 0), math.Nextafter(farAway, math.Inf(1)),
	math.Pi, math.Pi / 2, math.Pi / 4, 3 * math.Pi / 4, 1e8, 2e8 * math.Pi, 1e22, 6381956970095103 * 0x1p797,
	0x1p52, 0x1p53, 1e308, 1e-308, 1e-320,
}

// drawOdd draws a number: an odd one, any bits at all, or one of ordinary size.
func drawOdd(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return odd[r.IntN(len(odd))]
	case 1:
		return math.Float64frombits(r.Uint64())
	case 2:
		return math.Exp(20*r.NormFloat64()) * float64(1-2*r.IntN(2))
	}
	return 10 * r.NormFloat64()
}

// functions are the functions of a slice with their twins.
var functions = []struct {
	name  string
	slice func(dst, x, p []float64)
	twin  func(x, p float64) float64
}{
	{"exp", func(dst, x, _ []float64) { Exp(dst, x) }, func(x, _ float64) float64 { return ExpOf(x) }},
	{"log", func(dst, x, _ []float64) { Log(dst, x) }, func(x, _ float64) float64 { return LogOf(x) }},
	{"cos", func(dst, x, _ []float64) { Cos(dst, x) }, func(x, _ float64) float64 { return CosOf(x) }},
	{"sin", func(dst, x, _ []float64) { Sin(dst, x) }, func(x, _ float64) float64 { return SinOf(x) }},
	{"pow", Pow, powGo},
	{"product", Product, func(x, p float64) float64 { return x * p }},
	{"difference", func(dst, x, p []float64) { Difference(dst, 1.7, x, p) }, func(x, p float64) float64 { return 1.7 * (x - p) }},
	{"combine", func(dst, x, p []float64) { Combine(dst, x, -0.3, p, 2.9, x) },
		func(x, p float64) float64 { return (x + float64(-0.3*p)) + float64(2.9*x) }},
}

// On every path, a slice of any length and alignment gets the values of the twin, and
// its neighbours are not changed. dst may be x.
func TestFunctionsAreTheSameOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 201 {
		before, after := r.IntN(9), r.IntN(9)
		x, p, dst := make([]float64, n), make([]float64, n), make([]float64, before+n+after)
		for i := range x {
			x[i], p[i] = drawOdd(r), 8*r.Float64()
		}
		for _, f := range functions {
			want := make([]float64, len(dst))
			for i := range want {
				want[i] = 7
			}
			for i := range x {
				want[before+i] = f.twin(x[i], p[i])
			}
			eachPath(func(path path) {
				for i := range dst {
					dst[i] = 7
				}
				given := append([]float64(nil), x...)
				f.slice(dst[before:before+n], given, p)
				wantSame(t, f.name+" on "+path.String(), dst, want)
				wantSame(t, f.name+" leaves x alone", given, x)
				f.slice(given, given, p)
				wantSame(t, f.name+" in place on "+path.String(), given, want[before:before+n])
			})
		}
	}
}

func TestEveryOddNumberIsTheSameOnEveryPath(t *testing.T) {
	p := make([]float64, len(odd))
	for i := range p {
		p[i] = 0.5 + float64(i%7)
	}
	for _, f := range functions {
		eachPath(func(path path) {
			got := make([]float64, len(odd))
			f.slice(got, odd, p)
			for i, x := range odd {
				if want := f.twin(x, p[i]); !sameBits(got[i], want) {
					t.Errorf("%s(%v) on %v is %v, want %v", f.name, x, path, got[i], want)
				}
			}
		})
	}
}

// Any bits: go test ./internal/kernel -fuzz FuzzFunctions
func FuzzFunctions(f *testing.F) {
	for i, x := range odd {
		f.Add(math.Float64bits(x), math.Float64bits(odd[len(odd)-1-i]), 2.5, uint8(i))
	}
	f.Fuzz(func(t *testing.T, x, y uint64, p float64, n uint8) {
		if !(p > 0 && p < 1e300) {
			p = 2
		}
		in, powers := make([]float64, n), make([]float64, n)
		for i := range in {
			in[i], powers[i] = math.Float64frombits(x), p
			x, y = y, x+0x9e3779b97f4a7c15
		}
		for _, f := range functions {
			want := make([]float64, n)
			for i := range want {
				want[i] = f.twin(in[i], powers[i])
			}
			eachPath(func(path path) {
				got := make([]float64, n)
				f.slice(got, in, powers)
				wantSame(t, f.name+" on "+path.String(), got, want)
			})
		}
	})
}

func TestGaussIsTheSameOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for blocks := range 12 {
		var seed Chance
		for w := range seed {
			for i := range seed[w] {
				seed[w][i] = r.Uint64()
			}
		}
		want, end := make([]float64, blocks*GaussBlock), seed
		gaussSlice(want, &end)
		eachPath(func(p path) {
			got, state := make([]float64, len(want)), seed
			Gauss(got, &state)
			wantSame(t, "Gauss on "+p.String(), got, want)
			if state != end {
				t.Errorf("%v leaves another state", p)
			}
		})
	}
}

// The generators are xoshiro256++: its first numbers from the state 1, 2, 3, 4
// are those of its authors' program.
func TestTheGeneratorIsXoshiro(t *testing.T) {
	var state Chance
	for w := range state {
		state[w][5] = uint64(w + 1)
	}
	for i, want := range []uint64{41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205} {
		if got := state.next(5); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestGaussMakesWholeBlocks(t *testing.T) {
	for _, n := range []int{1, GaussBlock / 2, GaussBlock + 1, 3 * GaussBlock / 2} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for %d numbers", n)
				}
			}()
			Gauss(make([]float64, n), new(Chance))
		}()
	}
}

// Slices longer than what the assembly gets at a time.
func TestLongSlices(t *testing.T) {
	x, p := make([]float64, 2*atOnce+5), make([]float64, 2*atOnce+5)
	for i := range x {
		x[i], p[i] = float64(i)/1000, 2
	}
	for _, f := range functions {
		got := make([]float64, len(x))
		f.slice(got, x, p)
		for _, i := range []int{0, atOnce - 1, atOnce, 2*atOnce - 1, 2 * atOnce, len(x) - 1} {
			if want := f.twin(x[i], p[i]); !sameBits(got[i], want) {
				t.Errorf("%s: number %d is %v, want %v", f.name, i, got[i], want)
			}
		}
	}
}

// A test that asks for a path by the environment gets it.
func TestTheEnvironmentForcesAPath(t *testing.T) {
	if want := os.Getenv(environment); want != "" {
		if active.String() != want {
			t.Errorf("the path is %v, want %s", active, want)
		}
		return // this is the child process
	}
	if len(available()) == 1 {
		return // nothing to choose from
	}
	for _, p := range available() {
		command := exec.Command(os.Args[0], "-test.run", "TestGoldenBits|TestTheEnvironmentForcesAPath")
		command.Env = append(os.Environ(), environment+"="+p.String())
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", p, err, out)
		}
	}
}

// The bits themselves, so that every architecture can be compared with them. A
// change here belongs under "Numerics" in CHANGELOG.
func TestGoldenBits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, p := make([]float64, 20_000), make([]float64, 20_000)
	for i := range x {
		x[i], p[i] = 2000*(r.Float64()-0.5), 8*r.Float64()
		if i%2 == 0 {
			x[i] = math.Float64frombits(r.Uint64())
		}
	}
	digests := map[string]uint64{}
	dst := make([]float64, len(x))
	for _, f := range functions {
		f.slice(dst, x, p)
		digests[f.name] = digest(dst)
	}
	matrix := blas64.General{Rows: 100, Cols: 200, Stride: 200, Data: make([]float64, 20_000)}
	for i := range matrix.Data {
		matrix.Data[i] = r.Float64() - 0.5
	}
	gram := blas64.General{Rows: 100, Cols: 100, Stride: 100, Data: make([]float64, 10_000)}
	MulT(gram, 1, matrix, matrix, 0)
	digests["gram"] = digest(gram.Data)
	var state Chance
	for w := range state {
		for i := range state[w] {
			state[w][i] = r.Uint64()
		}
	}
	Gauss(dst, &state)
	digests["gauss"] = digest(dst)
	if diff := cmp.Diff(goldenBits, digests); diff != "" {
		t.Errorf("digests (-want +got):\n%s", diff)
	}
}

var goldenBits = map[string]uint64{
	"combine":    2863437866272937635,
	"difference": 6137530490589568695,
	"product":    13784374371739349281,
	"cos":        18096192318527292486,
	"exp":        18124851450131866027,
	"gauss":      6156048968757220622,
	"log":        10404452577196197513,
	"pow":        14169203564919036828,
	"gram":       2264010337808480593,
	"sin":        5556132688767422786,
}

// digest hashes the bits of numbers; all NaNs count as the same.
func digest(x []float64) uint64 {
	h := fnv.New64a()
	for _, v := range x {
		if math.IsNaN(v) {
			v = math.NaN()
		}
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	}
	return h.Sum64()
}

func TestChoose(t *testing.T) {
	all := []path{plain, avx2, avx512}
	for _, c := range []struct {
		name string
		have []path
		want path
	}{{"", all, avx512}, {"", all[:2], avx2}, {"", all[:1], plain}, {"go", all, plain}, {"avx2", all, avx2}, {"avx512", all, avx512}} {
		if got := choose(c.name, c.have); got != c.want {
			t.Errorf("choose(%q, %v) = %v, want %v", c.name, c.have, got, c.want)
		}
	}
	for _, c := range []struct {
		name string
		have []path
	}{{"avx512", all[:2]}, {"sse", all}, {"AVX2", all}} {
		func() {
			defer func() {
				if message, _ := recover().(string); !strings.HasPrefix(message, "UNTWIST_KERNEL="+c.name) {
					t.Errorf("choose(%q, %v) panics with %q", c.name, c.have, message)
				}
			}()
			choose(c.name, c.have)
		}()
	}
}

var generate = flag.Bool("generate", false, "run the generator and check that the committed assembly is what it writes")

// The committed assembly is what the generator writes. This compiles the generator, so
// it runs only on request: go test ./internal/kernel -generate
func TestGeneratedFilesAreFresh(t *testing.T) {
	if !*generate {
		return
	}
	dir := t.TempDir()
	names := []string{"kernel_amd64.s", "kernel_amd64.go"}
	command := exec.Command("go", "run", ".", "-pkg", "kernel",
		"-out", filepath.Join(dir, names[0]), "-stubs", filepath.Join(dir, names[1]))
	command.Dir = "gen"
	command.Env = append(os.Environ(), "GOOS=", "GOARCH=") // the generator runs on this machine, even if the tests are emulated
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("the generator: %v\n%s", err, out)
	}
	for _, name := range names {
		fresh, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body(fresh), body(committed)) {
			t.Errorf("%s is stale: run go generate ./internal/kernel", name)
		}
		// If the upper halves of vectors are left dirty, everything after is slower.
		if clean, returns := bytes.Count(fresh, []byte("VZEROUPPER\n\tRET\n")), bytes.Count(fresh, []byte("\tRET\n")); clean != returns {
			t.Errorf("%s: %d of %d returns come after VZEROUPPER", name, clean, returns)
		}
	}
}

// body is a generated file without its first line, which has the command.
func body(file []byte) []byte {
	_, rest, _ := bytes.Cut(file, []byte("\n"))
	return rest
}
