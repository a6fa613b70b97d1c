package report

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/objective"
)

// printed returns values as a program prints them with a format.
func printed(verb byte, digits int) (all []float64) {
	for i := range 22 {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(math.Exp(float64(i)/3), verb, digits, 64), 64)
		all = append(all, v)
	}
	return all
}

func TestPrecision(t *testing.T) {
	single := []float64{float64(float32(0.1)), float64(float32(1.7)), float64(float32(math.Pi))}
	for _, c := range []struct {
		values []float64
		want   string
		coarse bool
	}{
		{printed('g', 17), "17, which is all there are", false},
		{printed('g', 6), "6: all values are multiples of 1e-05", true},
		{printed('f', 2), "6: all values are multiples of 0.01", true},
		{[]float64{1, 2, 3, 0}, "1: all values are multiples of 1", true},
		{[]float64{100, 20, 3000}, "1: all values are multiples of 1e+01", true},
		{single, "7: all values are numbers of single precision", true},
		{[]float64{1.5, 1.5, 1.25}, "not known: there are fewer than three different values", false},
		{nil, "not known: there are fewer than three different values", false},
	} {
		p := precisionOf(c.values)
		if p.String() != c.want || p.coarse() != c.coarse {
			t.Errorf("%v: %q, coarse %t; want %q, %t", c.values, p, p.coarse(), c.want, c.coarse)
		}
	}
}

// check is a check whose evaluations take 1, 2, … seconds and have these values; NaN fails.
func check(values ...float64) Check {
	c := Check{Subject: Subject{Name: "./sim", Dim: 3}}
	for i, v := range values {
		a := objective.Answer{Value: v, Seconds: float64(i + 1)}
		if math.IsNaN(v) {
			a = objective.Answer{Value: math.Inf(1), Seconds: float64(i + 1), Failure: &objective.Failure{Kind: objective.BadExit, Detail: "exit status " + strconv.Itoa(i+1)}}
		}
		if i < 2 {
			c.Start[i] = a
		} else {
			c.Others = append(c.Others, a)
		}
	}
	return c
}

func TestCheck(t *testing.T) {
	nan := math.NaN()
	fine := check(math.Pi, math.Pi, math.E, nan, math.Sqrt2)
	fine.Procs, fine.Budget, fine.Time = 2, 1000, time.Minute
	want := `problem     ./sim, 3 dimensions, seed 0
same twice  yes: 3.141592653589793 at the start point, both times
seconds     3 an evaluation (median), 5 at most
failed      1 of 5: 1 by exit status; the first: exit status 4
digits      17, which is all there are
whole run   about 29 minutes for 1,000 queries with 2 processes; 1m0s is enough for about 34 queries with 2 processes
`
	if got := fine.String(); got != want || fine.Unusable() != nil || len(fine.Warnings()) > 0 {
		t.Errorf("%s, %v, %q", got, fine.Unusable(), fine.Warnings())
	}
	for _, c := range []struct {
		c       Check
		line    string
		warning string
	}{
		{check(1.5, 2.5, math.Pi), "same twice  no: 1.5 and 2.5 at the start point\n", "the same point gave two values: "},
		{check(nan, 2.5, math.Pi), "same twice  no: the start point fails only sometimes\n", "the same point gave two values: "},
		{check(nan, nan, math.Pi), "same twice  not known: the start point fails (exit status 1)\n", ""},
		{check(1, 1, 2.25, 3.5), "digits      3: all values are multiples of 0.01\n", "small differences of f, from which coordinates are found, are lost in values of 3 digits; print 17"},
		{check(0.5, 0.5, 0.5, nan, 0.5), "digits      not known: ", "all 4 values are 0.5: the program does not depend on its parameters, or "},
		{check(math.Pi, math.Pi), "whole run   not known without a budget or a time\n", ""},
	} {
		warnings := strings.Join(c.c.Warnings(), "\n")
		if !strings.Contains(c.c.String(), c.line) || !strings.HasPrefix(warnings, c.warning) || c.warning == "" && warnings != "" {
			t.Errorf("%s%s, want %s%s", c.c, warnings, c.line, c.warning)
		}
	}
	if err := check(nan, nan, nan).Unusable(); err == nil || err.Error() != "this cannot be minimised: all 3 evaluations failed; narrow the limits to where it works, or give a guess at which it does; the first failure: exit status 1" {
		t.Errorf("%v", err)
	}
}

// A function that fails nearly everywhere is of no use.
func TestUnusable(t *testing.T) {
	nan := math.NaN()
	twenty := make([]float64, 20)
	for failed := range 21 {
		for i := range twenty {
			if twenty[i] = float64(i); i < failed {
				twenty[i] = nan
			}
		}
		err := check(append([]float64{1, 1}, twenty...)...).Unusable()
		if (err != nil) != (failed == 20) || err != nil && !strings.Contains(err.Error(), "this can hardly be minimised: 20 of 22 evaluations failed; narrow the limits") {
			t.Errorf("%d of 22: %v", failed, err)
		}
	}
}

func TestPlainSeconds(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0", 1.94e-5: "0.000019", 0.0305: "0.03", 3: "3", 1234: "1200"} {
		if got := plain(seconds); got != want {
			t.Errorf("%v is %s, want %s", seconds, got, want)
		}
	}
}

func TestCheckAsJSON(t *testing.T) {
	c := check(1, 1, 2.25, math.NaN())
	c.Budget = 10
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"problem":"./sim","dim":3,"seed":0,"usable":true,"same_twice":true,"queries":4,"failed_queries":1,` +
		`"failures":{"exit":1,"signal":0,"timeout":0,"no_number":0,"nan":0,"error":0},"first_failure":"exit status 4",` +
		`"median_seconds":3,"max_seconds":4,"digits":3,"raster":0.01,"single_precision":false,"procs":1,"budget":10,"whole_run_seconds":30}`
	if string(text) != want {
		t.Errorf("%s, want\n%s", text, want)
	}
}

// The noise of a built-in problem was asked for, and a journal keeps up with it: nobody is told
// to fix a program.
func TestCheckOfANoisyProblem(t *testing.T) {
	c := check(1.5, 2.5, math.Pi)
	c.Subject.Options = "noise=0.1"
	got := strings.Join(c.Warnings(), "\n")
	if !strings.Contains(got, "since there is noise") || strings.Contains(got, "program") {
		t.Error(got)
	}
}
