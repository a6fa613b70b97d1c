package words

import (
	"math"
	"testing"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 123456: "123,456", 1234567: "1,234,567", -5: "-5", -123: "-123", -1234: "-1,234"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 queries", 1: "1 query", 2: "2 queries", 2500: "2,500 queries", -1: "-1 queries"} {
		if got := Count(n, "query", "queries"); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}

func TestFigure(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "1.5": 1.5, "0.0123": 0.01234, "0.0001": 1e-4, "1e-05": 1e-5, "1.23e-07": 1.2345e-7, "999": 999.4, "1,000": 999.6,
		"12,300": 12345, "-1,230": -1234, "9,990,000": 9_990_000, "1e+07": 9_996_000, "1.23e+300": 1.2345e300, "∞": math.Inf(1), "-∞": math.Inf(-1), "": math.NaN(),
	} {
		if got := Figure(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}
