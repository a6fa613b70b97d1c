package outline

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// An SVG is a canvas. Each glyph is written once and used where it is needed. Every text
// has its words as a description, so that people and programs find them.
type SVG struct {
	wide, high  vg.Length
	title       string
	shapes, all bytes.Buffer
	shaped      map[string]string // the names of glyphs in shapes; "" for those that cannot be seen
	states      []state
}

// A state is what Push saves: (x, y) is drawn at turn·(x, y) + from, y upwards.
type state struct {
	color  color.Color
	wide   vg.Length
	dashes []vg.Length
	offset vg.Length
	turn   complex128 // rotates and scales
	from   complex128
}

// NewSVG returns an empty picture of this size.
func NewSVG(wide, high vg.Length, title string) *SVG {
	s := &SVG{wide: wide, high: high, title: title, shaped: map[string]string{}, states: []state{{turn: 1}}}
	vg.Initialize(s)
	return s
}

func (s *SVG) now() *state { return &s.states[len(s.states)-1] }

// Size returns the size of the picture.
func (s *SVG) Size() (wide, high vg.Length) { return s.wide, s.high }

// SetLineWidth, SetLineDash and SetColor choose how the next things are drawn.
func (s *SVG) SetLineWidth(w vg.Length) { s.now().wide = w }

// SetLineDash chooses the lengths of dashes and gaps.
func (s *SVG) SetLineDash(dashes []vg.Length, offset vg.Length) {
	s.now().dashes, s.now().offset = dashes, offset
}

// SetColor chooses a colour. No colour is black.
func (s *SVG) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	s.now().color = c
}

// Rotate rotates what is drawn next, anticlockwise.
func (s *SVG) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	s.now().turn *= complex(cos, sin)
}

// Translate moves what is drawn next.
func (s *SVG) Translate(by vg.Point) { s.now().from = s.place(by) }

// Scale makes larger what is drawn next, by the same factor in both directions.
func (s *SVG) Scale(x, y float64) {
	if x != y {
		panic("outline: scaled by two factors")
	}
	s.now().turn *= complex(x, 0)
}

// Push saves the state, and Pop goes back to it.
func (s *SVG) Push() { s.states = append(s.states, *s.now()) }

// Pop goes back to the state that was saved last.
func (s *SVG) Pop() { s.states = s.states[:len(s.states)-1] }

// place returns where a point is drawn, y upwards.
func (s *SVG) place(p vg.Point) complex128 {
	return s.now().from + s.now().turn*complex(float64(p.X), float64(p.Y))
}

// length returns how long a length is drawn.
func (s *SVG) length(l vg.Length) float64 {
	return float64(l) * math.Hypot(real(s.now().turn), imag(s.now().turn))
}

// Stroke draws a line along a path.
func (s *SVG) Stroke(path vg.Path) {
	now := s.now()
	if len(path) == 0 || !(now.wide > 0) {
		return
	}
	d, _ := s.data(path)
	fmt.Fprintf(&s.all, `<path d="%s" fill="none"%s stroke-width="%s"`, d, paint("stroke", now.color), short(s.length(now.wide)))
	for i, dash := range now.dashes {
		if i == 0 {
			s.all.WriteString(` stroke-dasharray="` + short(s.length(dash)))
		} else {
			s.all.WriteString(" " + short(s.length(dash)))
		}
	}
	if len(now.dashes) > 0 {
		s.all.WriteString(`"`)
		if now.offset != 0 {
			s.all.WriteString(` stroke-dashoffset="` + short(s.length(now.offset)) + `"`)
		}
	}
	s.all.WriteString("/>\n")
}

// Fill fills a path. Rectangles have sharp edges, so that no gap is seen between two that
// touch.
func (s *SVG) Fill(path vg.Path) {
	if len(path) == 0 {
		return
	}
	d, upright := s.data(path)
	sharp := ""
	if upright {
		sharp = ` shape-rendering="crispEdges"`
	}
	fmt.Fprintf(&s.all, "<path d=%q%s%s/>\n", d, paint("fill", s.now().color), sharp)
}

