package experiment

import "math"

// level returns the gap 10^(k/5). Whole powers of ten are exact, so that level(-40) is 1e-8
// to the bit. A run's curve has the first query at or below every level.
func level(k int) float64 {
	whole := int(math.Floor(float64(k) / 5))
	return fifths[k-5*whole] * math.Pow10(whole)
}

// fifths holds 10^(i/5).
var fifths = [5]float64{1, 1.5848931924611136, 2.51188643150958, 3.9810717055349722, 6.309573444801933}

// levels returns the levels from 100 down to 1e-8 that are at or above the least gap: 51, if
// it is 1e-8 or less.
func levels(least float64) (all []float64) {
	for k := 10; k >= -40 && level(k) >= least; k-- {
		all = append(all, level(k))
	}
	return all
}
