package frame

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

func gaussian(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = r.NormFloat64()
	}
	return m
}

func must(t testing.TB, w mat.Matrix) *Frame {
	t.Helper()
	f, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// drawFrame draws a frame of up to 8 dimensions with its generator.
func drawFrame(t *rapid.T) (*Frame, *rand.Rand) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	d := rapid.IntRange(1, 8).Draw(t, "d")
	m := rapid.IntRange(1, d).Draw(t, "m")
	f, err := New(gaussian(r, m, d))
	if err != nil {
		t.Skip("a Gaussian matrix that is nearly singular")
	}
	return f, r
}

// naivePinv is Wᵀ(WWᵀ)⁻¹, the textbook formula.
func naivePinv(w *mat.Dense) *mat.Dense {
	var gram, inverse, pinv mat.Dense
	gram.Mul(w, w.T())
	if err := inverse.Inverse(&gram); err != nil {
		return nil
	}
	pinv.Mul(w.T(), &inverse)
	return &pinv
}

func TestPseudoInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, _ := drawFrame(t)
		cond := mat.Cond(f.w, 2)
		if cond > 1e4 {
			t.Skip("the oracle squares the condition")
		}
		for j := range f.Components() {
			if norm := floats.Norm(f.w.RawRowView(j), 2); !(math.Abs(norm-1) <= 1e-14) {
				t.Fatalf("row %d has length %v", j, norm)
			}
		}
		if want := naivePinv(f.w); !mat.EqualApprox(f.pinv, want, 1e-14*cond*cond*cond) {
			t.Fatalf("W̃† is\n%v\nwant\n%v", mat.Formatted(f.pinv), mat.Formatted(want))
		}
	})
}

func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r := drawFrame(t)
		m, d := f.Components(), f.Dim()
		cond := mat.Cond(f.w, 2)
		y, x, back := gaussian(r, 3, m), mat.NewDense(3, d, nil), mat.NewDense(3, m, nil)
		f.Points(x, y)
		f.Coordinates(back, x)
		if !mat.EqualApprox(y, back, 1e-13*cond) {
			t.Fatalf("W̃W̃†y is not y at condition %g", cond)
		}
		// Moving by −½W̃†y halves the coordinates.
		f.Move(x, -0.5, y)
		f.Coordinates(back, x)
		y.Scale(0.5, y)
		if !mat.EqualApprox(y, back, 1e-13*cond) {
			t.Fatalf("x − ½W̃†y has the coordinates %v, want %v", mat.Formatted(back), mat.Formatted(y))
		}
		if !mat.Equal(f.Directions(), f.Inverse().T()) {
			t.Fatal("the directions are not the columns of W̃†")
		}
		// Walking along u_j changes y_j alone.
		u := mat.NewDense(1, d, nil)
		e := mat.NewDense(1, m, nil)
		for j := range m {
			f.Direction(u.RawRowView(0), j)
			f.Coordinates(e, u)
			for i := range m {
				want := 0.0
				if i == j {
					want = 1
				}
				if !(math.Abs(e.At(0, i)-want) <= 1e-13*cond) {
					t.Fatalf("⟨w_%d, u_%d⟩ = %g", i, j, e.At(0, i))
				}
			}
		}
	})
}

func TestIdentityIsExact(t *testing.T) {
	for _, d := range []int{1, 2, 3, 17, 100} {
		f := must(t, Identity(d).w)
		if !mat.Equal(f.pinv, Identity(d).w) || !mat.Equal(f.w, Identity(d).w) {
			t.Errorf("d = %d: the inverse of I is not I to the bit", d)
		}
	}
}

func TestBadFrames(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		w    *mat.Dense
		want string
	}{
		{mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), "3 rows of 2 columns"},
		{mat.NewDense(2, 2, []float64{1, 0, 0, 0}), "row 2 has length 0"},
		{mat.NewDense(2, 2, []float64{1, nan, 0, 1}), "row 1 has length NaN"},
		{mat.NewDense(1, 2, []float64{1, inf}), "row 1 has length +Inf"},
		{mat.NewDense(2, 2, []float64{1, 2, 2, 4}), "linearly dependent"},
		{mat.NewDense(2, 3, []float64{1, 2, 3, 2, 4, 6}), "linearly dependent"},
	} {
		if _, err := New(c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.w.RawMatrix().Data, err, c.want)
		}
	}
	if _, err := New(mat.NewDense(2, 2, []float64{1, 2, 2, 4})); !errors.Is(err, ErrDependent) {
		t.Errorf("error %v is not ErrDependent", err)
	}
}

