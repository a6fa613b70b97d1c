package report_test

import (
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/untwist/untwist/report"
	"gonum.org/v1/gonum/mat"
)

func couplings(m int) *mat.Dense {
	c := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			c.Set(i, j, math.Pow(10, -float64((i*7+j*3)%12)))
		}
	}
	return c
}

// draw draws one picture of each kind.
func draw(dir, ending string, m int) error {
	values := make([]float64, m)
	for i := range values {
		values[i] = math.Exp(-float64(i))
	}
	return errors.Join(
		report.Spectrum(filepath.Join(dir, "spectrum."+ending), "title", "axis", values),
		report.Couplings(filepath.Join(dir, "couplings."+ending), couplings(m), couplings(m), nil),
	)
}

// SVG is well-formed and not huge, PNG can be decoded.
func TestPictures(t *testing.T) {
	for _, m := range []int{1, 2, 30, 250} {
		dir := t.TempDir()
		if err := errors.Join(draw(dir, "svg", m), draw(dir, "png", m)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"spectrum", "couplings"} {
			text, err := os.ReadFile(filepath.Join(dir, name+".svg"))
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 3<<20 {
				t.Errorf("%s of %d: %d bytes", name, m, len(text))
			}
			for decoder := xml.NewDecoder(strings.NewReader(string(text))); ; {
				if _, err := decoder.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s of %d: %v", name, m, err)
				}
			}
			file, err := os.Open(filepath.Join(dir, name+".png"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if _, err := png.Decode(file); err != nil {
				t.Errorf("%s of %d: %v", name, m, err)
			}
		}
		if all, _ := os.ReadDir(dir); len(all) != 4 {
			t.Errorf("%d files are left", len(all))
		}
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	dir := t.TempDir()
	for name, err := range map[string]error{
		"no values":      report.Spectrum(filepath.Join(dir, "a.svg"), "", "", nil),
		"zeros":          report.Spectrum(filepath.Join(dir, "a.svg"), "", "", []float64{0, 0}),
		"no couplings":   report.Couplings(filepath.Join(dir, "a.svg"), nil, nil, nil),
		"unknown format": report.Spectrum(filepath.Join(dir, "a.xyz"), "", "", []float64{1}),
		"no folder":      report.Spectrum(filepath.Join(dir, "none", "a.svg"), "", "", []float64{1}),
	} {
		if err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
	if all, _ := os.ReadDir(dir); len(all) != 0 {
		t.Errorf("%d files are left", len(all))
	}
}
