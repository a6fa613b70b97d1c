package identify

import (
	"errors"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"gonum.org/v1/gonum/mat"
)

// A Finding is what an Identifier has found.
type Finding struct {
	Frame  *frame.Frame // m×d; nil: none was found
	Blocks [][]int      // of components, ascending
	// Map undoes the outer map of f: ψ(f) separates in Frame, and the certificate, the
	// linear component, Quadratic and the scales are those of ψ(f). nil: f itself does.
	Map Map
	// Linear is the component in which f is linear, orthogonal to the others;
	// -1: none.
	Linear int
	// Quadratic says that f has the same Hessian everywhere: any conjugate basis
	// separates f then, and Frame is one of many.
	Quadratic   bool
	Certificate certify.Certificate
	// Tentative says that the certificate does not bear the frame out, but that all that
	// contradicts it may be noise: what noise leaves of a frame adds up over the whole box.
	Tentative bool

	// Residual is the largest error of a block that the last check found: how much of
	// E may be left. Where f has noise it is the largest standard error of an E_ij, in units
	// of the curvatures.
	Residual float64
	// Pairs are how much all pairs of components couple, where the frame was found although f
	// does not separate in it; nil: not so.
	Pairs []certify.Pair
	// Scale is, for each component, the length along u_j over which f_j″ changes
	// by about a third, so that a grid has to be finer. See Survey.Measures.
	Scale []float64
	// Spectrum is that of the Hessians.
	Spectrum Spectrum
	// Before and After are the couplings |H_ij|/√|H_ii H_jj| of sampled
	// Hessians, in the coordinates in which they were sampled first and in the
	// frame; nil where none were sampled, and on the paper's way.
	Before, After *mat.Dense
	// Forecast is about how many queries it was to take to find a frame, and Odds the probability that there is one in
	// which f separates, as seen when the survey began: where nothing is known that is ½. 0: nobody has said.
	Forecast int
	Odds     float64
	// Notes are what else a user should know, in words.
	Notes []string
}

// A Map is ψ, which undoes an outer map φ: f = φ(Σ f_j) up to a constant and a factor of the
// sum. Survey finds maps; other identifiers leave Finding.Map nil.
type Map interface {
	// Name is that of φ: "the square root", "the logarithm", ….
	Name() string
	// Exponent returns q if φ is the power v^q, up to constants and scales: 0 for a logarithm,
	// +Inf for an exponential, and NaN for other maps.
	Exponent() float64
	// Of returns ψ(f), Slope ψ′(f) > 0, and Inverse the f at which ψ has a value.
	Of(f float64) float64
	Slope(f float64) float64
	Inverse(value float64) float64
	// Range returns the values of f between which the map was found.
	Range() (lo, hi float64)
}

// Known returns the finding of a frame that is given and was not tested; blocks may be
// nil.
func Known(f *frame.Frame, blocks [][]int) *Finding {
	return &Finding{Frame: f, Blocks: blocks, Linear: -1, Certificate: certify.None()}
}

// A Spectrum is what Hessians have told about the components of f, as numbers in
// descending order.
type Spectrum struct {
	Kind   Kind
	Values []float64 // nil: no Hessian was needed
}

// A Kind says what the numbers of a spectrum are.
type Kind string

// The kinds of a spectrum.
const (
	// Eigenvalues are the absolute eigenvalues of the first Hessian.
	Eigenvalues Kind = "eigenvalues of the first Hessian"
	// SingularValues are those of all Hessians together, each a column of a matrix.
	SingularValues Kind = "singular values of all Hessians"
)

// Why nothing could be identified.
var (
	ErrConstant  = errors.New("identify: f is constant where it was sampled")
	ErrNoStep    = errors.New("identify: no step for finite differences was found: f is not smooth, too noisy, not finite or not free to move there")
	ErrNotFinite = errors.New("identify: f failed, or was NaN or infinite, at too many of the points drawn to tell anything about it")
	// ErrSingular says that the Hessians have a direction in common in which none
	// of them curves: f has fewer components than dimensions, or is flat there.
	ErrSingular = errors.New("identify: in some direction no Hessian has curvature")
	// ErrSmallBudget says that f does not separate in the coordinates as given, does
	// not have few components and is not quadratic, and that the budget is too small to
	// look further.
	ErrSmallBudget = errors.New("identify: the budget is too small to find the coordinates")
	// ErrOneDimensional says that all Hessians are multiples of one: f is quadratic
	// where it was sampled. The paper's way cannot tell components apart then.
	ErrOneDimensional = errors.New("identify: all sampled Hessians are multiples of one, so that they span one dimension: f is quadratic there, and the paper's way cannot tell its components apart")
)
