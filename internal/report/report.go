// Package report tells people and programs what was found.
//
// A Run is a minimisation and a Probe is a search for coordinates, each with its
// Subject and with what is Known about that. Both print themselves for people (String),
// write themselves as a JSON object (MarshalJSON) and draw pictures into a folder
// (Draw). Start with one of them.
//
// The pictures can be drawn one by one as well: Convergence, Spectrum, Couplings and
// Profiles for one run, Race and Runtimes for many, and Landscapes for paths of particles.
// They are written as SVG or PNG, whichever the ending of the path says, and look the same
// everywhere: letters are drawn as shapes, and no font is needed.
//
// Components are counted from 1 in words and in pictures, and from 0 in JSON and CSV.
package report

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"

	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/outline"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// width and height are the size of one panel, and margin is the empty space around it.
const width, height, margin = 14 * vg.Centimeter, 10 * vg.Centimeter, 2 * vg.Millimeter

// save draws panels beside each other, each with its own width, and writes them to a
// file.
func save(path, title string, panels []figure, widths []vg.Length) error {
	total := vg.Length(0)
	for _, w := range widths {
		total += w
	}
	return write(path, title, total, height, func(canvas draw.Canvas) {
		at := vg.Length(0)
		for i, p := range panels {
			p.paint(draw.Crop(canvas, at+margin, at+widths[i]-total-margin, margin, -margin))
			at += widths[i]
		}
	})
}

// write writes to a file what paint draws on a canvas of this size. If that fails, the
// file stays as it was.
func write(path, title string, wide, high vg.Length, paint func(draw.Canvas)) error {
	var canvas vg.CanvasWriterTo
	switch filepath.Ext(path) {
	case ".svg":
		canvas = outline.NewSVG(wide, high, title)
	case ".png":
		canvas = outline.NewPNG(wide, high)
	default:
		return fmt.Errorf("report: %s: a picture's name ends with .svg or .png", path)
	}
	paper := draw.New(canvas)
	fill(paper, color.White, 0, wide, 0, high)
	paint(paper)
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	return atomicfile.Write(path, picture.Bytes())
}
