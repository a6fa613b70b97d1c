package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legend has the names of lines, to the right of a plot: each beside a piece of its line,
// or, where all have an end, beside a line that leads there.
type legend []entry

// An entry is the name of a line, how it is drawn, and how high on the y axis it ends.
type entry struct {
	name string
	line draw.LineStyle
	end  float64
	led  bool
}

func (l *legend) add(name string, line draw.LineStyle) {
	*l = append(*l, entry{name: name, line: line})
}

// lead says where the line that was added last ends, at the right of the plot.
func (l legend) lead(end float64) { l[len(l)-1].end, l[len(l)-1].led = end, true }

// pitch is the distance between names, and sample is the room for the lines before them.
const pitch, sample = vg.Length(11), vg.Length(26)

// widest is how wide a name may be. What is longer is cut.
const widest = 6 * vg.Centimeter

// write draws a plot with its legend. The picture grows with the number of names.
func (l legend) write(path, title string, p figure) error {
	slices.SortStableFunc(l, func(a, b entry) int { return cmp.Compare(b.end, a.end) })
	style := small(8.5, draw.XLeft, draw.YCenter)
	style.Color = black
	wide := vg.Length(0)
	for _, e := range l {
		wide = max(wide, min(widest, style.Width(e.name)))
	}
	wide += sample + 2*margin
	high := max(height, pitch*vg.Length(len(l)+1)+2*vg.Centimeter)
	return write(path, title, width+wide, high, func(canvas draw.Canvas) {
		body := draw.Crop(canvas, margin, -wide, margin, -margin)
		p.paint(body)
		data := p.DataCanvas(p.inner(body))
		_, y := p.Transforms(&data)
		wanted := make([]vg.Length, len(l))
		for k, e := range l {
			wanted[k] = data.Max.Y - pitch*vg.Length(k)
			if e.led {
				wanted[k] = y(e.end)
			}
		}
		for k, at := range spread(wanted, pitch, data.Min.Y, data.Max.Y) {
			e, left, from := l[k], data.Max.X+sample, vg.Point{X: data.Max.X, Y: wanted[k]}
			if !e.led {
				from = vg.Point{X: data.Max.X + 3*beside, Y: at}
			}
			canvas.StrokeLine2(e.line, from.X, from.Y, left-2*beside, at)
			canvas.FillText(style, vg.Point{X: left, Y: at}, cut(style, e.name, canvas.Max.X-margin-left))
		}
	})
}

// spread moves heights, which descend, as little as possible, by the sum of squares, so
// that they are a gap apart and between lo and hi. Where there is no room for all, they
// go beyond lo.
func spread(wanted []vg.Length, gap, lo, hi vg.Length) []vg.Length {
	// Without the gaps, z_k = wanted_k + k·gap must descend: the means of the stretches
	// that do not (pool adjacent violators).
	type pool struct {
		sum vg.Length
		n   int
	}
	mean := func(p pool) vg.Length { return p.sum / vg.Length(p.n) }
	var pools []pool
	for k, w := range wanted {
		pools = append(pools, pool{w + vg.Length(k)*gap, 1})
		for n := len(pools); n > 1 && mean(pools[n-2]) < mean(pools[n-1]); n-- {
			pools[n-2].sum += pools[n-1].sum
			pools[n-2].n += pools[n-1].n
			pools = pools[:n-1]
		}
	}
	lowest := lo + vg.Length(len(wanted)-1)*gap
	var placed []vg.Length
	for _, p := range pools {
		z := min(max(mean(p), lowest), hi)
		for range p.n {
			placed = append(placed, z-vg.Length(len(placed))*gap)
		}
	}
	return placed
}