// Nearly parallel rows form a frame as long as their coordinates have correct digits.
func TestNearlyDependentRows(t *testing.T) {
	for _, c := range []struct {
		angle float64
		ok    bool
	}{{1e-3, true}, {1e-8, true}, {1e-12, true}, {1e-15, false}} {
		for _, d := range []int{2, 3} {
			w := mat.NewDense(2, d, nil)
			for i, angle := range []float64{0.7, 0.7 + c.angle} { // away from the axes, whose units may differ
				w.Set(i, 0, math.Cos(angle))
				w.Set(i, 1, math.Sin(angle))
			}
			if _, err := New(w); (err == nil) != c.ok {
				t.Errorf("rows at an angle of %g in %d dimensions: error %v", c.angle, d, err)
			}
		}
	}
}

// Parameters whose units differ by thirty orders of magnitude still form a frame.
func TestUnitsDoNotMakeRowsDependent(t *testing.T) {
	w := mat.NewDense(3, 3, []float64{1, 1e15, 2e-15, 1, -1e15, 1e-15, 3, 1e15, -1e-15})
	f := must(t, w)
	var product mat.Dense
	product.Mul(f.Matrix(), f.Inverse())
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(product.At(i, j)-want) > 1e-12 {
				t.Errorf("W·W⁻¹ is %v", mat.Formatted(&product))
			}
		}
	}
}

func TestCompareUpToSignAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r := drawFrame(t)
		m, d := f.Components(), f.Dim()
		order := r.Perm(m)
		shuffled := mat.NewDense(m, d, nil)
		sign := make([]float64, m)
		for i, j := range order {
			sign[i] = float64(2*r.IntN(2) - 1)
			row := append([]float64(nil), f.w.RawRowView(i)...)
			floats.Scale(sign[i], row)
			shuffled.SetRow(j, row)
		}
		g, err := New(shuffled)
		if err != nil {
			t.Fatal(err)
		}
		c := Compare(f, g)
		if c.Error() != 0 || c.Recovered(0) != m {
			t.Fatalf("distances %v of a shuffled frame", c.Distance)
		}
		if !(c.Coupling <= 1e-14*mat.Cond(f.w, 2)) {
			t.Fatalf("coupling %g of a shuffled frame", c.Coupling)
		}
		for i := range m {
			if c.Match[i] != order[i] || c.Sign[i] != sign[i] {
				t.Fatalf("row %d matched to %d with sign %g, want %d, %g", i, c.Match[i], c.Sign[i], order[i], sign[i])
			}
		}
	})
}

// By hand: W = I and W̃ with its second row turned by the angle φ, so that
// W̃† = [[1, -tan φ], [0, 1/cos φ]] and E has the single off-diagonal entry
// -tan φ; the rows are 2 sin(φ/2) apart.
func TestCompareByHand(t *testing.T) {
	phi := 1e-3
	est := must(t, mat.NewDense(2, 2, []float64{1, 0, math.Sin(phi), math.Cos(phi)}))
	c := Compare(Identity(2), est)
	if want := 2 * math.Sin(phi/2); !(math.Abs(c.Error()-want) <= 1e-15) {
		t.Errorf("error %g, want %g", c.Error(), want)
	}
	if want := math.Tan(phi); !(math.Abs(c.Coupling-want) <= 1e-15) {
		t.Errorf("coupling %g, want %g", c.Coupling, want)
	}
	if c.Recovered(1e-4) != 1 || c.Recovered(1e-2) != 2 {
		t.Errorf("recovered %d and %d", c.Recovered(1e-4), c.Recovered(1e-2))
	}
}

