package outline

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dotsPerInch makes a PNG sharp when it is printed, too.
const dotsPerInch = 160

// A PNG is a canvas with the same letters as an SVG.
type PNG struct{ vgimg.PngCanvas }

// NewPNG returns an empty picture of this size.
func NewPNG(wide, high vg.Length) PNG {
	return PNG{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(dotsPerInch))}}
}

// FillString draws text as shapes.
func (p PNG) FillString(face font.Face, at vg.Point, words string) {
	drawn, _ := letters(face, words)
	size := unit(face)
	var path vg.Path
	for _, l := range drawn {
		on := func(q fixed.Point26_6) vg.Point {
			return vg.Point{
				X: at.X + size*vg.Length(l.x+l.scale*float64(q.X)),
				Y: at.Y - size*vg.Length(l.y+l.scale*float64(q.Y)),
			}
		}
		outline := shape(face, l.glyph)
		for i, segment := range outline {
			a := segment.Args
			switch segment.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				path.Move(on(a[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(on(a[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(on(a[0]), on(a[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(on(a[0]), on(a[1]), on(a[2]))
			}
		}
		if len(outline) > 0 {
			path.Close()
		}
	}
	p.Fill(path)
}