// FillString draws text as shapes.
func (s *SVG) FillString(face font.Face, at vg.Point, words string) {
	drawn, _ := letters(face, words)
	p, turned := s.place(at), ""
	if angle := -math.Atan2(imag(s.now().turn), real(s.now().turn)) * 180 / math.Pi; math.Abs(angle) > 1e-9 {
		turned = "rotate(" + short(angle) + ")"
	}
	fmt.Fprintf(&s.all, `<g%s transform="translate(%s %s)%sscale(%.4g)"><desc>`, paint("fill", s.now().color),
		short(real(p)), short(float64(s.high)-imag(p)), turned, s.length(unit(face)))
	xml.EscapeText(&s.all, []byte(words))
	s.all.WriteString("</desc>")
	for _, l := range drawn {
		name := s.glyph(face, l.glyph)
		if name == "" {
			continue // a space
		}
		where := fmt.Sprintf(`x="%s"`, short(l.x))
		if l.scale != 1 {
			where = fmt.Sprintf(`transform="translate(%s %s)scale(%s)"`, short(l.x), short(l.y), short(l.scale))
		}
		fmt.Fprintf(&s.all, `<use xlink:href="#%s" %s/>`, name, where)
	}
	s.all.WriteString("</g>\n")
}

// glyph returns the name of a glyph in the picture, or "" if there is nothing to see. A
// name is the same in all pictures, so that a page can have several of them.
func (s *SVG) glyph(face font.Face, glyph sfnt.GlyphIndex) string {
	name := fmt.Sprintf("%s-%d", face.Font.Variant, glyph)
	if known, is := s.shaped[name]; is {
		return known
	}
	outline := shape(face, glyph)
	if len(outline) == 0 {
		s.shaped[name] = ""
		return ""
	}
	s.shaped[name] = name
	fmt.Fprintf(&s.shapes, `<path id="%s" d="`, name)
	for i, segment := range outline {
		n := 1
		switch segment.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				s.shapes.WriteString("Z")
			}
			s.shapes.WriteString("M")
		case sfnt.SegmentOpLineTo:
			s.shapes.WriteString("L")
		case sfnt.SegmentOpQuadTo:
			s.shapes.WriteString("Q")
			n = 2
		case sfnt.SegmentOpCubeTo:
			s.shapes.WriteString("C")
			n = 3
		}
		for k, p := range segment.Args[:n] {
			if k > 0 {
				s.shapes.WriteString(" ")
			}
			fmt.Fprintf(&s.shapes, "%d %d", p.X, p.Y)
		}
	}
	s.shapes.WriteString("Z\"/>\n")
	return name
}

// DrawImage is not needed.
func (s *SVG) DrawImage(vg.Rectangle, image.Image) { panic("outline: an image in an SVG") }

// WriteTo writes the picture.
func (s *SVG) WriteTo(out io.Writer) (int64, error) {
	var text bytes.Buffer
	wide, high := short(float64(s.wide)), short(float64(s.high))
	text.WriteString(xml.Header)
	fmt.Fprintf(&text, `<svg width="%spt" height="%spt" viewBox="0 0 %s %s" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">`+"\n", wide, high, wide, high)
	if s.title != "" {
		text.WriteString("<title>")
		xml.EscapeText(&text, []byte(s.title))
		text.WriteString("</title>\n")
	}
	fmt.Fprintf(&text, "<defs>\n%s</defs>\n%s</svg>\n", s.shapes.Bytes(), s.all.Bytes())
	return text.WriteTo(out)
}

// paint returns the attributes of a colour.
func paint(what string, c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	s := fmt.Sprintf(` %s="#%02x%02x%02x"`, what, n.R, n.G, n.B)
	if n.A < 255 {
		s += fmt.Sprintf(` %s-opacity="%s"`, what, short(float64(n.A)/255))
	}
	return s
}

// short writes a number with two digits after the point, fewer where they are zeros.
func short(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64) // −0 + 0 is 0
}
