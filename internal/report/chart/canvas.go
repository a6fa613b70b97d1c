package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// An anchor says which part of a text is at its place.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// letters is the size of all texts. Above their line letters reach up to rise, and below
// it down to fall.
const letters, rise, fall = 12., 10., 3.

// A box is a rectangle on paper. y0 is its upper end.
type box struct{ x0, x1, y0, y1 float64 }

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// A place says where and how a text is written. room is how wide it may be, and suffix is
// what follows it in any case.
type place struct {
	at     point
	anchor anchor
	class  string
	room   float64
	suffix string
}

// shown returns what is shown of a text: as much as there is room for.
func (w place) shown(s string) string {
	return cut(s, w.room/w.weight()-widthOf(w.suffix)) + w.suffix
}

// box returns where a text will be.
func (w place) box(s string) box {
	width := widthOf(s) * w.weight()
	x0 := w.at.x
	switch w.anchor {
	case middle:
		x0 -= width / 2
	case end:
		x0 -= width
	}
	return box{x0, x0 + width, w.at.y - rise, w.at.y + fall}
}

// weight is how much wider the letters are than usual ones.
func (w place) weight() float64 {
	if w.class == "c-title" {
		return 1.12 // bold ones
	}
	return 1
}

// A canvas is a picture that is being drawn. It knows where its texts are.
type canvas struct {
	wide  float64
	out   strings.Builder
	boxes []box
}

// newCanvas returns an empty canvas with a title, and says where what is below begins.
func newCanvas(wide float64, title string) (c *canvas, top float64) {
	c = &canvas{wide: wide}
	if title == "" {
		return c, 0
	}
	c.text(place{at: point{4, 13}, class: "c-title", room: wide - 8}, title)
	return c, 16
}

// text writes a text. If it is longer than its room it is cut, and the whole text is its
// title.
func (c *canvas) text(w place, s string) {
	s = clean(s)
	shown := w.shown(s)
	if shown == "" {
		return
	}
	c.boxes = append(c.boxes, w.box(shown))
	fmt.Fprintf(&c.out, `<text x="%s" y="%s"`, num(w.at.x), num(w.at.y))
	if w.anchor == middle || w.anchor == end {
		fmt.Fprintf(&c.out, ` text-anchor="%s"`, w.anchor)
	}
	if w.class != "" {
		fmt.Fprintf(&c.out, ` class="%s"`, w.class)
	}
	c.out.WriteByte('>')
	if shown != s+w.suffix {
		c.title(s)
	}
	c.out.WriteString(template.HTMLEscapeString(shown) + "</text>")
}

// free says whether a box meets no text.
func (c *canvas) free(b box) bool { return !slices.ContainsFunc(c.boxes, b.meets) }

// title writes what is shown when the pointer is over the element that has just begun.
func (c *canvas) title(s string) {
	c.out.WriteString("<title>" + template.HTMLEscapeString(clean(s)) + "</title>")
}

// titled ends an element that has just begun, with a title if there is one.
func (c *canvas) titled(element, title string) {
	if title == "" {
		c.out.WriteString("/>")
		return
	}
	c.out.WriteByte('>')
	c.title(title)
	c.out.WriteString("</" + element + ">")
}

func (c *canvas) line(class string, from, to point) { c.path(class, joined([]point{from, to})) }

func (c *canvas) path(class, d string) {
	if d == "" {
		return
	}
	fmt.Fprintf(&c.out, `<path class="%s" d="%s"/>`, class, d)
}

func (c *canvas) rect(class string, b box, title string) {
	fmt.Fprintf(&c.out, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, num(b.x0), num(b.y0), num(max(0, b.x1-b.x0)), num(max(0, b.y1-b.y0)))
	c.titled("rect", title)
}

func (c *canvas) dot(class string, at point, radius float64, title string) {
	fmt.Fprintf(&c.out, `<circle class="%s" cx="%s" cy="%s" r="%s"`, class, num(at.x), num(at.y), num(radius))
	c.titled("circle", title)
}

// done returns the picture, which is so high. label is what is read aloud.
func (c *canvas) done(high float64, label string) Picture {
	return Picture{c.wide, high, clean(label), c.out.String()}
}

// key writes names from a place on, in as many rows as it takes, each behind a sample that
// draw draws at its place. It returns the line of the last row.
func (c *canvas) key(at point, sample float64, names []string, draw func(k int, at point)) float64 {
	for k, name := range names {
		p := place{class: "c-note", room: c.wide - sample - 12}
		name = clean(name)
		width := sample + 4 + widthOf(p.shown(name))
		if at.x > 4 && at.x+width > c.wide-4 {
			at = point{4, at.y + 16}
		}
		draw(k, at)
		p.at = point{at.x + sample + 4, at.y}
		c.text(p, name)
		at.x += width + 12
	}
	return at.y
}

// num writes a place on paper, to a tenth of a unit.
func num(v float64) string { return string(appendNum(nil, v)) }

// appendNum writes a place on paper behind what is there.
func appendNum(d []byte, v float64) []byte {
	tenths := int64(math.Round(10 * v))
	if tenths < 0 {
		d, tenths = append(d, '-'), -tenths
	}
	d = strconv.AppendInt(d, tenths/10, 10)
	if tenths%10 != 0 {
		d = append(d, '.', byte('0'+tenths%10))
	}
	return d
}

func pair(p point) string { return num(p.x) + " " + num(p.y) }

// clean returns a text without letters that XML cannot have. White space becomes one space.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		case r == 0xFFFE || r == 0xFFFF:
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(s)
}

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
