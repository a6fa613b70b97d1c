package report

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// logarithmic makes an axis logarithmic. Its ends must be above 0 and at least a factor
// of nine apart, so that it has two marks with numbers.
func logarithmic(axis *plot.Axis, format string) {
	axis.Scale = plot.LogScale{}
	axis.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return powers(lo, hi, format) })
}

// powers returns marks from lo to hi at the powers of ten, or at fewer places where they
// would run into each other. Where no power is left out there are small marks in between.
// Where there are few powers, the marks at 2 and 5 times a power have numbers, too.
func powers(lo, hi float64, format string) []plot.Tick {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := max(1, math.Ceil((last-first)/10))
	few := math.Log10(hi/lo) < 2
	var ticks []plot.Tick
	for e := every * math.Floor(first/every); e <= last; e += every {
		for m := 1.; m < 10 && (m == 1 || every == 1); m++ {
			v := m * math.Pow(10, e)
			if v < lo*0.999 || v > hi*1.001 {
				continue
			}
			mark := plot.Tick{Value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				mark.Label = fmt.Sprintf(format, v)
			}
			ticks = append(ticks, mark)
		}
	}
	return ticks
}

// ends writes the ends of an axis. It uses as many digits, from 3 to most, as are needed
// to be off by no more than a hundredth of the axis's length.
func ends(lo, hi float64, most int) (from, to string) {
	for digits := 3; digits <= most; digits++ {
		var offFrom, offTo float64
		from, offFrom = written(lo, hi-lo, digits)
		to, offTo = written(hi, hi-lo, digits)
		if max(offFrom, offTo) <= (hi-lo)/100 {
			break
		}
	}
	return from, to
}

// written writes v and returns how far off that is. A v that is negligible beside the
// length of the axis is written 0, and numbers of ordinary size have no exponent.
func written(v, length float64, digits int) (string, float64) {
	if math.Abs(v) < 1e-9*length {
		return "0", 0
	}
	word := strconv.FormatFloat(v, 'g', digits, 64)
	read, _ := strconv.ParseFloat(word, 64)
	if math.Abs(read) >= 1e-3 && math.Abs(read) < 1e6 {
		word = strconv.FormatFloat(read, 'f', -1, 64)
	}
	return word, math.Abs(read - v)
}

// bounded limits v to a range in which sums and a few products are finite.
func bounded(v float64) float64 { return max(-1e300, min(v, 1e300)) }

// finite says that v is neither NaN nor infinite.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// small is the style of notes beside what is drawn.
func small(size vg.Length, x text.XAlignment, y text.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color: color.Gray{80}, Font: font.From(plot.DefaultFont, size),
		XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler,
	}
}
