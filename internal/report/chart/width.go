package chart

import "unicode"

// widthOf returns how wide a text is at most, in units, in the fonts that browsers have for
// sans-serif. DejaVu Sans, which is among the widest, is the measure.
func widthOf(s string) float64 {
	ems := 0.
	for _, r := range s {
		if r < 128 {
			ems += ascii[r]
		} else {
			ems += em(r)
		}
	}
	return letters * ems
}

// ascii has the widths of the usual letters.
var ascii = func() (all [128]float64) {
	for r := range all {
		all[r] = em(rune(r))
	}
	return all
}()

// em returns how wide a letter is, in units of the letters' size.
func em(r rune) float64 {
	switch r {
	case 'i', 'j', 'l', '\'', '|':
		return 0.34
	case ' ', ',', '.', ':', ';', '!', 'I':
		return 0.4
	case 'f', 'r', 't', '(', ')', '[', ']', '/', '-', '"', '⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻':
		return 0.45
	case 'm', 'w', 'M', 'W', '%', '@', '…':
		return 1
	case '−', '×', '±', '+', '=', '<', '>', '≤', '≥', '~', 'O', 'Q', 'D', 'G', 'H', 'N', 'U':
		return 0.84
	}
	switch {
	case r < 0x2E80 && !unicode.IsUpper(r):
		return 0.64
	case r < 0x2E80:
		return 0.75
	}
	return 1.1 // what is written in squares, and pictures
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
