package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/untwist/untwist"
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
	r.Point = []float64{1, -2.5 + 7e-6, 3} // width is within 1e-6 of its range from its limit
	var err error
	if r.Structure.Frame, err = frame.New(mat.NewDense(2, 2, []float64{0.6, 0.8, -0.8, 0.6})); err != nil {
		t.Fatal(err)
	}
	run := report.Run{Subject: report.Subject{Name: "./sim", Dim: 3, Parameters: space}, Result: r}
	want := "coordinates\n  1: 0.6·log(k) + 0.8·width\n  2: 0.8·log(k) - 0.6·width\n" +
		"best point\n  k     1 m/s (at its max)\n  width -2.499993 (at its min)\n  n     3 (fixed)\n"
	if text := run.String(); !strings.HasSuffix(text, want) {
		t.Errorf("%s\nshould end\n%s", text, want)
	}
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"best_point":[1,-2.499993,3],"parameters":[{"name":"k","value":1,"unit":"m/s","at":"max"},` +
		`{"name":"width","value":-2.499993,"unit":"","at":"min"},{"name":"n","value":3,"unit":"","at":""}]`; !strings.Contains(string(text), want) {
		t.Errorf("%s\nshould have\n%s", text, want)
	}
}

// A parameter without a name is at its limit, too.
func TestLimitsWithoutNames(t *testing.T) {
	space := parameter.Plain(14)
	r := result()
	r.Structure, r.Point = nil, nil
	for i := range space {
		space[i].Min, space[i].Max = new(-1.), new(1.)
		r.Point = append(r.Point, 1-2e-6)
	}
	r.Point[0], r.Point[1] = 0.5, -1+1e-6
	run := report.Run{Subject: report.Subject{Dim: 14, Limited: space}, Result: r}
	want := "at limits   x2 (min), x3 (max), x4 (max), x5 (max), x6 (max), x7 (max), x8 (max), x9 (max), x10 (max), x11 (max), and 3 more\n"
	if text := run.String(); !strings.Contains(text, want) {
		t.Errorf("%s\nshould have\n%s", text, want)
	}
	text, err := json.Marshal(run)
	if want := `{"name":"x1","value":0.5,"unit":"","at":""},{"name":"x2","value":-0.999999,"unit":"","at":"min"},`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s\nshould have\n%s %v", text, want, err)
	}
	run.Result.Point[13] = 0.5
	run.Result.Point = append([]float64{0.5}, run.Result.Point[13:]...)
	run.Subject.Limited = space[:2]
	if text := run.String(); strings.Contains(text, "at limits") {
		t.Error(text)
	}
}

// Products of powers come first, in the text too, and are called dimensionless groups where units
// cancel. The largest weight of each combination is positive.
func TestDimensionlessGroups(t *testing.T) {
	on := func(name, unit string) parameter.Parameter {
		return parameter.Parameter{Name: name, Unit: unit, Min: new(1.), Max: new(10.), Log: true}
	}
	space := parameter.Space{on("speed", "m/s"), on("time", "s"), on("length", "m")}
	r := result()
	r.Point = []float64{2, 2, 2}
	var err error
	if r.Structure.Frame, err = frame.New(mat.NewDense(3, 3, []float64{-0.9, 0.2, 0.31, 0.7, 0, -0.7, -0.5, -0.5, 0.5})); err != nil {
		t.Fatal(err)
	}
	text := report.Run{Subject: report.Subject{Name: "./sim", Dim: 3, Parameters: space}, Result: r}.String()
	if want := "coordinates\n  3: speed·time/length (a dimensionless group)\n  2: speed/length\n  1: speed^0.93·length^-0.32·time^-0.21\n"; !strings.Contains(text, want) {
		t.Errorf("%s\nshould have\n%s", text, want)
	}
}

// What residuals determine best and least is in units of ranges: the largest weight comes first and is positive, however wide the
// range of its parameter.
func TestDirectionsAreInUnitsOfRanges(t *testing.T) {
	space := parameter.Space{{Name: "k", Min: new(1e-4), Max: new(1.), Log: true}, {Name: "heat", Min: new(10.), Max: new(200.)}}
	r := result()
	r.Point = []float64{0.1, 50}
	r.Fit = &untwist.Fit{Parameters: []int{0, 1}, Errors: []float64{0.01, 2}, Singular: []float64{20, 4}, Directions: [][]float64{{-0.96, 0.28}, {0.28, 0.96}}}
	text := report.Run{Subject: report.Subject{Name: "./sim", Dim: 2, Parameters: space}, Result: r}.String()
	if want := "  determined best: 0.96·k - 0.28·heat\n  determined least, 5 times less: 0.96·heat + 0.28·k\n"; !strings.Contains(text, want) {
		t.Errorf("%s\nshould have\n%s", text, want)
	}
}
