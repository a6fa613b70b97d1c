package leastsquares

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Spread is what residuals tell of the parameters, by a Jacobian J = U·S·Vᵀ and the residuals r of m
// measurements: with s² = ‖r‖²/(m − d), the covariance is s²·V·S⁻²·Vᵀ.
type Spread struct {
	// Singular are the singular values, the largest first, and Directions the columns of V, a row for
	// each: combinations of parameters.
	Singular   []float64
	Directions [][]float64
	variance   float64 // s²; NaN: there are no more residuals than parameters
}

// undetermined is the part of the largest singular value below which one counts as 0: the noise of
// differences is about that of a Jacobian from steps of √ε.
const undetermined = 1e-7

// Errors returns the spread of parameters.
func Errors(j *mat.Dense, r []float64) Spread {
	m, d := j.Dims()
	e := Spread{variance: math.NaN()}
	if m > d {
		e.variance = sumOfSquares(r) / float64(m-d)
	}
	var svd mat.SVD
	if !svd.Factorize(j, mat.SVDFullV) {
		return e
	}
	e.Singular = append(svd.Values(nil), make([]float64, d-min(m, d))...)
	var v mat.Dense
	svd.VTo(&v)
	for k := range d {
		e.Directions = append(e.Directions, mat.Col(nil, k, &v))
	}
	return e
}

// In returns the standard errors and the covariance in units: a parameter is its coordinate times its
// unit. An error is +Inf where the residuals do not determine the parameter; then, or if there are no
// more residuals than parameters, the covariance is nil.
func (e Spread) In(unit []float64) (errors []float64, covariance [][]float64) {
	d := len(unit)
	errors = make([]float64, d)
	whole := len(e.Singular) == d && !math.IsNaN(e.variance)
	for i := range d {
		row, lost := make([]float64, d), !whole
		for k := range e.Directions {
			if e.Singular[k] <= undetermined*e.Singular[0] {
				lost = lost || math.Abs(e.Directions[k][i]) > math.Sqrt(undetermined)
				continue
			}
			w := e.variance / (e.Singular[k] * e.Singular[k])
			for j := range d {
				row[j] += float64(w * e.Directions[k][i] * e.Directions[k][j] * unit[i] * unit[j])
			}
		}
		errors[i] = math.Sqrt(row[i])
		if lost {
			errors[i], whole = math.Inf(1), false
		}
		covariance = append(covariance, row)
	}
	if !whole {
		return errors, nil
	}
	return errors, covariance
}
