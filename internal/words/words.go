// Package words writes numbers for people.
package words

import "strconv"

// Count writes how many things there are: "1 query", "12,000 queries".
func Count(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return Thousands(n) + " " + many
}

// Thousands writes n with a comma between every three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	first := 0 // of the digits
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
