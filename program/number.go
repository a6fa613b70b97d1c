package program

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// parseNumber reads a number as strconv.ParseFloat does. It also reads a Fortran exponent
// (1.5D+03) and C's -nan, and what is too large for a float64 is an infinity. Spaces around the number
// do not matter.
func parseNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	v, err := strconv.ParseFloat(s, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return v, true
	}
	if strings.EqualFold(s, "-nan") || strings.EqualFold(s, "+nan") { // as C prints it
		return math.NaN(), true
	}
	i := strings.IndexAny(s, "dD")
	if i < 0 || strings.ContainsAny(s, "xX") {
		return 0, false
	}
	v, err = strconv.ParseFloat(s[:i]+"e"+s[i+1:], 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// appendNumber writes the shortest number that reads back to the same bits.
func appendNumber(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'g', -1, 64) }

// inWord reports whether a character can be part of a number, or of a word beside it: a
// text is cut into words at all others. The minus sign of typesetters is no part of a
// number, but it must not be taken for a gap, or the number would lose its sign.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.+-−", r)
}

func betweenWords(r rune) bool { return !inWord(r) }

// wordNumber reads a word of a text as a number. The full stop of a sentence does not
// matter.
func wordNumber(word []byte) (float64, bool) {
	if v, ok := parseNumber(string(word)); ok {
		return v, true
	}
	return parseNumber(strings.TrimRight(string(word), "."))
}

// lastNumber returns the last word of a text that is a number.
func lastNumber(text []byte) (float64, bool) {
	for {
		text = bytes.TrimRightFunc(text, betweenWords)
		if len(text) == 0 {
			return 0, false
		}
		rest := bytes.TrimRightFunc(text, inWord)
		if v, ok := wordNumber(text[len(rest):]); ok {
			return v, true
		}
		text = rest
	}
}

// firstNumber returns the first word of a text that is a number.
func firstNumber(text []byte) (float64, bool) {
	for {
		text = bytes.TrimLeftFunc(text, betweenWords)
		if len(text) == 0 {
			return 0, false
		}
		rest := bytes.TrimLeftFunc(text, inWord)
		if v, ok := wordNumber(text[:len(text)-len(rest)]); ok {
			return v, true
		}
		text = rest
	}
}
