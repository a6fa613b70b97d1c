package parameter

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestLinearLimits(t *testing.T) {
	names := []string{"a", "b", "p_1", "größe"}
	inf := math.Inf(1)
	for text, want := range map[string]Linear{
		"a + b <= 5":              {Coefficients: []float64{1, 1, 0, 0}, Lo: -inf, Hi: 5},
		"2*p_1 - a = 1":           {Coefficients: []float64{-1, 0, 2, 0}, Lo: 1, Hi: 1},
		"a*3>=b - 1e-1":           {Coefficients: []float64{3, -1, 0, 0}, Lo: -.1, Hi: inf},
		"- 2 größe + 1 ≤ 3 + a":   {Coefficients: []float64{-1, 0, 0, -2}, Lo: -inf, Hi: 2},
		"1 == .5a + .5·b + a - a": {Coefficients: []float64{-.5, -.5, 0, 0}, Lo: -1, Hi: -1},
	} {
		got, err := ParseLinear(text, names)
		if err != nil || !slices.Equal(got.Coefficients, want.Coefficients) || got.Lo != want.Lo || got.Hi != want.Hi {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, about := range map[string]string{
		"a + b": "is not a limit", "a < b < 3": "is not a limit", "c <= 1": "no parameter c", "a b <= 1": "not a sum", "a*b <= 1": "not a sum",
		"a <= a": "limits no parameter", "<= 3": "not a sum", "a^2 <= 1": "not a sum", "1e999 a <= 1": "no number",
	} {
		if _, err := ParseLinear(text, names); err == nil || !strings.Contains(err.Error(), about) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// By hand: x = (2, fixed 3, 4): 2·2 − 3 + 4 = 5; without the fixed one the limits move by 3.
func TestLinearInward(t *testing.T) {
	fixed := 3.
	s := Space{{Name: "a"}, {Name: "b", Fixed: &fixed}, {Name: "c"}}
	l, _ := ParseLinear("2*a - b + c <= 5", s.Names())
	if got := l.Sum([]float64{2, 3, 4}); got != 5 {
		t.Errorf("sum %v", got)
	}
	in := s.InwardLimit(l)
	if in.Hi != 8 || !slices.Equal(in.Coefficients, []float64{2, 1}) {
		t.Errorf("%+v", in)
	}
	z := in.Scaled([]float64{1, 1}, []float64{2, 10})
	if z.Hi != 5 || !slices.Equal(z.Coefficients, []float64{4, 10}) {
		t.Errorf("%+v", z)
	}
}
