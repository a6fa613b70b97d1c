// Package outline draws pictures whose letters are shapes: SVG and PNG look the same
// everywhere, and need no font where they are looked at.
//
// NewSVG and NewPNG return canvases for gonum/plot. Text drawn on them must have a Handler,
// which knows how wide it is. Both draw raised digits, as in 10⁻⁸, which the fonts do not
// have.
package outline

import (
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A letter is a glyph of a font and where it is drawn: in units of the font, from where the
// text begins, y downwards.
type letter struct {
	glyph       sfnt.GlyphIndex
	x, y, scale float64
}

// Raised letters are smaller and this far above the line, in parts of the size of the font.
const raisedScale, raisedBy = 0.68, 0.36

// raised has the letters that are drawn smaller and higher up.
var raised = map[rune]rune{
	'⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9', '⁻': '−',
}

// letters returns the letters of a text and its width in units of the font. A letter that
// the font does not have is drawn as a box.
func letters(face font.Face, words string) (all []letter, wide float64) {
	var buffer sfnt.Buffer
	em := face.Face.UnitsPerEm()
	ppem := fixed.Int26_6(em) // so numbers in 64ths of a pixel are units of the font
	var before letter
	for i, r := range words {
		l := letter{scale: 1}
		if plain, is := raised[r]; is {
			r, l.scale, l.y = plain, raisedScale, -raisedBy*float64(em)
		}
		l.glyph, _ = face.Face.GlyphIndex(&buffer, r)
		if i > 0 && l.scale == before.scale {
			if kern, err := face.Face.Kern(&buffer, before.glyph, l.glyph, ppem, 0); err == nil {
				wide += l.scale * float64(kern)
			}
		}
		l.x = math.Round(wide)
		advance, err := face.Face.GlyphAdvance(&buffer, l.glyph, ppem, 0)
		if err != nil {
			continue
		}
		wide += l.scale * float64(advance)
		all = append(all, l)
		before = l
	}
	return all, wide
}

// shape returns the outline of a glyph, in units of the font, y downwards.
func shape(face font.Face, glyph sfnt.GlyphIndex) sfnt.Segments {
	var buffer sfnt.Buffer
	outline, err := face.Face.LoadGlyph(&buffer, glyph, fixed.Int26_6(face.Face.UnitsPerEm()), nil)
	if err != nil {
		return nil // there is no such glyph in a font that can be read
	}
	return outline
}

// unit returns the length of a unit of the font.
func unit(face font.Face) vg.Length {
	return face.Font.Size / vg.Length(face.Face.UnitsPerEm())
}

// A Handler draws plain text, and knows how wide raised letters are.
type Handler struct{ text.Plain }

// Box returns the width of a line, its height above the baseline, and its depth below.
func (h Handler) Box(line string, f font.Font) (wide, high, deep vg.Length) {
	face := h.Fonts.Lookup(f, f.Size)
	_, units := letters(face, line)
	extents := face.Extents()
	return vg.Length(units) * unit(face), extents.Ascent, extents.Descent
}

// Draw draws text, of one line or several.
func (h Handler) Draw(canvas vg.Canvas, words string, style text.Style, at vg.Point) {
	lines := h.Lines(words)
	face := h.Fonts.Lookup(style.Font, style.Font.Size)
	canvas.Push()
	defer canvas.Pop()
	canvas.SetColor(style.Color)
	canvas.Translate(at)
	if style.Rotation != 0 {
		canvas.Rotate(style.Rotation)
	}
	y := style.Height(words)*vg.Length(style.YAlign) - face.Extents().Ascent
	for i, line := range lines {
		wide, _, _ := h.Box(line, style.Font)
		below := vg.Length(len(lines)-i) * style.Font.Size
		if strings.TrimSpace(line) != "" {
			canvas.FillString(face, vg.Point{X: wide * vg.Length(style.XAlign), Y: y + below}, line)
		}
	}
}
