package outline

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

var handler = Handler{text.Plain{Fonts: font.NewCache(liberation.Collection())}}

func face(size vg.Length) font.Face {
	return handler.Fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// A text is as wide as the font says, and raised letters are a part of that.
func TestWidth(t *testing.T) {
	f := face(20)
	width := func(words string) float64 {
		wide, _, _ := handler.Box(words, f.Font)
		return float64(wide)
	}
	for _, words := range []string{"", "a", "AVATAR", "queries / dimension", "x₁"} {
		if want := float64(f.Width(words)); math.Abs(width(words)-want) > 1e-9 {
			t.Errorf("%q: %g, want %g", words, width(words), want)
		}
	}
	if got, want := width("10⁻⁸"), float64(f.Width("10"))+raisedScale*float64(f.Width("−8")); math.Abs(got-want) > 0.01 {
		t.Errorf("%g, want %g", got, want)
	}
}

func styled(angle float64, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: color.Black, Font: face(10).Font, Rotation: angle, XAlign: x, YAlign: y, Handler: handler}
}

// paper draws and returns an SVG.
func paper(t *testing.T, draw func(*SVG)) string {
	t.Helper()
	s := NewSVG(100, 50, `a <title> & "more"`)
	draw(s)
	var out bytes.Buffer
	if _, err := s.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(strings.NewReader(out.String())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return out.String()
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// By hand: paper of 100 by 50, y downwards.
func TestPaths(t *testing.T) {
	box := vg.Rectangle{Min: vg.Point{X: 1, Y: 2}, Max: vg.Point{X: 4, Y: 6}}
	slope := vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 0, Y: 0}}, {Type: vg.LineComp, Pos: vg.Point{X: 10.004, Y: 5.126}}}
	var circle, curve vg.Path
	circle.Move(vg.Point{X: 12, Y: 10})
	circle.Arc(vg.Point{X: 10, Y: 10}, 2, 0, 2*math.Pi)
	circle.Close()
	curve.Move(vg.Point{})
	curve.QuadTo(vg.Point{X: 1, Y: 1}, vg.Point{X: 2, Y: 0})
	curve.CubeTo(vg.Point{X: 3, Y: 1}, vg.Point{X: 4, Y: 1}, vg.Point{X: 5, Y: 0})
	for name, c := range map[string]struct {
		draw func(*SVG)
		want string
	}{
		"a box":      {func(s *SVG) { s.Fill(box.Path()) }, `<path d="M1 48H4V44H1Z" fill="#000000" shape-rendering="crispEdges"/>`},
		"a slope":    {func(s *SVG) { s.Stroke(slope) }, `<path d="M0 50L10 44.87" fill="none" stroke="#000000" stroke-width="1"/>`},
		"a circle":   {func(s *SVG) { s.Fill(circle) }, `d="M12 40A2 2 0 0 0 8 40A2 2 0 0 0 12 40Z"`},
		"curves":     {func(s *SVG) { s.Stroke(curve) }, `d="M0 50Q1 49 2 50C3 49 4 49 5 50"`},
		"dashes":     {func(s *SVG) { s.SetLineDash([]vg.Length{6, 2}, 1); s.Stroke(slope) }, `stroke-dasharray="6 2" stroke-dashoffset="1"`},
		"half clear": {func(s *SVG) { s.SetColor(color.NRGBA{255, 0, 16, 51}); s.Fill(box.Path()) }, `fill="#ff0010" fill-opacity="0.2"`},
		"moved":      {func(s *SVG) { s.Translate(vg.Point{X: 10, Y: 10}); s.Scale(2, 2); s.Fill(box.Path()) }, `d="M12 36H18V28H12Z"`},
		"turned":     {func(s *SVG) { s.Translate(vg.Point{X: 10}); s.Rotate(math.Pi / 2); s.Fill(box.Path()) }, `d="M8 49V46H4V49Z"`},
		"put back":   {func(s *SVG) { s.Push(); s.Rotate(1); s.Pop(); s.Fill(box.Path()) }, `d="M1 48H4V44H1Z"`},
	} {
		if got := paper(t, c.draw); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s is not in %s", name, c.want, got)
		}
	}
}

// Words can be found, whatever they are; a glyph is written once; nothing asks for a font.
func TestText(t *testing.T) {
	got := paper(t, func(s *SVG) {
		for _, words := range []string{"aaa bbb", "a < b & \"c\"", "10⁻⁸", "中\x01", " ", ""} {
			handler.Draw(s, words, styled(0, text.XLeft, text.YBottom), vg.Point{X: 10, Y: 10})
		}
		handler.Draw(s, "up", styled(math.Pi/2, text.XLeft, text.YBottom), vg.Point{X: 20, Y: 10})
	})
	for _, want := range []string{
		">aaa bbb<", ">a &lt; b &amp; &#34;c&#34;<", ">10⁻⁸<", ">中\uFFFD<", "<title>a &lt;title&gt; &amp; &#34;more&#34;</title>", "rotate(-90)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not written", want)
		}
	}
	for _, not := range []string{"<text", "font", "> <"} {
		if strings.Contains(got, not) {
			t.Errorf("%s is written", not)
		}
	}
	name := `id="Sans-68"` // a
	if n := strings.Count(got, name); n != 1 || strings.Count(got, `"#Sans-68"`) != 4 {
		t.Errorf("a is written %d times:\n%s", n, got)
	}
}

// The same letters are black dots in a PNG, in the same box.
func TestPNG(t *testing.T) {
	p := NewPNG(100, 50)
	handler.Draw(p, "10⁻⁸", styled(0, text.XCenter, text.YCenter), vg.Point{X: 50, Y: 25})
	var out bytes.Buffer
	if _, err := p.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	bounds := picture.Bounds()
	left, right, dark := bounds.Max.X, 0, 0
	for y := range bounds.Max.Y {
		for x := range bounds.Max.X {
			if r, _, _, a := picture.At(x, y).RGBA(); a > 0x8000 && r < 0x8000 {
				left, right, dark = min(left, x), max(right, x), dark+1
			}
		}
	}
	wide, _, _ := handler.Box("10⁻⁸", face(10).Font)
	perPoint := float64(bounds.Max.X) / 100
	ink := float64(dark) / (perPoint * perPoint) // in square points
	if got, want := float64(right-left)/perPoint, float64(wide); ink < 27 || math.Abs(got-want) > 2 {
		t.Errorf("%g of ink, %g wide, want %g", ink, got, want)
	}
	if middle := float64(right+left) / 2 / perPoint; math.Abs(middle-50) > 1 {
		t.Errorf("the middle is at %g", middle)
	}
}
