package strategy

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/objective"
)

// What every strategy has to do is in conformance_test.go of the root package.

func TestNames(t *testing.T) {
	if got, want := Names(), []string{"auto", "reparametrised", "transformed", "componentwise", "cbo", "cbo-isotropic", "cmaes"}; !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	if Default().Name() != "auto" {
		t.Errorf("the default is %s", Default().Name())
	}
}

func TestKnobs(t *testing.T) {
	s, err := Named("cbo", Knobs{Particles: 7, Sigma: new(0.), Tau: new(0.5), Alpha: new(3.)})
	if err != nil {
		t.Fatal(err)
	}
	c := s.(CBO).Config
	if c.Particles != 7 || c.Sigma.At(9) != 0 || c.Tau != 0.5 || c.Alpha.At(0) != 3 || !(math.Abs(c.Alpha.At(1)-3.015) <= 1e-12) || c.Alpha.At(1e5) != 1e5 {
		t.Errorf("config %+v", c)
	}
	if s, _ := Named("cbo", Knobs{Alpha: new(1e7)}); s.(CBO).Config.Alpha.At(5) != 1e7 {
		t.Error("α above the limit of its growth does not stay")
	}
	if s, _ := Named("cbo", Knobs{}); s.(CBO).Config.Sigma != nil || s.(CBO).Config.Alpha != nil {
		t.Error("knobs that were not turned change the config")
	}
}

// Particles are reflected where there are bounds and clipped where there are
// none, and never further than 1e8 half-widths away.
func TestInside(t *testing.T) {
	inf := math.Inf(1)
	if d := inside(objective.Cube(3, -inf, inf)); d != (cbo.Clip{Radius: 1e8}) {
		t.Errorf("without bounds: %v", d)
	}
	half := objective.Box{Lo: []float64{-inf, -2}, Hi: []float64{inf, inf}}
	d, ok := inside(half).(cbo.Reflect)
	if !ok || !slices.Equal(d.Box.Lo, []float64{-1e8, -2}) || !slices.Equal(d.Box.Hi, []float64{1e8, 1e8}) {
		t.Errorf("with bounds %v: %v", half, d)
	}
}
