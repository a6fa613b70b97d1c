package untwist_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// limited gives all parameters the limits -5 and 5.
func limited(s parameter.Space) parameter.Space {
	for i := range s {
		s[i].Min, s[i].Max = new(-5.), new(5.)
	}
	return s
}

func fingerprint(t *testing.T, o untwist.Options) string {
	t.Helper()
	text, err := o.Fingerprint(3)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every option either decides a run, and changes its fingerprint, or is known not to.
func TestEveryOptionIsFingerprintedOrExcused(t *testing.T) {
	other := map[string]untwist.Options{
		"Strategy":   {Strategy: strategy.CMAES{}},
		"Identifier": {Identifier: identify.Paper{}},
		"Frame":      {Frame: frame.Identity(3)},
		"Blocks":     {Frame: frame.Identity(3), Blocks: [][]int{{0, 1}, {2}}},
		"Start":      {Start: objective.Cube(3, -5, 5.5)},
		"Bounds":     {Bounds: objective.Cube(3, -5, 5)},
		"Points":     {Points: [][]float64{{0, 0, 1}}},
		"Budget":     {Budget: 17},
		"Seed":       {Seed: 1},
		"Parallel":   {Parallel: 2},
		"NoiseLevel": {NoiseLevel: 0.1},
		"Parameters": {Parameters: limited(parameter.Plain(3))},
		"Residuals":  {Residuals: 3},
		"Outputs":    {Outputs: []untwist.Output{{Name: "stress"}}},
		"Limits":     {Limits: []string{"x1 + x2 <= 3"}},
		"Maximize":   {Maximize: true},
	}
	excused := []string{"Time", "Target", "Tolerance", "MaxFailures", "KeepGoing", "PanicsFail", "Workers", "Journal", "Progress", "Seen"}
	plain := fingerprint(t, untwist.Options{})
	seen := []string{plain}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[untwist.Options]()) {
		o, decides := other[field.Name]
		if decides == slices.Contains(excused, field.Name) {
			t.Errorf("%s is neither fingerprinted nor excused: add it to Options.Fingerprint and to this test", field.Name)
			continue
		}
		if !decides {
			continue
		}
		text := fingerprint(t, o)
		if slices.Contains(seen, text) {
			t.Errorf("%s does not change the fingerprint %s", field.Name, text)
		}
		seen = append(seen, text)
	}
	if got := fingerprint(t, untwist.Options{
		Time: time.Hour, Target: new(1.), Tolerance: 1, MaxFailures: 0.5, KeepGoing: true, PanicsFail: true,
		Workers: 7, Journal: untwist.Journal{File: "run.journal"}, Progress: func(untwist.Progress) {}, Seen: func(int, []float64, objective.Answer) {},
	}); got != plain {
		t.Errorf("it is %s with what does not decide, and %s without", got, plain)
	}
}

// A default that is spelt out gives the same fingerprint as one that is left out.
func TestFingerprintKnowsTheDefaults(t *testing.T) {
	if a, b := fingerprint(t, untwist.Options{}), fingerprint(t, untwist.Options{Budget: 4500, Start: objective.Cube(3, -5, 5)}); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// The settings of a strategy count, including its schedules. Observers do not count.
func TestFingerprintOfSettings(t *testing.T) {
	with := func(c cbo.Config) string { return fingerprint(t, untwist.Options{Strategy: strategy.CBO{Config: c}}) }
	plain := with(cbo.Config{})
	for name, c := range map[string]cbo.Config{
		"Sigma": {Sigma: cbo.Constant(3)}, "Alpha": {Alpha: cbo.Geometric{Start: 1, Factor: 1.01, Limit: 10}},
		"Noise": {Noise: cbo.Isotropic{}}, "Memory": {Memory: cbo.Remember{}},
	} {
		if with(c) == plain {
			t.Errorf("%s does not count", name)
		}
	}
	if with(cbo.Config{Sigma: cbo.Constant(3)}) == with(cbo.Config{Sigma: cbo.Constant(4)}) {
		t.Error("the value of a schedule does not count")
	}
	if with(cbo.Config{Observe: func(cbo.State) {}}) != plain {
		t.Error("an observer counts")
	}
}

// secretive is a strategy with a function among its settings.
type secretive struct{ Choose func() int }

func (secretive) Name() string { return "secretive" }
func (secretive) Minimize(context.Context, objective.Objective, strategy.Task) (strategy.Outcome, error) {
	return strategy.Outcome{}, nil
}

func TestWhatCannotBeFingerprinted(t *testing.T) {
	_, err := untwist.Options{Strategy: secretive{func() int { return 3 }}}.Fingerprint(3)
	if err == nil || !strings.Contains(err.Error(), "Strategy.Choose is a func") {
		t.Errorf("error %v", err)
	}
	if _, err := (untwist.Options{Budget: -1}).Fingerprint(3); err == nil || !strings.HasPrefix(err.Error(), "Budget") {
		t.Errorf("error %v", err)
	}
}
