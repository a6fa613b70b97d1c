package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/untwist/untwist/internal/words"
)

// printable reports whether a text can be shown in a line. Some terminals obey characters
// that cannot be seen.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Line returns a text that can be shown in a line of at most so many bytes: what cannot be
// seen becomes a space.
func Line(text string, most int) string {
	return words.Cut(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�")), most)
}
