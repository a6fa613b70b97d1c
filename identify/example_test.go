package identify_test

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// f is Σ cos(3y_j) + y_j² in the coordinates y_1 ∝ x_1 + 2x_2 and y_2 ∝ 3x_2 − x_1.
func f(x []float64) float64 {
	a, b := (x[0]+2*x[1])/math.Sqrt(5), (3*x[1]-x[0])/math.Sqrt(10)
	return math.Cos(3*a) + a*a + math.Cos(3*b) + b*b
}

// show prints the rows of a frame so that their first entries are above 0.
func show(w *frame.Frame) {
	for j := range w.Components() {
		row := w.Matrix().RawRowView(j)
		sign := math.Copysign(1, row[0])
		fmt.Printf("±(%.4f, %.4f)\n", sign*row[0], sign*row[1])
	}
}

// The coordinates in which a function separates, from its values alone.
func ExampleSurvey() {
	metered := query.NewMeter(objective.Func(2, f), 1000)
	found, err := identify.Survey{}.Identify(context.Background(), metered, identify.Request{Box: objective.Cube(2, -2, 2), Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(found.Frame)
	fmt.Println(found.Certificate.Verdict, "within a thousand queries")
	// Unordered output:
	// ±(0.4472, 0.8944)
	// ±(0.3162, -0.9487)
	// separable within a thousand queries
}

// The same by Algorithm 1 of the paper, with the settings of its experiment.
func ExamplePaper() {
	metered := query.NewMeter(objective.Func(2, f), 1000)
	found, err := identify.Paper{}.Identify(context.Background(), metered, identify.Request{Box: objective.Cube(2, -2, 2), Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(found.Frame)
	fmt.Println(found.Certificate.Verdict, "by the", len(found.Spectrum.Values), found.Spectrum.Kind)
	// Unordered output:
	// ±(0.4472, 0.8944)
	// ±(0.3162, -0.9487)
	// separable by the 3 singular values of all Hessians
}

// A frame from elsewhere is certified, and its scales are measured: the lengths over which
// a component's curvature changes.
func ExampleSurvey_Judge() {
	w, err := frame.New(mat.NewDense(2, 2, []float64{1, 2, -1, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := identify.Survey{Measures: 3}.Judge(context.Background(), objective.Func(2, f), w, nil, identify.Request{})
	fmt.Println(found.Certificate.Verdict, len(found.Scale), err)
	// Output: separable 2 <nil>
}

// Identifiers by name, as the flag --identifier has them.
func ExampleNamed() {
	for _, name := range identify.Names() {
		by, err := identify.Named(name)
		fmt.Printf("%T %s %v\n", by, by.Name(), err)
	}
	// Output:
	// identify.Survey survey <nil>
	// identify.Paper paper <nil>
	// identify.Paper paper-all-limits <nil>
}
