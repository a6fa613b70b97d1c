package words

import (
	"math"
	"strconv"
	"strings"
)

// Number writes v with this many digits, as pictures have it: 0.25, 12,345, −3, 10⁶,
// 2.5×10⁻⁸. Numbers from 0.0001 to a million have no power of ten.
func Number(v float64, digits int) string {
	read, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if size := math.Abs(read); err != nil || read != 0 && !(size >= 1e-4 && size < 1e6) {
		return Power(v, digits)
	}
	whole, fraction, has := strings.Cut(strconv.FormatFloat(math.Abs(read), 'f', -1, 64), ".")
	n, _ := strconv.Atoi(whole)
	text := Thousands(n)
	if has {
		text += "." + fraction
	}
	if read < 0 {
		text = "−" + text
	}
	return text
}

// Power writes v with this many digits and a power of ten, except for small ones: 1, 2.5,
// 10, 10², 2.5×10³.
func Power(v float64, digits int) string {
	mantissa, exponent, has := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	if !has {
		return mantissa // NaN, +Inf or -Inf
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	text := "10" + raise(exponent)
	e, _ := strconv.Atoi(exponent)
	switch {
	case mantissa == "0":
		return "0"
	case e == 0:
		text = mantissa
	case mantissa == "1" && e == 1:
		text = "10"
	case mantissa != "1":
		text = mantissa + "×" + text
	}
	if negative {
		return "−" + text
	}
	return text
}

// raise writes an exponent in raised letters, without the plus and zeros at its beginning.
func raise(exponent string) string {
	text := ""
	if exponent[0] == '-' {
		text = "⁻"
	}
	for _, digit := range strings.TrimLeft(exponent, "+-0") {
		text += string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[digit-'0'])
	}
	return text
}

// Percent writes a share in percent, without the sign: 71.4, 0.12. What is not 0 does not look
// as if it were.
func Percent(share float64) string {
	switch v := 100 * share; {
	case v > 0 && v < 0.01:
		return "less than 0.01"
	case v >= 99.95 && v < 100.5:
		return "100"
	case v >= 10:
		return Number(v, 3)
	default:
		return Number(v, 2)
	}
}

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
