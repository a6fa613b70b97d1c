package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"gonum.org/v1/gonum/mat"
)

// A run over named parameters is told in their names and units.
func TestRunWithParameters(t *testing.T) {
	space := parameter.Space{
		{Name: "k", Unit: "m/s", Min: new(1e-6), Max: new(1.), Log: true},
		{Name: "width", Min: new(-2.5), Max: new(5.), Log: false},
		{Name: "n", Fixed: new(3.)},
	}
	r := result()
	r.Point = []float64{1, -2.5, 3}
	var err error
	if r.Structure.Frame, err = frame.New(mat.NewDense(2, 2, []float64{0.6, 0.8, -0.8, 0.6})); err != nil {
		t.Fatal(err)
	}
	run := report.Run{Subject: report.Subject{Name: "./sim", Dim: 3, Parameters: space}, Result: r}
	want := "coordinates\n  1: 0.6·log(k) + 0.8·width\n  2: -0.8·log(k) + 0.6·width\n" +
		"best point\n  k     1 m/s (at its max)\n  width -2.5 (at its min)\n  n     3 (fixed)\n"
	if text := run.String(); !strings.HasSuffix(text, want) {
		t.Errorf("%s\nshould end\n%s", text, want)
	}
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"best_point":[1,-2.5,3],"parameters":[{"name":"k","value":1,"unit":"m/s","at":"max"},` +
		`{"name":"width","value":-2.5,"unit":"","at":"min"},{"name":"n","value":3,"unit":"","at":""}]`; !strings.Contains(string(text), want) {
		t.Errorf("%s\nshould have\n%s", text, want)
	}
}
