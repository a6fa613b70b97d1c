package objective_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
)

// A side is refused for the right reason, up to the ends of the floating-point numbers.
func TestSidesOfABox(t *testing.T) {
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		lo, hi float64
		want   string // "": nothing is wrong
	}{
		{0, 1, ""}, {-1e289, 1e289, ""}, {0, 1e-300, ""}, {1, math.Nextafter(1, 2), ""}, {1e-310, 1e-299, ""}, {-least, 1, ""},
		{0, least, "too narrow"}, {-least, least, "too narrow"}, {0, 0x1p-1022, "too narrow"}, {1e-310, 2e-310, "too narrow"}, {-9e-301, 0, "too narrow"},
		{-most, most, "too wide"}, {0, most, "too wide"}, {-most, 0, "too wide"}, {math.Nextafter(most, 0), most, "too wide"}, {-1e290, 1e290, "too wide"},
		{0, inf, "too wide"}, {-inf, 0, "too wide"}, {-inf, inf, "too wide"},
		{1, 1, "LO < HI"}, {0, math.Copysign(0, -1), "LO < HI"}, {least, least, "LO < HI"}, {most, most, "LO < HI"}, {inf, inf, "LO < HI"},
		{1, 0, "LO < HI"}, {least, 0, "LO < HI"}, {most, -most, "LO < HI"}, {inf, -inf, "LO < HI"},
		{nan, 1, "LO < HI"}, {0, nan, "LO < HI"}, {nan, nan, "LO < HI"},
	} {
		box := objective.Cube(2, c.lo, c.hi)
		err := box.Check(2)
		if err == nil {
			err = box.CheckFinite()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || errors.Is(err, objective.ErrNarrow) != (c.want == "too narrow") {
			t.Errorf("%v:%v: error %v, want %q", c.lo, c.hi, err, c.want)
		}
	}
}
