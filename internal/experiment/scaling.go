package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/stat"
)

// scalingMethods are the noises that are compared: on g itself, and on f = g(W·) in the true
// frame, which costs no query.
var scalingMethods = []Method{
	{Name: "anisotropic on g", Strategy: strategy.CBO{}, Unmixed: true},
	{Name: "isotropic on g", Strategy: strategy.IsotropicCBO{}, Unmixed: true, Budget: "5000*d"},
	{Name: "transformed on f", Strategy: strategy.Transformed{}, Frame: erring(0)},
}

// scalingBudget is three times what CBO on g takes at d = 100 on the problem that takes most.
// Isotropic noise, which is to fail, has a tenth of it.
const scalingBudget = Budget("50000*d")

// ScalingDims are the dimensions of Scaling unless others are given.
var ScalingDims = []int{10, 20, 50, 100, 200, 500, 1000}

// Scaling sweeps the dimension: queries that CBO with isotropic, anisotropic and transformed
// noise needs to come within 0.005 of the minimum of functions that separate, and the exponent
// p of the law d^p that fits them best. Methods of the extent are the first words of their names;
// its Dim and Sizes do not count.
//
// Reference: section 2.1, "the computational complexity to achieve the above error tolerance thus
// also scales linearly in the dimension d".
func Scaling(of Extent, dims []int) (Sweep, error) {
	if dims == nil {
		dims = ScalingDims
	}
	if of.Problems == nil {
		of.Problems = []string{"rastrigin", "squared-norm"}
	}
	var s Sweep
	for k, d := range dims {
		of.Dim = d
		one, err := of.sweep("scaling", "How do the queries of CBO grow with the dimension, on functions that separate?")
		if err != nil {
			return s, err
		}
		if k == 0 {
			s = one
			s.Name = strings.Replace(one.Name, fmt.Sprintf("d%d", d), fmt.Sprintf("d%d-to-%d", slices.Min(dims), slices.Max(dims)), 1)
			continue
		}
		s.Cases = append(s.Cases, one.Cases...)
	}
	s.Budget = scalingBudget
	s.Pictures = []Picture{{Name: "queries", Title: "Queries to a gap of 0.005", X: "dimension d", Rows: "d", Power: true}}
	for _, m := range scalingMethods {
		if of.Methods != nil && !slices.ContainsFunc(of.Methods, func(w string) bool { return strings.HasPrefix(m.Name, w) }) {
			continue
		}
		for k, c := range s.Cases {
			s.Places = append(s.Places, Place{Picture: "queries", Line: m.Name, X: float64(c.Dim), Row: fmt.Sprint(c.Dim), Case: k, Method: len(s.Methods)})
		}
		s.Methods = append(s.Methods, m)
	}
	if len(s.Methods) == 0 {
		return s, objective.BadOption("Methods", "%s: none of them is isotropic, anisotropic or transformed", strings.Join(of.Methods, ", "))
	}
	return s, s.Complete()
}

// powers has a line for each problem and line: the exponent p of queries ~ d^p, by least squares
// of log queries on log d over all runs that succeed, in dimensions in which all do, with the
// 95 % interval of 2,000 bootstrap samples of the runs of each dimension.
func (s Swept) powers(picture Picture) sheet {
	t := sheet{title: picture.Title + ": exponents p of d^p", right: 2, lines: [][]string{{"problem", "method", "p", "95%", "dimensions"}}}
	for _, problem := range s.problems() {
		points := s.at(picture, problem)
		for _, line := range unique(points, func(p Point) string { return p.Line }) {
			var all [][2][]float64 // log d and log queries, of each dimension
			var dims []string
			for _, p := range points {
				if p.Line != line || p.Runs == 0 || p.Successes < p.Runs {
					continue
				}
				var at [2][]float64
				for _, r := range p.runs {
					at[0], at[1] = append(at[0], math.Log(p.X)), append(at[1], math.Log(float64(r.Reached)))
				}
				all, dims = append(all, at), append(dims, p.Row)
			}
			if len(all) < 3 {
				t.lines = append(t.lines, []string{problem, line, "–", "", "too few in which all runs succeed"})
				continue
			}
			p, low, high := exponent(all)
			t.lines = append(t.lines, []string{problem, line, fmt.Sprintf("%.2f", p), fmt.Sprintf("%.2f–%.2f", low, high), strings.Join(dims, ", ")})
		}
	}
	return t
}

// exponent fits a line and returns its slope with a bootstrap interval.
func exponent(all [][2][]float64) (p, low, high float64) {
	fit := func(pick func(n int) int) float64 {
		var x, y []float64
		for _, at := range all {
			for k := range at[0] {
				i := k
				if pick != nil {
					i = pick(len(at[0]))
				}
				x, y = append(x, at[0][i]), append(y, at[1][i])
			}
		}
		_, slope := stat.LinearRegression(x, y, nil, false)
		return slope
	}
	random := rng.Seed(0).Stream("scaling", "bootstrap")
	slopes := make([]float64, 2000)
	for k := range slopes {
		slopes[k] = fit(random.IntN)
	}
	slices.Sort(slopes)
	return fit(nil), stat.Quantile(0.025, stat.Empirical, slopes, nil), stat.Quantile(0.975, stat.Empirical, slopes, nil)
}
