package wire

import (
	"strings"
	"unicode/utf8"
)

// printable reports whether a text can be shown in a line.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// oneLine returns a text that can be shown in a line: control characters become spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
}

// Line returns a text as a line of at most so many bytes.
func Line(text string, most int) string {
	const ellipsis = "…"
	text = oneLine(text)
	if len(text) <= most {
		return text
	}
	end := most - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}
