package chart

import (
	"strings"
	"unicode"
)

// widthOf returns how wide a text is at most, in units, in the fonts that browsers have for
// sans-serif. DejaVu Sans, which is among the widest, is the measure.
func widthOf(s string) float64 {
	ems := 0.
	for _, r := range s {
		ems += em(r)
	}
	return letters * ems
}

// em returns how wide a letter is, in units of the letters' size.
func em(r rune) float64 {
	switch {
	case strings.ContainsRune("ijl'| ,.:;!Ifrt()[]/-\"⁰¹²³⁴⁵⁶⁷⁸⁹⁻", r):
		return 0.43
	case strings.ContainsRune("mwMW%@…", r):
		return 1
	case r >= 0x2E80: // what is written in squares, and pictures
		return 1.1
	case unicode.IsUpper(r) || unicode.Is(unicode.Sm, r):
		return 0.84
	}
	return 0.64
}

// cut shortens a text that is wider than its room, and ends it with three dots.
func cut(s string, room float64) string {
	if widthOf(s) <= room {
		return s
	}
	left := room - widthOf("…")
	for i, r := range s {
		if left -= letters * em(r); left < 0 {
			if i == 0 {
				return ""
			}
			return s[:i] + "…"
		}
	}
	return s
}
