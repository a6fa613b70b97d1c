// Package report tells people and programs what was found.
//
// A Run is a minimisation and a Probe is a search for coordinates, each with its
// Subject and with what is Known about that. Both print themselves for people (String),
// write themselves as a JSON object (MarshalJSON) and draw pictures into a folder
// (Draw). Start with one of them.
//
// The pictures can be drawn one by one as well: Convergence, Spectrum, Couplings and
// Profiles for one run, Race for many, and Landscapes for paths of particles. They are
// written as SVG or PNG, whichever the ending of the path says.
//
// Components are counted from 1 in words and in pictures, and from 0 in JSON and CSV.
package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/untwist/untwist/internal/atomicfile"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// width and height are the size of one panel, and margin is the empty space around it.
const width, height, margin = 14 * vg.Centimeter, 10 * vg.Centimeter, 2 * vg.Millimeter

// family is the font that an SVG asks for. alike are fonts whose letters have the same
// widths. They are used where the first is not installed, so that no text runs into
// what is beside it.
const family, alike = "font-family:Liberation Serif", ",Times New Roman,Tinos,Nimbus Roman,Times,serif"

// save draws panels beside each other, each with its own width, and writes them to a
// file.
func save(path string, panels []*plot.Plot, widths []vg.Length) error {
	total := vg.Length(0)
	for _, w := range widths {
		total += w
	}
	return write(path, total, height, func(canvas draw.Canvas) {
		at := vg.Length(0)
		for i, p := range panels {
			p.Draw(draw.Crop(canvas, at+margin, at+widths[i]-total-margin, margin, -margin))
			at += widths[i]
		}
	})
}

// write writes to a file what paint draws on a canvas of this size. If that fails, the
// file stays as it was.
func write(path string, wide, high vg.Length, paint func(draw.Canvas)) error {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	canvas, err := draw.NewFormattedCanvas(wide, high, format)
	if err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	paint(draw.New(canvas))
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	data := picture.Bytes()
	if format == "svg" {
		data = bytes.ReplaceAll(data, []byte(family), []byte(family+alike))
	}
	return atomicfile.Write(path, data)
}