func TestCompareWithRowsMissing(t *testing.T) {
	est := must(t, mat.NewDense(1, 3, []float64{0, -1, 0}))
	c := Compare(Identity(3), est)
	if c.Match[1] != 0 || c.Sign[1] != -1 || c.Distance[1] != 0 {
		t.Errorf("row 2: match %d sign %g distance %g", c.Match[1], c.Sign[1], c.Distance[1])
	}
	if c.Match[0] != -1 || c.Error() != math.Sqrt2 || c.Recovered(1) != 1 || !math.IsInf(c.Coupling, 1) {
		t.Errorf("missing rows: %+v", c)
	}
}

func TestJSONGivesBackTheSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, _ := drawFrame(t)
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var g Frame
		if err := json.Unmarshal(data, &g); err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(f.w, g.w) || !mat.Equal(f.pinv, g.pinv) {
			t.Fatal("bits changed")
		}
	})
}

func TestBadJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, "0 rows for 0 components"},
		{`[1]`, `frame: must be a JSON object with "components", "dim" and "rows", not: array`},
		{`"frame"`, `frame: must be a JSON object with "components", "dim" and "rows", not: string`},
		{`{"components":"two"}`, `frame: "components" must be a whole number, not: string`},
		{`{"components":1,"dim":1.5}`, `frame: "dim" must be a whole number, not: number 1.5`},
		{`{"components":1,"dim":1,"rows":[["a"]]}`, `frame: "rows" must be lists of numbers, not: string`},
		{`{"components":1,"dim":1,"rows":[[1e999]]}`, `frame: "rows" must be lists of numbers, not: number 1e999`},
		{`{"components":1,"dim":1,"rows":{}}`, `frame: "rows" must be lists of numbers, not: object`},
		{`{"components":1,"dim":2,"rows":[[1,0],[0,1]]}`, "2 rows for 1 components"},
		{`{"components":1,"dim":2,"rows":[[1]]}`, "row 1 has 1 numbers for 2 dimensions"},
		{`{"components":1,"dim":-3,"rows":[[1]]}`, "row 1 has 1 numbers for -3 dimensions"},
		{`{"components":2,"dim":2,"rows":[[1,0],[1,0]]}`, "linearly dependent"},
	} {
		var f Frame
		if err := json.Unmarshal([]byte(c.in), &f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.in, err, c.want)
		}
	}
	var f Frame
	if err := f.UnmarshalJSON([]byte("{")); err == nil || !strings.HasPrefix(err.Error(), "frame: this is not JSON") {
		t.Errorf("half an object: error %v", err)
	}
	if _, err := json.Marshal(&f); err == nil || !strings.Contains(err.Error(), "make the frame with New first") {
		t.Errorf("a frame that was not made: error %v", err)
	}
}

// Two blocks that are rotated within themselves and put in another order are right.
// An error between them shows.
func TestCompareBlocks(t *testing.T) {
	truth := must(t, mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}))
	blocks := [][]int{{0, 2}, {1}}
	turned := must(t, mat.NewDense(3, 3, []float64{0, 1, 0, 1, 0, 1, 1, 0, -1})) // y; x+z, x−z
	err, coupling, right := CompareBlocks(truth, blocks, turned, [][]int{{0}, {1, 2}})
	if err > 1e-15 || coupling > 1e-15 || !right {
		t.Errorf("error %g, coupling %g, right %v", err, coupling, right)
	}
	wrong := must(t, mat.NewDense(3, 3, []float64{0, 1, 1e-3, 1, 0, 1, 1, 0, -1}))
	if err, coupling, right = CompareBlocks(truth, blocks, wrong, [][]int{{0}, {1, 2}}); err < 0.9e-3 || err > 1.1e-3 || coupling < 0.5e-3 || !right {
		t.Errorf("error %g, coupling %g, right %v", err, coupling, right)
	}
	if _, _, right = CompareBlocks(truth, blocks, turned, [][]int{{0}, {1}, {2}}); right {
		t.Error("three blocks for two are right")
	}
	if _, _, right = CompareBlocks(truth, blocks, turned, [][]int{{0, 1}, {2}}); right {
		t.Error("a block torn apart is right")
	}
}
