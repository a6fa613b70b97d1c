// Package words writes numbers for people.
package words

import "strconv"

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

// Count writes how many there are of something: Count(1, "query", "queries") is
// "1 query", Count(2500, "query", "queries") is "2,500 queries".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}
