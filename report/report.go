// Package report draws what was found, as SVG or PNG: the ending of the path
// decides. Start with Spectrum or Couplings.
package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of one panel, and what is left empty around it.
const width, height, margin = 14 * vg.Centimeter, 10 * vg.Centimeter, 2 * vg.Millimeter

// save draws panels beside each other, each of its own width, and writes them
// to a file. No part of a picture is left there if that fails.
func save(path string, panels []*plot.Plot, widths []vg.Length) error {
	total := vg.Length(0)
	for _, w := range widths {
		total += w
	}
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	canvas, err := draw.NewFormattedCanvas(total, height, format)
	if err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	at := vg.Length(0)
	for i, p := range panels {
		p.Draw(draw.Crop(draw.New(canvas), at+margin, at+widths[i]-total-margin, margin, -margin))
		at += widths[i]
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".picture-*")
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(file.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}
