package parameter_test

import (
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/parameter"
)

// Limits that are too narrow are not called too wide, and the other way round.
func TestSidesOfAParameter(t *testing.T) {
	for _, c := range []struct {
		min, max float64
		log      bool
		want     string // "": nothing is wrong
	}{
		{0, 1, false, ""}, {5e-324, math.MaxFloat64, true, ""}, {5e-324, 1e-323, true, ""},
		{0, 5e-324, false, "too narrow to compute with"}, {1e300, math.Nextafter(1e300, math.Inf(1)), true, "too narrow to compute with"},
		{-math.MaxFloat64, math.MaxFloat64, false, "too wide to compute with: give low and high"}, {0, 1e291, false, "too wide to compute with: give low and high"},
		{1, 1, false, "min must be less"}, {1, 0, false, "min must be less"}, {math.NaN(), 1, false, "must be a finite number"}, {0, math.Inf(1), false, "must be a finite number"},
	} {
		err := parameter.Check(parameter.Parameter{Name: "k", Min: &c.min, Max: &c.max, Log: c.log})
		if (err == nil) != (c.want == "") || err != nil && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v:%v, logarithmic %v: error %v, want %q", c.min, c.max, c.log, err, c.want)
		}
	}
}
