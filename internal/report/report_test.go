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

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
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

// curve goes from 1e3 to 1e-9.
func curve(n int) []objective.Sample {
	all := make([]objective.Sample, n)
	for i := range all {
		all[i] = objective.Sample{Queries: 1 + i*i, Value: math.Pow(10, 3-12*float64(i)/float64(max(1, n-1)))}
	}
	return all
}

// profiles are m functions with wells, seen at n points each, some not finite.
func profiles(m, n int) []untwist.Profile {
	all := make([]untwist.Profile, m)
	for j := range all {
		p := untwist.Profile{Component: j, Wells: []untwist.Well{{Y: 0, Value: 0}, {Y: 1, Value: 1}, {Y: -1, Value: 1}}}
		for i := range n {
			x := 10*float64(i)/float64(n) - 5
			p.Y, p.Value = append(p.Y, x), append(p.Value, float64(m+j)*(x*x+10-10*math.Cos(2*math.Pi*x)))
		}
		p.Value[j%n] = math.NaN()
		all[j] = p
	}
	return all
}

// stages are those of a run.
var stages = []untwist.Stage{
	{Stage: objective.Stage{Name: "first look"}, Queries: 88}, {Stage: objective.Stage{Name: "reduction"}, Queries: 648}, {Stage: objective.Stage{Name: "hessians"}, Queries: 21776},
	{Stage: objective.Stage{Name: "refinement"}, Queries: 6618}, {Stage: objective.Stage{Name: "certificate"}, Queries: 692}, {Stage: objective.Stage{Name: "lines"}, Queries: 10141},
	{Stage: objective.Stage{Name: "polish"}, Queries: 1821},
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
		report.Convergence(filepath.Join(dir, "convergence."+ending), "title", "axis", curve(m), stages),
		report.Profiles(filepath.Join(dir, "profiles."+ending), profiles(m, 120)),
	)
}

// SVG is well-formed and not huge, PNG can be decoded.
func TestPictures(t *testing.T) {
	for _, m := range []int{1, 3, 30, 250} {
		dir := t.TempDir()
		if err := draw(dir, "svg", m); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"spectrum", "couplings", "convergence", "profiles"} {
			svg(t, filepath.Join(dir, name+".svg"))
		}
		if m > 10 {
			continue
		}
		if err := draw(dir, "png", m); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"spectrum", "couplings", "convergence", "profiles"} {
			file, err := os.Open(filepath.Join(dir, name+".png"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if _, err := png.Decode(file); err != nil {
				t.Errorf("%s of %d: %v", name, m, err)
			}
		}
		if all, _ := os.ReadDir(dir); len(all) != 8 {
			t.Errorf("%d files are left", len(all))
		}
	}
}

// svg returns a picture after a look at its size and form.
func svg(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 3<<20 {
		t.Errorf("%s: %d bytes", path, len(text))
	}
	for decoder := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	for _, bad := range []string{"NaN", "Inf"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("%s has a %s", path, bad)
		}
	}
	return string(text)
}

func TestWhatIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	if err := report.Convergence(path, "", "gap", curve(200), stages); err != nil {
		t.Fatal(err)
	}
	picture := svg(t, path)
	for _, s := range stages {
		if !strings.Contains(picture, ">"+s.Name+"<") {
			t.Errorf("%s is not written", s.Name)
		}
	}
	if err := report.Profiles(path, profiles(500, 5000)); err != nil {
		t.Fatal(err)
	}
	picture = svg(t, path)
	for text, want := range map[string]int{">the 100 of 500 components along which f varies most<": 1, ">component 401<": 1, ">component 500<": 1, ">component 400<": 0, ">component 0<": 0} {
		if got := strings.Count(picture, text); got != want {
			t.Errorf("%q is written %d times, want %d", text, got, want)
		}
	}
}

// What is at the edge of numbers can be drawn.
func TestExtremes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	least, most := math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, values := range [][]float64{
		{1}, {0}, {-1}, {least}, {most}, {-most}, {most, least}, {most, 0}, {most, -most}, {least, 0}, {math.Inf(1), 1, math.NaN()},
	} {
		var samples []objective.Sample
		var wells []untwist.Well
		x := make([]float64, len(values))
		for i, v := range values {
			samples = append(samples, objective.Sample{Queries: 7 * i, Value: v}, objective.Sample{Queries: 7*i + 1, Value: v})
			x[i] = values[len(values)-1-i]
			wells = append(wells, untwist.Well{Y: x[i], Value: v})
		}
		for _, s := range [][]untwist.Stage{nil, {{Stage: objective.Stage{Name: strings.Repeat("long ", 50)}, Queries: 3}}, {{Stage: objective.Stage{Name: ""}, Queries: math.MaxInt}}} {
			if err := report.Convergence(path, "", "", samples, s); err != nil {
				t.Fatalf("%g: %v", values, err)
			}
			svg(t, path)
		}
		if err := report.Profiles(path, []untwist.Profile{{Y: make([]float64, len(values)), Value: values}, {Y: x, Value: values, Wells: wells}}); err != nil {
			t.Fatalf("%g: %v", values, err)
		}
		svg(t, path)
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	dir := t.TempDir()
	for name, err := range map[string]error{
		"no values":    report.Spectrum(filepath.Join(dir, "a.svg"), "", "", nil),
		"zeros":        report.Spectrum(filepath.Join(dir, "a.svg"), "", "", []float64{0, 0}),
		"no couplings": report.Couplings(filepath.Join(dir, "a.svg"), nil, nil, nil),
		"no curve":     report.Convergence(filepath.Join(dir, "a.svg"), "", "", nil, stages),
		"no value": report.Convergence(filepath.Join(dir, "a.svg"), "", "",
			[]objective.Sample{{Queries: 1, Value: math.Inf(1)}, {Queries: 2, Value: math.NaN()}}, nil),
		"no profiles":    report.Profiles(filepath.Join(dir, "a.svg"), nil),
		"no points":      report.Profiles(filepath.Join(dir, "a.svg"), []untwist.Profile{{Y: []float64{1}, Value: []float64{math.NaN()}}}),
		"no value at 2":  report.Profiles(filepath.Join(dir, "a.svg"), []untwist.Profile{{Y: []float64{1, 2}, Value: []float64{1}}}),
		"no such":        report.Profiles(filepath.Join(dir, "a.xyz"), profiles(1, 3)),
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
