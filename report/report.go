// Package report draws what was found, as SVG or PNG: the ending of the path
// decides. Start with Spectrum, Couplings, Convergence, Profiles or Race.
package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of one panel, and what is left empty around it.
const width, height, margin = 14 * vg.Centimeter, 10 * vg.Centimeter, 2 * vg.Millimeter

// family is the font an SVG asks for, and alike are fonts with letters of the same
// widths, for where it is not installed: else text would run into what is beside.
const family, alike = "font-family:Liberation Serif", ",Times New Roman,Tinos,Nimbus Roman,Times,serif"

// save draws panels beside each other, each of its own width, and writes them
// to a file.
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

// write writes to a file what paint draws on a canvas of that size. No part of a
// picture is left there if that fails.
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
	return WriteFile(path, data)
}

// WriteFile writes a file as a whole: if that fails, or something kills the program, what
// was there before is there still.
func WriteFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".untwist-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(file.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err == nil {
		return nil
	}
	os.Remove(file.Name())
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = path // not the file that is gone again
	}
	return err
}
