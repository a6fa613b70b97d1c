package program

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// parseNumber reads a number as strconv.ParseFloat does. It also reads a Fortran exponent
// (1.5D+03) and C's -nan, and what is too large for a float64 is an infinity. Spaces around the number
// do not matter, nor does a byte order mark before it.
func parseNumber(s string) (float64, bool) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
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
// number, but it must not be taken for a gap, or the number would lose its sign. What
// follows ^ is part of a unit, such as m/s^2.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.+-−^", r)
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

// lastNumber returns the last word of a text that is a number, and where it stands.
func lastNumber(text []byte) (v float64, at span, ok bool) {
	for {
		text = bytes.TrimRightFunc(text, betweenWords)
		if len(text) == 0 {
			return 0, span{}, false
		}
		rest := bytes.TrimRightFunc(text, inWord)
		if v, ok := wordNumber(text[len(rest):]); ok {
			return v, span{len(rest), len(text)}, true
		}
		text = rest
	}
}

// firstNumber returns the first word of a text that is a number, and where it stands.
func firstNumber(all []byte) (v float64, at span, ok bool) {
	for text := all; ; {
		text = bytes.TrimLeftFunc(text, betweenWords)
		if len(text) == 0 {
			return 0, span{}, false
		}
		rest := bytes.TrimLeftFunc(text, inWord)
		if v, ok := wordNumber(text[:len(text)-len(rest)]); ok {
			return v, span{len(all) - len(text), len(all) - len(rest)}, true
		}
		text = rest
	}
}

// A span is a part of a text: from a byte up to another.
type span struct{ from, to int }

// withComma is a number with a decimal comma, or two integers.
var withComma = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+([eEdD][+-]?[0-9]+)?$`)

// decimalComma returns the number with a decimal comma of which a word is a part, or "".
// It may also be two integers with a comma between them.
func decimalComma(text []byte, word span) string {
	joined := func(r rune) bool { return r == ',' || inWord(r) }
	from := len(bytes.TrimRightFunc(text[:word.from], joined))
	to := len(text) - len(bytes.TrimLeftFunc(text[word.to:], joined))
	if all := bytes.TrimRight(text[from:to], ",."); withComma.Match(all) {
		return string(all)
	}
	return ""
}
