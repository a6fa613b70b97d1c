package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// The numbers that the sweep of errors goes through: sizes of E, numbers of Hessians on the
// paper's road as parts of d, and ends of the survey as parts of d².
var (
	errorSizes    = []float64{0, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3}
	hessianParts  = []float64{0.25, 0.5, 0.75, 1, 1.25, 1.5}
	surveyLengths = []int{1, 2, 3, 4, 6, 9, 14}
)

// Errors sweeps the error of the frame: success and queries of the paper's three methods and
// of auto in frames W̃ = (I+E)W, which cost no query, and in frames of either road stopped
// early, unless Sizes are chosen. "CBO on g" and "CBO on f" stand beside them.
//
// Reference: section 4, "the influence of possible matrix estimation errors is left for future
// work".
func Errors(of Extent) (Sweep, error) {
	s, err := of.sweep("errors", "How much do errors of W̃ matter?")
	if err != nil {
		return s, err
	}
	all, err := of.methods("auto", "cbo-on-g", "cbo")
	if err != nil {
		return s, err
	}
	inFrame := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return strings.HasPrefix(name, "cbo") })
	s.Pictures = []Picture{{Name: "gaussian", Title: "The frame is given: (I+E)W, the entries of E Gaussian", X: "size of E (standard deviation of an entry)", Rows: "size of E"}}
	for _, name := range inFrame {
		for _, size := range of.sizes(errorSizes) {
			m := named(name, sized(size))
			m.Frame = erring(size)
			s.put(m, Place{Picture: "gaussian", Line: name, X: size, Row: fmt.Sprint(size)})
		}
	}
	if of.Sizes == nil {
		s.roads(inFrame, s.Cases[0].Dim)
	}
	for _, name := range all[len(inFrame):] {
		m, err := MethodNamed(name)
		if err != nil {
			return s, err
		}
		for _, p := range s.Pictures {
			s.put(m, Place{Picture: p.Name, Line: m.Title, X: math.NaN()})
		}
	}
	return s, s.Complete()
}

// roads adds the picture of frames that are found, on roads that are stopped early.
func (s *Sweep) roads(methods []string, d int) {
	s.Pictures = append(s.Pictures, Picture{Name: "roads", Title: "The frame is found, on roads that are stopped early", X: "error of the frame found (rms entry)", Rows: "road", Measured: true})
	for _, name := range methods {
		for _, n := range someHessians(d) {
			s.put(onPapersRoad(name, n), Place{Picture: "roads", Line: name + ", paper's road", X: float64(n), Row: fmt.Sprintf("paper's, %s", words.Count(n, "Hessian", "Hessians"))})
		}
	}
	for _, name := range methods {
		for _, k := range surveyLengths {
			s.put(onSurvey(name, k*d*d), Place{Picture: "roads", Line: name + ", survey", X: float64(k * d * d), Row: fmt.Sprintf("survey, at most %s", words.Count(k*d*d, "query", "queries"))})
		}
	}
}

// someHessians returns the numbers of Hessians in d dimensions.
func someHessians(d int) []int {
	all := lists.Map(hessianParts, func(part float64) int { return int(math.Ceil(part * float64(d))) })
	return slices.Compact(all) // where d is small, some are the same
}

// onPapersRoad is a method that shares the frame of the paper's road with so many Hessians.
func onPapersRoad(name string, hessians int) Method {
	return onRoad(name, fmt.Sprintf("hessians=%d", hessians), identify.Paper{Samples: hessians})
}

// onSurvey is a method that shares the frame of a survey that ends after so many queries.
func onSurvey(name string, queries int) Method {
	return onRoad(name, fmt.Sprintf("survey=%d", queries), stopped{identify.Survey{}, queries})
}

// onRoad is a method that shares the frame of a road.
func onRoad(name, road string, by identify.Identifier) Method {
	m := named(name, road)
	m.Shared, m.Identifier, m.Road = true, by, road
	return m
}

// erring makes the true frame with an error:
//
//	W̃ = (I + E)W, rows scaled to length 1, E_ij ∼ N(0, size²).
//
// At a seed E is the same for all sizes, but for its size. With size 0 it is W, to the bit.
func erring(size float64) func(Problem, uint64) (*frame.Frame, error) {
	return func(p Problem, seed uint64) (*frame.Frame, error) {
		known, ok := p.(framed)
		if !ok {
			return nil, errors.New("only a built-in problem knows its true one")
		}
		w := known.Frame()
		if size == 0 {
			return w, nil
		}
		m := w.Components()
		e := mat.NewDense(m, m, nil)
		rng.Seed(seed).Stream("experiment", "error").Norm(e.RawMatrix().Data)
		e.Scale(size, e)
		tilted := mat.DenseCopyOf(w.Matrix())
		kernel.Mul(tilted.RawMatrix(), 1, e.RawMatrix(), w.Matrix().RawMatrix(), 1)
		return frame.New(tilted)
	}
}

// errorOf returns the error of a frame, the root of the mean square of E_ij, i ≠ j,
//
//	E = W·W̃† − I
//
// in the order and with the signs in which the rows fit best: how much component i moves on
// a walk along direction j. It is infinite if W̃ has another number of rows than W, and 0 if
// there is only one row.
func errorOf(truth, found *frame.Frame) float64 {
	c := frame.Compare(truth, found)
	m := truth.Components()
	if found.Components() != m {
		return math.Inf(1)
	}
	if m == 1 {
		return 0
	}
	e := mat.NewDense(m, m, nil)
	kernel.Mul(e.RawMatrix(), 1, truth.Matrix().RawMatrix(), found.Inverse().RawMatrix(), 0)
	sum := 0.0
	for i := range m {
		for j := range m {
			if v := e.At(i, c.Match[j]); i != j {
				sum += float64(v * v)
			}
		}
	}
	return math.Sqrt(sum / float64(m*(m-1)))
}

// sized names a size in a store.
func sized(size float64) string { return fmt.Sprintf("error=%g", size) }

// A stopped road ends after so many queries, with the best frame that it has by then. If it
// has none, these are the coordinates as given.
type stopped struct {
	road    identify.Identifier
	queries int
}

func (s stopped) Name() string { return fmt.Sprintf("%s-%d", s.road.Name(), s.queries) }

func (s stopped) Identify(ctx context.Context, f objective.Objective, r identify.Request) (*identify.Finding, error) {
	found := identify.Known(nil, nil)
	if s.queries > 0 {
		var err error
		meter := query.NewMeter(f, s.queries)
		found, err = identify.Find(ctx, s.road, meter, r)
		over := errors.Is(err, objective.ErrBudget) && meter.Queries() == s.queries
		if err != nil && !over && !errors.Is(err, identify.ErrSmallBudget) {
			return found, err
		}
	}
	if found.Frame == nil {
		found = identify.Known(frame.Identity(f.Dim()), nil)
	}
	return found, nil
}
