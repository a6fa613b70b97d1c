package identify

import (
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// seenAt is what a look along the coordinates says.
func seenAt(slope, curvature []float64) model.Sight {
	return model.Sight{Slopes: slope, Hessian: mat.NewDense(len(slope), len(slope), curvature)}
}

// Only curvature along level directions counts: a saddle is convex where it is steep along the
// direction that curves down.
func TestConvexByHand(t *testing.T) {
	saddle := []float64{1, 0, 0, -1}
	for _, c := range []struct {
		slope, curvature []float64
		want             bool
	}{
		{[]float64{0, 2}, saddle, true},
		{[]float64{2, 0}, saddle, false},
		{[]float64{3, 4}, saddle, true}, // along (4, −3): 16 − 9 > 0
		{[]float64{4, 3}, saddle, false},
		{[]float64{1, 0}, []float64{-5, 0, 0, 1}, true},
		{[]float64{0, 0}, []float64{1, 0, 0, 1}, false},
	} {
		if got := convex(seenAt(c.slope, c.curvature)); got != c.want {
			t.Errorf("slope %v, Hessian %v: %v", c.slope, c.curvature, got)
		}
	}
}

// An outer map adds a multiple of ggᵀ to the Hessian, which changes nothing.
func TestConvexWhateverTheMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const m = 4
		number := rapid.Float64Range(-1, 1)
		slope, h := make([]float64, m), make([]float64, m*m)
		for i := range m {
			slope[i] = number.Draw(t, "g")
			for k := range i + 1 {
				v := number.Draw(t, "h")
				h[i*m+k], h[k*m+i] = v, v
			}
			h[i*m+i] += 1.5
		}
		slope[0]++
		c := rapid.Float64Range(-0.3, 0.3).Draw(t, "c")
		bent := make([]float64, m*m)
		for i := range m {
			for k := range m {
				bent[i*m+k] = h[i*m+k] + c*slope[i]*slope[k]
			}
		}
		// Not where errors decide: a little more curvature, or less, says the same.
		more, less := make([]float64, m*m), make([]float64, m*m)
		copy(more, h)
		copy(less, h)
		for i := range m {
			more[i*m+i] += 0.02
			less[i*m+i] -= 0.02
		}
		plain := convex(seenAt(slope, h))
		if plain == convex(seenAt(slope, more)) && plain == convex(seenAt(slope, less)) && plain != convex(seenAt(slope, bent)) {
			t.Errorf("%v, and under a map it is not so: slope %v, Hessian %v, c = %v", plain, slope, h, c)
		}
	})
}

// Whoever asks is told of one minimum where f has one, under an outer map too, once, with
// directions along which f curves as it says. Of Rastrigin's function he is not, and what the
// survey finds is the same.
func TestToldOfOneMinimum(t *testing.T) {
	for _, c := range []struct {
		name, psi string
		want      int
	}{{"different-powers", "", 1}, {"different-powers", "log", 1}, {"different-powers", "square", 1}, {"rastrigin", "", 0}, {"levy", "sqrt", 0}} {
		separable, seeds := 0, flags.Usually(3, 2)
		for seed := range uint64(seeds) {
			p, err := problem.New(problem.Spec{Name: c.name, Dim: flags.Usually(12, 8), Mix: "orthogonal", Seed: seed, Blemishes: problem.Blemishes{Map: c.psi}})
			if err != nil {
				t.Fatal(err)
			}
			told, meter := 0, query.NewMeter(p, 100_000)
			survey := Survey{Tolerance: 0.01, Pause: func(d Next) error {
				if d.Basin != nil {
					told++
					curved(t, p, d.Basin)
				}
				return nil
			}}
			found, err := survey.Identify(ctx, meter, Request{Box: p.Domain(), Seed: seed})
			if err != nil || told != c.want {
				t.Errorf("%+v, seed %d: told %d times, error %v", c, seed, told, err)
			}
			if found.Certificate.Verdict == certify.Separable {
				separable++
			}
		}
		if separable < 2 {
			t.Errorf("%+v: %d of %d frames are found", c, separable, seeds)
		}
	}
}

// curved looks whether f curves along most directions of a basin as it says.
func curved(t *testing.T, f objective.Objective, b *Basin) {
	t.Helper()
	m, d := b.Along.Dims()
	const h = 1e-3
	values, err := query.Ask(ctx, f, 2*m+1, func(k int, row []float64) {
		if copy(row, b.Point); k > 0 {
			kernel.AddScaled(row, [2]float64{-h, h}[k%2], b.Along.RawRowView((k-1)/2))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i := range m {
		if ratio := (values[2*i+1] + values[2*i+2] - 2*values[0]) / (h * h) / b.Curvature; ratio > 0.5 && ratio < 2 {
			right++
		}
	}
	if right < d/2 {
		t.Errorf("f curves as it says along %d of %d directions", right, m)
	}
}
