package cbo

import (
	"fmt"
	"math"
)

// A Schedule gives a parameter its value in step k = 0, 1, 2, …
//
// The interface is open: any type with this method is a Schedule. Run checks
// At(0) before the first query and refuses a value that is negative or not
// finite. A schedule that is a plain value, like those here, can be compared
// and printed.
type Schedule interface {
	At(k int) float64
}

// Constant is the schedule v, v, v, …
type Constant float64

// At returns v.
func (v Constant) At(int) float64 { return float64(v) }

// Geometric is the schedule min(Start·Factor^k, Limit).
type Geometric struct {
	Start  float64 // the first value; 0 stays 0
	Factor float64 // at least 1
	Limit  float64 // the largest value
}

// At returns min(Start·Factor^k, Limit).
func (g Geometric) At(k int) float64 {
	if g.Start == 0 {
		return 0 // even where Factor^k overflows
	}
	return min(g.Start*math.Pow(g.Factor, float64(k)), g.Limit)
}

// Check returns an error that names a bad field.
func (g Geometric) Check(int) error {
	switch {
	case !nonNegative(g.Start):
		return fmt.Errorf("a geometric schedule with Start %v, which must be a number of at least 0", g.Start)
	case !(g.Factor >= 1) || math.IsInf(g.Factor, 0):
		return fmt.Errorf("a geometric schedule with Factor %v, which must be a number of at least 1", g.Factor)
	case !nonNegative(g.Limit):
		return fmt.Errorf("a geometric schedule with Limit %v, which must be a number of at least 0", g.Limit)
	}
	return nil
}
