package words

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 3, "0"}, {math.Copysign(0, -1), 3, "0"}, {1, 1, "1"}, {10, 1, "10"}, {0.25, 3, "0.25"}, {-0.001, 1, "−0.001"},
		{1234.5678, 3, "1,230"}, {1234.5678, 6, "1,234.57"}, {-12345, 9, "−12,345"}, {999999.9, 9, "999,999.9"}, {999999.9, 3, "10⁶"},
		{1e6, 1, "10⁶"}, {2e30, 3, "2×10³⁰"}, {1e-8, 1, "10⁻⁸"}, {-2.54e-109, 2, "−2.5×10⁻¹⁰⁹"}, {math.MaxFloat64, 3, "1.8×10³⁰⁸"},
		{math.SmallestNonzeroFloat64, 3, "4.94×10⁻³²⁴"}, {math.NaN(), 3, "NaN"}, {math.Inf(1), 3, "+Inf"}, {100, 1, "100"},
	} {
		if got := Number(c.v, c.digits); got != c.want {
			t.Errorf("%g with %d digits is written %s, want %s", c.v, c.digits, got, c.want)
		}
	}
}

func TestPower(t *testing.T) {
	for v, want := range map[float64]string{1: "1", 2: "2", 10: "10", 20: "2×10¹", 100: "10²", 0.1: "10⁻¹", 1e20: "10²⁰", -100: "−10²", 0: "0"} {
		if got := Power(v, 1); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}
