package program

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/untwist/untwist/internal/parameter"
)

// A value in a text is the first or the last word that looks like a number. If it cannot be
// read as one, there is no value: the number before it may be anything.

// inWord reports whether a character is always part of a word. The minus sign of typesetters
// is no part of a number, but it must not be taken for a gap, or the number would lose its
// sign. What follows ^ is part of a unit, such as m/s^2.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("_.+-−^∞", r)
}

const (
	// glue joins digits to a word: 1,234.5 and 12:30:05 and 3/4 are no numbers, nor are
	// their parts. There is a space of typesetters among them, a wide and a narrow one.
	glue = ",'’:/(±\u00a0\u202f"
	// dashes may be meant for a minus sign.
	dashes = "‐‑–﹣－"
)

// mayJoin reports whether a character may be part of a word.
func mayJoin(r rune) bool { return inWord(r) || strings.ContainsRune(glue+dashes+"#*", r) }

func separates(r rune) bool { return !mayJoin(r) }

// lastWord returns the last word of a text that looks like a number, "" if there is none.
func lastWord(text []byte) string {
	for {
		text = bytes.TrimRightFunc(text, separates)
		if len(text) == 0 {
			return ""
		}
		rest := bytes.TrimRightFunc(text, mayJoin)
		if words := numberWords(string(text[len(rest):])); len(words) > 0 {
			return words[len(words)-1]
		}
		text = rest
	}
}

// firstWord returns the first word of a text that looks like a number, "" if there is none.
func firstWord(text []byte) string {
	for {
		text = bytes.TrimLeftFunc(text, separates)
		if len(text) == 0 {
			return ""
		}
		rest := bytes.TrimLeftFunc(text, mayJoin)
		if words := numberWords(string(text[:len(text)-len(rest)])); len(words) > 0 {
			return words[0]
		}
		text = rest
	}
}

// numberWords cuts a text without separators into words, and returns those that look like
// numbers.
func numberWords(text string) (all []string) {
	runes := []rune(text)
	from := 0
	end := func(to int) {
		word := string(runes[from:to])
		if list := strings.Split(word, ","); severalNumbers(word, list) {
			all = append(all, list...)
		} else if looksLikeNumber(word) {
			all = append(all, word)
		}
	}
	for i := 0; i < len(runes); {
		next := i + 1
		for runes[i] == '*' && next < len(runes) && runes[next] == '*' {
			next++
		}
		if !joined(runes, i, next) {
			end(i)
			from = next
		}
		i = next
	}
	end(len(runes))
	return all
}

// joined reports whether a character, or a row of asterisks, joins what is before it to what
// is behind it.
func joined(text []rune, i, next int) bool {
	before, after := ' ', ' '
	if i > 0 {
		before = text[i-1]
	}
	if next < len(text) {
		after = text[next]
	}
	switch r := text[i]; {
	case inWord(r):
		return true
	case r == '*': // as Fortran prints a number that does not fit its columns; not **this**
		return next-i > 1 && !unicode.IsLetter(before) && !unicode.IsLetter(after)
	case r == '#': // 1.#QNAN
		return before == '.'
	case strings.ContainsRune(dashes, r):
		return !unicode.IsLetter(before) && (after == '.' || unicode.IsNumber(after))
	case r == '/' && before == '+' && after == '-': // 3.5+/-0.1
		return true
	}
	return unicode.IsNumber(before) && unicode.IsNumber(after)
}

// oneNumber is a number with a decimal comma or with commas between groups of digits. It may
// also be several numbers.
var oneNumber = regexp.MustCompile(`^[+-]?([0-9]{1,3}(,[0-9]{2,3})*,[0-9]{3}(\.[0-9]*)?|([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+)([eEdD][+-]?[0-9]+)?\.?$`)

// severalNumbers reports whether a word is a list of numbers, and cannot be one number.
func severalNumbers(word string, list []string) bool {
	return len(list) > 1 && !oneNumber.MatchString(word) &&
		!slices.ContainsFunc(list, func(w string) bool { _, ok := wordNumber(w); return !ok })
}

// notNumbers are words for NaN that strconv does not know.
var notNumbers = []string{"nanq", "nans", "qnan", "snan"}

// looksLikeNumber reports whether a word is meant for a number: it starts like one, has a row
// of asterisks, or is a word for NaN or an infinity.
func looksLikeNumber(word string) bool {
	rest := strings.TrimLeft(word, "+-−"+dashes)
	first := []rune(strings.TrimLeft(rest, ".") + " ")[0]
	if _, behind, dotted := strings.Cut(rest, ".."); dotted && behind != "" { // cost.....3.5
		return looksLikeNumber(behind)
	}
	if unicode.IsNumber(first) || first == '∞' || strings.Contains(word, "**") || slices.Contains(notNumbers, strings.ToLower(rest)) {
		return true
	}
	_, ok := parseNumber(word)
	return ok
}

// wordNumber reads a word of a text as a number. The full stop of a sentence does not
// matter.
func wordNumber(word string) (float64, bool) {
	if v, ok := parseNumber(word); ok {
		return v, true
	}
	return parseNumber(strings.TrimRight(word, "."))
}

var (
	// goesOn is what follows a part of a number, and wentOn what comes before one.
	goesOn = regexp.MustCompile(`^([0-9*]|\.?#|[eEdD][+-]?[0-9]|[-+−.,'’:/(±\x{a0}\x{202f}][0-9])`)
	wentOn = regexp.MustCompile(`([0-9*]|(^|[^\pL.])[-+−.]|[0-9][,'’:/(±\x{a0}\x{202f}]|[0-9.][eEdD][-+]?)$`)
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

// appendValue writes the value of the i-th parameter of a space; nil: it is a number.
func appendValue(dst []byte, space parameter.Space, i int, v float64) []byte {
	if space == nil {
		return appendNumber(dst, v)
	}
	return parameter.AppendValue(dst, space[i], v)
}
