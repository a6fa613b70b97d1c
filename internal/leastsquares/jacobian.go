package leastsquares

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// differentiate takes J from one batch of differences at the point: forward, or backward at the upper
// bound. A difference that fails is taken on the other side, in a second batch; a column of two that
// fail is 0. If the residuals at the point are not known, the point is in the batch too.
func (s *descent) differentiate() error {
	d := len(s.X)
	steps := make([]float64, d)
	points := make([][]float64, 0, d+1)
	if s.R == nil {
		points = append(points, s.X)
	}
	for j := range d {
		steps[j] = s.h * max(math.Abs(s.X[j]), 1)
		if s.X[j]+steps[j] > s.Hi[j] {
			steps[j] = -steps[j]
		}
		points = append(points, s.beside(j, steps[j]))
	}
	rows, err := s.Residuals(points)
	if err != nil {
		return err
	}
	if s.R == nil {
		if s.R, rows = rows[0], rows[1:]; s.R == nil {
			return nil
		}
		s.F = sumOfSquares(s.R)
	}
	if err := s.otherSides(steps, rows); err != nil {
		return err
	}
	if s.h < mostStep && Grainy(s.R, rows) {
		s.h = min(s.h*moreStep, mostStep)
		return s.differentiate()
	}
	s.J = mat.NewDense(len(s.R), d, nil)
	for j, row := range rows {
		if row == nil {
			continue
		}
		at := s.beside(j, steps[j])[j] - s.X[j] // as it was asked, rounded
		for i, v := range row {
			s.J.Set(i, j, (v-s.R[i])/at)
		}
	}
	if s.Fresh, s.stale = true, 0; s.First == nil {
		s.First = s.J
	}
	s.measure()
	return nil
}

// beside returns the point with one coordinate moved.
func (s *descent) beside(j int, by float64) []float64 {
	x := slices.Clone(s.X)
	x[j] = min(max(x[j]+by, s.Lo[j]), s.Hi[j])
	return x
}

// otherSides asks for the differences that have failed on the other side.
func (s *descent) otherSides(steps []float64, rows [][]float64) error {
	var which []int
	var points [][]float64
	for j, row := range rows {
		if other := s.beside(j, -steps[j]); row == nil && other[j] != s.X[j] {
			which, points = append(which, j), append(points, other)
			steps[j] = -steps[j]
		}
	}
	if len(which) == 0 {
		return nil
	}
	again, err := s.Residuals(points)
	for k, row := range again {
		rows[which[k]] = row
	}
	return err
}

// measure brings D up to date. A column of zeros counts as one of length 1.
func (s *descent) measure() {
	if s.d == nil {
		s.d = make([]float64, len(s.X))
	}
	column := make([]float64, len(s.R))
	for j := range s.d {
		s.d[j] = max(s.d[j], floats.Norm(mat.Col(column, j, s.J), 2))
		if s.d[j] == 0 {
			s.d[j] = 1
		}
	}
}

// update brings J up to date by Broyden's formula, with what r is after the step p.
func (s *descent) update(p, r []float64) {
	w := make([]float64, len(p)) // D²p / pᵀD²p
	sum := 0.
	for i, v := range p {
		w[i] = s.d[i] * s.d[i] * v
		sum += float64(w[i] * v)
	}
	if sum == 0 {
		return
	}
	j := mat.DenseCopyOf(s.J)
	for i, v := range r {
		row := j.RawRowView(i)
		miss := (v - s.R[i] - floats.Dot(row, p)) / sum
		floats.AddScaled(row, miss, w)
	}
	s.J = j
}

// slope returns the largest cosine between r and a column of J, among those along which x can move.
func (s *descent) slope() (most float64) {
	g := s.gradient()
	column := make([]float64, len(s.R))
	norm := floats.Norm(s.R, 2)
	for j, v := range g {
		if s.held(j, v) {
			continue
		}
		if n := floats.Norm(mat.Col(column, j, s.J), 2); n > 0 && norm > 0 {
			most = max(most, math.Abs(v)/(n*norm))
		}
	}
	return most
}

// gradient returns Jᵀr.
func (s *descent) gradient() []float64 {
	g := mat.NewVecDense(len(s.X), nil)
	g.MulVec(s.J.T(), mat.NewVecDense(len(s.R), s.R))
	return g.RawVector().Data
}

// held reports whether a coordinate is at a bound beyond which F falls.
func (s *descent) held(j int, g float64) bool {
	return s.X[j] <= s.Lo[j] && g > 0 || s.X[j] >= s.Hi[j] && g < 0
}

// Grainy reports whether numbers, at a point and beside it, are rounded so coarsely that differences are
// lost in it: none has changed, or those that have are numbers of few digits, or of single precision.
func Grainy(at []float64, rows [][]float64) bool {
	changed, round := 0, 0
	for _, row := range rows {
		for i, v := range row {
			if v != at[i] {
				changed++
				if float64(float32(v)) == v || short(v) {
					round++
				}
			}
		}
	}
	return changed == 0 || 4*round > 3*changed
}

// short reports whether a number has at most ten digits.
func short(v float64) bool {
	const digits = 10 // of 17: such numbers are one in ten million by chance
	text := strconv.FormatFloat(v, 'g', digits, 64)
	back, err := strconv.ParseFloat(text, 64)
	return err == nil && back == v
}
