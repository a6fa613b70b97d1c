package leastsquares

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

var rivals = flag.Bool("rivals", false, "compare with scipy's least_squares and NLopt's BOBYQA, which Debian's python3 has to have")

// unlimited returns a problem without bounds, which counts its evaluations and keeps the best sum of
// squares after each; it ends after so many.
type counted struct {
	f     func(x []float64) []float64
	most  int
	curve []float64
}

type spent struct{}

func (spent) Error() string { return "spent" }

func (c *counted) residuals(points [][]float64) (rows [][]float64, err error) {
	for _, x := range points {
		if len(c.curve) >= c.most {
			return nil, spent{}
		}
		r := c.f(x)
		best := math.Inf(1)
		if n := len(c.curve); n > 0 {
			best = c.curve[n-1]
		}
		f := sumOfSquares(r)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f, r = math.Inf(1), nil
		}
		c.curve = append(c.curve, min(best, f))
		rows = append(rows, r)
	}
	return rows, nil
}

func everywhere(n int) (lo, hi []float64) {
	for range n {
		lo, hi = append(lo, math.Inf(-1)), append(hi, math.Inf(1))
	}
	return lo, hi
}

// solve runs a descent on a problem, for 100(n + 1) evaluations.
func solveProblem(p problem) (Fit, *counted) {
	c := &counted{f: func(x []float64) []float64 { return functions[p.f-1].residuals(x, p.m) }, most: 100 * (p.n + 1)}
	lo, hi := everywhere(p.n)
	fit, _ := Descend(Problem{lo, hi, c.residuals}, p.from(), nil)
	return fit, c
}

// Of the 53 problems of Moré and Wild, the descent solves most to 1e-5 of the way from the start to
// the least sum of squares known.
func TestSuite(t *testing.T) {
	solved := 0
	for _, p := range suite {
		fit, c := solveProblem(p)
		first := c.curve[0]
		goal := p.least + 1e-5*(first-p.least)
		at := 0
		for at < len(c.curve) && c.curve[at] > goal {
			at++
		}
		if at < len(c.curve) {
			solved++
		}
		t.Logf("%-40s n=%2d far=%-5v F %.10g, least %.10g, solved after %d of %d (%v)", functions[p.f-1].name, p.n, p.far, fit.F, p.least, at+1, len(c.curve), at < len(c.curve))
	}
	if solved < 51 {
		t.Errorf("%d of %d solved", solved, len(suite))
	}
}

// rival runs another method on a problem, for 100(n + 1) evaluations.
func rival(t *testing.T, p problem, method string) []float64 {
	c := &counted{f: func(x []float64) []float64 { return functions[p.f-1].residuals(x, p.m) }, most: 100 * (p.n + 1)}
	line := func(all []float64) string { return strings.Trim(fmt.Sprint(all), "[]") + "\n" }
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/rivals.py", method)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(in, line(p.from()))
	for asked := bufio.NewScanner(out); asked.Scan(); {
		var x []float64
		for _, word := range strings.Fields(asked.Text()) {
			v, _ := strconv.ParseFloat(word, 64)
			x = append(x, v)
		}
		if _, err := c.residuals([][]float64{x}); err != nil {
			break
		}
		fmt.Fprint(in, line(c.f(x)))
	}
	in.Close()
	_ = cmd.Wait() // a search that gives up says so by its status
	return c.curve
}

// Data profiles at 10⁻⁵ (Moré and Wild, section 2.2): a problem is solved by the first evaluation with
// f ≤ f_L + 10⁻⁵·(f(x₀) − f_L), where f_L is the least that any method has found with 100(n + 1). At no
// budget of α(n + 1) evaluations are more than 2 fewer solved than by the best of the others, and the area
// below the profile is not smaller than theirs.
func TestProfiles(t *testing.T) {
	if !*rivals {
		t.Log("not run without -rivals")
		return
	}
	methods := []string{"untwist", "lm", "2-point", "3-point", "bobyqa"}
	const most = 100
	solved := map[string]*[most + 1]int{}
	for _, m := range methods {
		solved[m] = new([most + 1]int)
	}
	for _, p := range suite {
		curves := map[string][]float64{}
		least := math.Inf(1)
		for _, m := range methods {
			if m == "untwist" {
				_, c := solveProblem(p)
				curves[m] = c.curve
			} else {
				curves[m] = rival(t, p, m)
			}
			least = min(least, curves[m][len(curves[m])-1])
		}
		goal := least + 1e-5*(curves["untwist"][0]-least)
		for _, m := range methods {
			at := 0
			for at < len(curves[m]) && curves[m][at] > goal {
				at++
			}
			for a := range most + 1 {
				if at < len(curves[m]) && at+1 <= a*(p.n+1) {
					solved[m][a]++
				}
			}
		}
	}
	areas := map[string]int{}
	for a := range most + 1 {
		best := 0
		for _, m := range methods {
			if areas[m] += solved[m][a]; m != "untwist" {
				best = max(best, solved[m][a])
			}
		}
		if solved["untwist"][a] < best-2 {
			t.Errorf("%d(n + 1) evaluations: %d solved, and %d by the best of the others", a, solved["untwist"][a], best)
		}
	}
	for _, m := range methods {
		t.Logf("%-8s solved at 5, 10, 20, 50, 100: %d %d %d %d %d; area %d", m, solved[m][5], solved[m][10], solved[m][20], solved[m][50], solved[m][100], areas[m])
		if areas[m] > areas["untwist"] {
			t.Errorf("the area of %s is larger", m)
		}
	}
}
