package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
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
	{Stage: objective.Stage{Name: "first look"}, Queries: 736}, {Stage: objective.Stage{Name: "hessians"}, Queries: 28394},
	{Stage: objective.Stage{Name: "certificate"}, Queries: 692}, {Stage: objective.Stage{Name: "lines"}, Queries: 10141},
	{Stage: objective.Stage{Name: "polish"}, Queries: 1821},
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

// Pictures of any number of components are well-formed and not huge, and the same again.
func TestPictures(t *testing.T) {
	for _, m := range []int{1, 3, 30, 250} {
		values := make([]float64, m)
		for i := range values {
			values[i] = math.Exp(-float64(i))
		}
		found := untwist.Result{Strategy: "auto", Profiles: profiles(m, 120), Structure: &untwist.Structure{
			Spectrum: identify.Spectrum{Values: values}, Before: couplings(m), After: couplings(m)}}
		found.Curve, found.Stages = curve(m), stages
		dir, again := t.TempDir(), t.TempDir()
		for _, d := range []string{dir, again} {
			if err := (report.Run{Result: found}).Draw(d); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"spectrum", "couplings", "convergence", "convergence-linear", "profiles"} {
			if svg(t, filepath.Join(dir, name+".svg")) != svg(t, filepath.Join(again, name+".svg")) {
				t.Errorf("%s of %d is another picture the second time", name, m)
			}
		}
		if all, _ := os.ReadDir(dir); len(all) != 6 { // and profiles.csv
			t.Errorf("%d files are there", len(all))
		}
	}
}

// What is at the edge of numbers can be drawn.
func TestExtremes(t *testing.T) {
	dir := t.TempDir()
	least, most := math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, values := range [][]float64{
		nil, {1}, {0}, {-1}, {least}, {most}, {-most}, {most, least}, {most, 0}, {most, -most}, {least, 0}, {math.Inf(1), 1, math.NaN()}, {math.NaN()},
	} {
		var found untwist.Result
		x := make([]float64, len(values))
		var wells []untwist.Well
		for i, v := range values {
			found.Curve = append(found.Curve, objective.Sample{Queries: 7 * i, Value: v}, objective.Sample{Queries: 7*i + 1, Value: v})
			x[i] = values[len(values)-1-i]
			wells = append(wells, untwist.Well{Y: x[i], Value: v})
		}
		found.Profiles = []untwist.Profile{{Y: make([]float64, len(values)), Value: values}, {Y: x, Value: values, Wells: wells}}
		for _, s := range [][]untwist.Stage{nil, {{Stage: objective.Stage{Name: strings.Repeat("long ", 50)}, Queries: 3}}, {{Stage: objective.Stage{Name: ""}, Queries: math.MaxInt}}} {
			found.Stages = s
			if err := (report.Run{Result: found}).Draw(dir); err != nil {
				t.Fatalf("%g: %v", values, err)
			}
			for _, name := range []string{"convergence", "convergence-linear", "profiles"} {
				svg(t, filepath.Join(dir, name+".svg"))
			}
		}
	}
	if err := (report.Run{}).Draw(filepath.Join(dir, "none")); err == nil {
		t.Error("drawn without a folder")
	}
}
