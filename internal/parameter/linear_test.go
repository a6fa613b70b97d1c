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

// By hand: 2·a ≤ 3·b is log a − log b ≤ log 1.5 where both are on logarithmic scales, and −2·a ≤ −4 is log a ≥ log 2; a sum of
// three, or with a number, is curved, and what it has is straightened, and then what is in a limit with these.
func TestLimitsInLogarithms(t *testing.T) {
	s := Space{{Name: "a", Log: true}, {Name: "b", Log: true}, {Name: "c", Log: true}, {Name: "d", Fixed: new(2.)}}
	parse := func(text string) Linear {
		l, err := ParseLinear(text, s.Names())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for text, want := range map[string]Linear{
		"2*a <= 3*b":   {Coefficients: []float64{1, -1, 0}, Lo: math.Inf(-1), Hi: math.Log(1.5)},
		"b >= 2*c":     {Coefficients: []float64{0, 1, -1}, Lo: math.Log(2), Hi: math.Inf(1)},
		"c = a":        {Coefficients: []float64{1, 0, -1}},
		"-2*a <= -4":   {Coefficients: []float64{1, 0, 0}, Lo: math.Log(2), Hi: math.Inf(1)},
		"a + 3*d <= 9": {Coefficients: []float64{1, 0, 0}, Lo: math.Inf(-1), Hi: math.Log(3)},
		"a + b <= 5":   {Coefficients: []float64{1, 1, 0}, Lo: math.Inf(-1), Hi: 5},
		"a - b <= 1":   {Coefficients: []float64{1, -1, 0}, Lo: math.Inf(-1), Hi: 1},
	} {
		got := s.InwardLimit(parse(text))
		if !slices.Equal(got.Coefficients, want.Coefficients) || got.Lo != want.Lo || math.Abs(got.Hi-want.Hi) > 1e-15 && got.Hi != want.Hi {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	if x := []float64{3, 2, 1, 2}; s.Slope(parse("2*a <= 3*b"), x) != 6 || s.Slope(parse("a - b <= 1"), x) != 1 {
		t.Error("the slope is not that of 2·a = 6, and of a sum")
	}
	now := s.Straight([]Linear{parse("a <= b"), parse("b + c <= 5")})
	if now[0].Log || now[1].Log || now[2].Log || !s[0].Log {
		t.Errorf("%+v", now)
	}
	if now := s.Straight([]Linear{parse("a <= b")}); !now[0].Log || !now[1].Log {
		t.Errorf("%+v", now)
	}
}
