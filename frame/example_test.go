package frame_test

import (
	"encoding/json"
	"fmt"

	"github.com/untwist/untwist/frame"
	"gonum.org/v1/gonum/mat"
)

// From points to coordinates and back. The rows of W̃ are scaled to length 1, so
// y_1 = (3x_1 + 4x_2)/5. A walk along u_1 changes y_1 but not y_2.
func ExampleNew() {
	f, err := frame.New(mat.NewDense(2, 2, []float64{3, 4, 0, 1}))
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y, back := mat.NewDense(1, 2, []float64{5, 10}), mat.NewDense(1, 2, nil), mat.NewDense(1, 2, nil)
	f.Coordinates(y, x)
	f.Points(back, y)
	fmt.Printf("y = %.1f, x = %.1f\n", y.RawRowView(0), back.RawRowView(0))

	u := make([]float64, 2)
	f.Direction(u, 0)
	x.Set(0, 0, x.At(0, 0)+3*u[0])
	x.Set(0, 1, x.At(0, 1)+3*u[1])
	f.Coordinates(y, x)
	fmt.Printf("after 3 steps along u_1: y = %.1f\n", y.RawRowView(0))
	// Output:
	// y = [11.0 10.0], x = [5.0 10.0]
	// after 3 steps along u_1: y = [14.0 10.0]
}

// An estimate is compared with the truth up to the order and the sign of its rows.
func ExampleCompare() {
	truth := frame.Identity(2)
	estimate, err := frame.New(mat.NewDense(2, 2, []float64{0, -1, 1, 0.01}))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := frame.Compare(truth, estimate)
	fmt.Println("rows", c.Match, "with signs", c.Sign)
	fmt.Printf("%d of 2 recovered to 1e-3, the worst to %.2f, coupling %.2f\n", c.Recovered(1e-3), c.Error(), c.Coupling)
	// Output:
	// rows [1 0] with signs [1 -1]
	// 1 of 2 recovered to 1e-3, the worst to 0.01, coupling 0.01
}

// A frame is written as its rows, and read back with the same bits.
func ExampleFrame_MarshalJSON() {
	text, err := json.Marshal(frame.Identity(2))
	fmt.Println(string(text), err)
	var f frame.Frame
	fmt.Println(json.Unmarshal([]byte(`{"components": 2, "dim": 2, "rows": [[1, 0]]}`), &f))
	// Output:
	// {"components":2,"dim":2,"rows":[[1,0],[0,1]]} <nil>
	// frame: 1 rows for 2 components
}
