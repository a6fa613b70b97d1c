package words

import (
	"math"
	"strconv"
)

// Figure writes three significant digits of v: 0.0123, 1.5, 12,300, 1.23e-07. Infinity is ∞,
// and a number that is none is empty.
func Figure(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "-∞"
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	switch size := math.Abs(v); {
	case size >= 1e7:
		return strconv.FormatFloat(v, 'e', -1, 64)
	case size >= 1000:
		return Thousands(int(v))
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
