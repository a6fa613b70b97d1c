package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A bbobFunction is one of the 24 noiseless functions of Hansen, Finck, Ros and Auger,
// "Real-Parameter Black-Box Optimization Benchmarking 2009: Noiseless Functions
// Definitions". The letters are theirs.
type bbobFunction struct {
	structure Structure
	rotations int                          // 0: none, 1: R, 2: R and Q
	optimum   func(in *instance) []float64 // draws x_opt
	make      func(in *instance) function
	formula   string
	outer     string // what has to be undone before f separates; "": nothing helps, or nothing is needed
}

// bbobFunctions has bbob-1 at index 0.
var bbobFunctions = slices.Concat(bbobSeparable, bbobModerate, bbobConditioned, bbobMultimodal, bbobWeak)

func bbobNames() []string {
	var names []string
	for i := range bbobFunctions {
		names = append(names, fmt.Sprintf("bbob-%d", i+1))
	}
	return names
}

func bbobNamed(name string) (bbobFunction, bool) {
	if i := slices.Index(bbobNames(), name); i >= 0 {
		return bbobFunctions[i], true
	}
	return bbobFunction{}, false
}

// definition returns f as a definition of the catalogue. It has no mixing matrix: its
// rotations are its own.
func (f bbobFunction) definition() definition {
	return definition{f.structure, "", domain(5), f.draw, f.formula}
}

func (f bbobFunction) draw(d drawing) function { return f.make(f.instance(d.spec)) }

// instance draws an instance of f. The functions of one seed have nothing in common.
func (f bbobFunction) instance(spec Spec) *instance {
	stream := func(part string) *rng.Stream {
		return rng.Seed(spec.Seed).Stream("problem", spec.Name, part)
	}
	in := &instance{d: spec.Dim, params: stream("parameters"), fopt: offset(stream("offset"))}
	rotate := rotation
	if spec.Mix == blockMix {
		rotate = blockRotation
	}
	if f.rotations > 0 {
		in.r = rotate(in.d, stream("R"))
	}
	if f.rotations > 1 {
		in.q = rotate(in.d, stream("Q"))
	}
	in.xopt = f.optimum(in)
	return in
}

// checkBBOB returns an error if a BBOB function is not defined for a Spec.
func (s *Spec) checkBBOB() error {
	switch {
	case s.Dim == 1:
		return objective.BadOption("Dim", "1, must be at least 2 for %s", s.Name)
	case s.Components != s.Dim:
		return objective.BadOption("Components", "%d, must be the dimension, %d, for %s", s.Components, s.Dim, s.Name)
	case s.Mix != "" && s.Mix != blockMix:
		return objective.BadOption("Mix", "%q with %s, which has rotations of its own: leave it out, or take %s for large dimensions",
			s.Mix, s.Name, blockMix)
	}
	return nil
}

// An instance is what makes a BBOB function one function: the symbols of the definitions.
type instance struct {
	d      int
	r, q   linear // the rotations R and Q
	xopt   []float64
	shift  []float64 // x_opt, tiled
	fopt   float64
	params *rng.Stream // for everything else
}

// offset draws f_opt from a Cauchy distribution with half of its mass in [−100, 100],
// rounded to two decimals and cut off at ±1000.
func offset(r *rng.Stream) float64 {
	cauchy := 100 * r.NormFloat64() / r.NormFloat64()
	return min(max(math.Round(100*cauchy)/100, -1000), 1000)
}

// uniform draws x_opt uniformly from [−r, r]^d.
func uniform(r float64) func(*instance) []float64 {
	return func(in *instance) []float64 { return in.uniform(r) }
}

// uniform draws a point uniformly from [−r, r]^d.
func (in *instance) uniform(r float64) []float64 {
	x := make([]float64, in.d)
	box := objective.Cube(in.d, -r, r)
	box.Draw(x, in.params)
	return x
}

// signs draws x_opt = r·1±, whose coordinates are r or −r.
func signs(r float64) func(*instance) []float64 {
	return func(in *instance) []float64 {
		x := in.uniform(1)
		for i, v := range x {
			x[i] = math.Copysign(r, v)
		}
		return x
	}
}

// centred is the x_opt of the functions of z = γRx + ½ whose minimiser is z = 1:
// x_opt = Rᵀ(½/γ, …, ½/γ).
func centred(in *instance) []float64 {
	x := make([]float64, in.d)
	kernel.MulVecT(x, matrix(in.r).RawMatrix(), scaled(0.5/stretch(in.d), ones(in.d)))
	return x
}

// stretch is the γ = max(1, √d/8) of the functions that are made of Rosenbrock's.
func stretch(d int) float64 { return max(1, math.Sqrt(float64(d))/8) }

// function returns f(x) = part(x) + f_opt, where part gets the points, a room to work in,
// and sets the values. It couples everything, in the coordinates of the first rotation.
func (in *instance) function(part func(dst []float64, x blas64.General, r room)) function {
	in.shift = tiled(in.xopt)
	f := function{
		batch: func(dst []float64, x blas64.General, s *scratch) {
			part(dst, x, newRoom(s, len(dst)))
			for i := range dst {
				dst[i] += in.fopt
			}
		},
		work: roomWork(in.d), minimiser: in.xopt, point: in.xopt,
		blocks: whole(in.d),
	}
	if in.r != nil {
		f.frame = func() *mat.Dense { return matrix(in.r) }
	}
	return f
}

// shifted is function where the room has x − x_opt in it.
func (in *instance) shifted(part func(dst []float64, x blas64.General, r room)) function {
	return in.function(func(dst []float64, x blas64.General, r room) {
		r.minus(x, in.shift)
		part(dst, x, r)
	})
}

// within says that f has the given blocks in the coordinates y = Mx.
func (f function) within(m linear, blocks [][]int) function {
	if f.blocks = blocks; m != nil {
		f.frame = func() *mat.Dense { return matrix(m) }
	}
	return f
}
