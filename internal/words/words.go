// Package words writes numbers, and short texts, for people.
package words

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Thousands writes n with a comma between every three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	first := 0 // the index of the first digit
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Cut returns a text, or its beginning and an ellipsis, in at most so many bytes.
func Cut(text string, most int) string {
	const ellipsis = "…"
	if len(text) <= most {
		return text
	}
	end := most - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + ellipsis
}

// Count writes how many there are of something: Count(1, "query", "queries") is
// "1 query", Count(2500, "query", "queries") is "2,500 queries".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}
