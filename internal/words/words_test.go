package words

import "testing"

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
