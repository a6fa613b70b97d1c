package report

import (
	"math"
	"strconv"

	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/plot"
)

// mostNumbers and mostPowers are how many numbers a linear and a logarithmic axis have at
// most.
const mostNumbers, mostPowers = 8, 10

// logarithmic makes an axis logarithmic. Its ends must be above 0 and at least a factor
// of nine apart, so that it has two marks with numbers.
func logarithmic(axis *plot.Axis) {
	axis.Scale = plot.LogScale{}
	axis.Tick.Marker = plot.TickerFunc(powers)
}

// linear gives an axis marks at round numbers.
func linear(axis *plot.Axis) {
	axis.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return evenly(lo, hi, 0) })
}

// whole gives an axis marks at whole numbers.
func whole(axis *plot.Axis) {
	axis.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return evenly(lo, hi, 1) })
}

// powers returns marks from lo to hi at the powers of ten, or at fewer places where they
// would run into each other. Where no power is left out there are small marks in between.
// Where there are few powers, the marks at 2 and 5 times a power have numbers, too. The
// numbers are written as powers if one is too small or too large to be written out.
func powers(lo, hi float64) []plot.Tick {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := max(1, math.Ceil((last-first)/mostPowers))
	few := math.Log10(hi/lo) < 2
	write := words.Number
	if lo < 0.999e-4 || hi >= 1e6 {
		write = words.Power
	}
	var ticks []plot.Tick
	for e := every * math.Floor(first/every); e <= last; e += every {
		for m := 1.; m < 10 && (m == 1 || every == 1); m++ {
			v := m * math.Pow(10, e)
			if v < lo*0.999 || v > hi*1.001 {
				continue
			}
			mark := plot.Tick{Value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				mark.Label = write(v, 1)
			}
			ticks = append(ticks, mark)
		}
	}
	return ticks
}

// evenly returns marks from lo to hi at multiples of 1, 2 or 5 times a power of ten, which
// is no smaller than least.
func evenly(lo, hi, least float64) []plot.Tick {
	power := math.Pow(10, math.Floor(math.Log10((hi-lo)/mostNumbers)))
	step := power
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * power; (hi-lo)/step < mostNumbers {
			break
		}
	}
	step = max(step, least)
	digits := 1 + max(0, int(math.Ceil(math.Log10(max(math.Abs(lo), math.Abs(hi))/step))))
	var ticks []plot.Tick
	for k := range mostNumbers + 1 {
		v := (math.Ceil(lo/step-1e-9) + float64(k)) * step
		if v > hi+step*1e-9 {
			break
		}
		ticks = append(ticks, plot.Tick{Value: max(lo, min(v, hi)), Label: words.Number(v, min(digits, 17))})
	}
	return ticks
}

// ends writes the ends of an axis. It uses as many digits, from 3 to most, as are needed
// to be off by no more than a hundredth of the axis's length.
func ends(lo, hi float64, most int) (from, to string) {
	off := func(v float64, digits int) float64 {
		read, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
		return math.Abs(read - v)
	}
	digits := 3
	for digits < most && max(off(lo, digits), off(hi, digits)) > (hi-lo)/100 {
		digits++
	}
	write := func(v float64) string {
		if math.Abs(v) < 1e-9*(hi-lo) {
			return "0" // negligible
		}
		return words.Number(v, digits)
	}
	return write(lo), write(hi)
}

// bounded limits v to a range in which sums and a few products are finite.
func bounded(v float64) float64 { return max(-1e300, min(v, 1e300)) }

// finite says that v is neither NaN nor infinite.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
