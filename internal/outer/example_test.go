package outer_test

import (
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/outer"
)

// f = √(x² + y⁴) is a sum after the map ψ(f) = f². Four values at the corners of a few squares,
// with one side along x and the other along y, show that.
func Example() {
	f := func(x, y float64) float64 { return math.Sqrt(x*x + y*y*y*y) }
	var corners []outer.Corners
	for k := range 12 {
		x, y, a, b := 0.1*float64(k), 1-0.05*float64(k), 1+0.1*float64(k%3), 0.5+0.1*float64(k%4)
		corners = append(corners, outer.Corners{f(x, y), f(x+a, y), f(x, y+b), f(x+a, y+b)})
	}
	psi := outer.Fitted(corners)
	fmt.Printf("%s, exponent %g\n", psi.Name(), psi.Exponent())
	fmt.Printf("mixed differences: %.2f of single ones, after the map less than 1e-12: %v\n",
		outer.Coupling(nil, corners), outer.Coupling(psi, corners) < 1e-12)
	// Output:
	// root, exponent 0.5
	// mixed differences: 0.19 of single ones, after the map less than 1e-12: true
}
