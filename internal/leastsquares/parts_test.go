package leastsquares

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// By hand: r = ((x + y)², x − y, 3(x + y)), at two points. The first and the third depend on x + y, the second on x − y. From
// (1, 1) with x − y of (2, 0) it is to (2, 0), and with x + y to (1, 1).
func TestPartsByHand(t *testing.T) {
	jacobian := func(x, y float64) *mat.Dense {
		return mat.NewDense(3, 2, []float64{2 * (x + y), 2 * (x + y), 1, -1, 3, 3})
	}
	if p := FindParts([]*mat.Dense{jacobian(1, 0)}); p.Known {
		t.Error("known from one Jacobian")
	}
	p := FindParts([]*mat.Dense{jacobian(1, 0), jacobian(2, 1)})
	if p.Count != 2 || !p.Known || p.of[0] != p.of[2] || p.of[0] == p.of[1] {
		t.Fatalf("%+v", p)
	}
	if s := p.Sums([]float64{1, 2, 3}); s[p.of[0]] != 10 || s[p.of[1]] != 4 {
		t.Errorf("%v", s)
	}
	for part, want := range map[int][2]float64{p.of[1]: {2, 0}, p.of[0]: {1, 1}} {
		if at := p.Move([]float64{1, 1}, []float64{2, 0}, part); math.Abs(at[0]-want[0])+math.Abs(at[1]-want[1]) > 1e-12 {
			t.Errorf("%v, not %v", at, want)
		}
	}
	// xy depends on both: its gradients (y, x) and those of x are in one part.
	if p = FindParts([]*mat.Dense{mat.NewDense(2, 2, []float64{3, 2, 1, 0}), mat.NewDense(2, 2, []float64{1, 5, 1, 0})}); p.Count != 1 {
		t.Errorf("%+v", p)
	}
}

// naiveParts tries all divisions of residuals, and returns the finest of which the ranks of the parts add up to that of all.
func naiveParts(jacobians []*mat.Dense, m int) (best []int) {
	rank := func(of []int, part int) int {
		var rows []float64
		_, d := jacobians[0].Dims()
		for _, j := range jacobians {
			for k := range m {
				if part < 0 || of[k] == part {
					rows = append(rows, j.RawRowView(k)...)
				}
			}
		}
		var svd mat.SVD
		svd.Factorize(mat.NewDense(len(rows)/d, d, rows), mat.SVDNone)
		return svd.Rank(1e-9)
	}
	most := 0
	var try func(of []int, parts int)
	try = func(of []int, parts int) {
		if len(of) < m {
			for p := range parts + 1 {
				try(append(append([]int(nil), of...), p), max(parts, p+1))
			}
			return
		}
		sum := 0
		for p := range parts {
			sum += rank(of, p)
		}
		if sum == rank(of, -1) && parts > most {
			best, most = of, parts
		}
	}
	try(nil, 0)
	return best
}

// Residuals of random parts in random coordinates: as the naive division says.
func TestPartsAgainstNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(40, 1))
	for range 40 {
		d, m := 2+random.IntN(4), 2+random.IntN(5)
		w := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				w.Set(i, j, random.NormFloat64())
			}
		}
		first, second := make([]int, m), make([]int, m) // each residual depends on one or two of the coordinates
		for k := range m {
			first[k], second[k] = random.IntN(d), random.IntN(d)
		}
		var jacobians []*mat.Dense
		for range 3 {
			g := mat.NewDense(m, d, nil)
			for k := range m {
				g.Set(k, first[k], random.NormFloat64())
				g.Set(k, second[k], random.NormFloat64())
			}
			g.Mul(g, w)
			jacobians = append(jacobians, g)
		}
		p, want := FindParts(jacobians), naiveParts(jacobians, m)
		for k := range m {
			for l := range k {
				if (p.of[k] == p.of[l]) != (want[k] == want[l]) {
					t.Fatalf("d = %d: parts %v, not %v", d, p.of, want)
				}
			}
		}
	}
}
