package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Convergence draws the best value so far against the number of queries. Vertical lines
// show where the stages of the run ended, in their order.
//
// The queries are on a logarithmic scale. So are the values if none is below 0; a value
// of 0 is then drawn at a tenth of the least value above it. Otherwise the values are on
// a linear scale whose top is the best value after the first quarter of the samples, so
// that the end can be seen.
func Convergence(path, title, axis string, curve []objective.Sample, stages []untwist.Stage) error {
	return converge(path, title, axis, curve, &flags{stages: ended(stages), narrow: byRatio}, logarithmic)
}

// ConvergenceLinear is Convergence with queries on a linear scale, which begins at 0.
func ConvergenceLinear(path, title, axis string, curve []objective.Sample, stages []untwist.Stage) error {
	return converge(path, title, axis, curve, &flags{stages: ended(stages), narrow: byDifference}, linear)
}

func converge(path, title, axis string, curve []objective.Sample, f *flags, scale func(*plot.Axis)) error {
	best := running(curve)
	if len(best) == 0 {
		return errors.New("report: a curve without a finite value cannot be drawn")
	}
	p := chart(title, "queries", axis)
	lo, hi := heights(p.Plot, best)
	line, err := plotter.NewLine(stairs(best))
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	end, err := plotter.NewScatter(best[len(best)-1:])
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	line.Color, line.Width = ink, 1.2
	end.Shape, end.Radius, end.Color = draw.CircleGlyph{}, 2, ink
	for len(f.stages) > mostStages {
		f.join()
	}
	p.Add(levels(), f, line, end)
	p.Y.Min, p.Y.Max = lo, hi
	scale(&p.X)
	p.X.Min, p.X.Max = best[0].X, best[len(best)-1].X
	if n := len(f.stages); n > 0 {
		p.X.Min, p.X.Max = min(p.X.Min, f.stages[0].to), max(p.X.Max, f.stages[n-1].to)
	}
	p.X.Min = min(p.X.Min, p.X.Max/10) // never an empty range
	if _, log := p.X.Scale.(plot.LogScale); !log {
		p.X.Min = 0
	}
	return write(path, title, width, height, func(canvas draw.Canvas) {
		canvas = draw.Crop(canvas, margin, -margin, margin, -margin)
		f.arrange(p.Plot, p.inner(canvas))
		p.paint(canvas)
	})
}

// running returns, for each sample with a finite value, the least value up to there.
func running(curve []objective.Sample) plotter.XYs {
	var best plotter.XYs
	for _, s := range curve {
		if !finite(s.Value) || s.Queries < 1 {
			continue
		}
		v := bounded(s.Value)
		if n := len(best); n > 0 {
			v = min(v, best[n-1].Y)
		}
		best = append(best, plotter.XY{X: float64(s.Queries), Y: v})
	}
	return best
}

// heights chooses the scale of the values and returns its ends. On a logarithmic scale it
// moves values that are 0.
func heights(p *plot.Plot, best plotter.XYs) (lo, hi float64) {
	first, last := best[0].Y, best[len(best)-1].Y
	if last < 0 || first == 0 {
		lo, hi = last, best[len(best)/4].Y
		if hi == lo {
			hi = first
		}
		room := (hi - lo) / 20
		if room == 0 {
			room = max(1, math.Abs(lo)/10)
		}
		linear(&p.Y)
		return lo - room, hi + room
	}
	least := first
	for _, b := range best {
		if b.Y > 0 {
			least = b.Y
		}
	}
	for i := range best {
		if best[i].Y == 0 {
			best[i].Y = least / 10
		}
		best[i].Y = max(best[i].Y, 1e-300)
	}
	logarithmic(&p.Y)
	return best[len(best)-1].Y / 3, best[0].Y * 3 // never an empty range
}

// stairs returns the corners of the steps that lead from each sample to the next.
func stairs(best plotter.XYs) plotter.XYs {
	corners := best[:1:1]
	for i := 1; i < len(best); i++ {
		corners = append(corners, plotter.XY{X: best[i].X, Y: best[i-1].Y}, best[i])
	}
	return corners
}

// mostStages is how many stages are told apart, and mostRows is how many rows their names
// may take.
const mostStages, mostRows = 12, 6

// A stretch is one stage, or several that follow one another: the names of the first and
// the last, and the numbers of queries at which it begins and ends.
type stretch struct {
	first, last string
	from, to    float64
}

// name is what is written beside a stretch.
func (s stretch) name() string {
	if s.first == s.last {
		return s.first
	}
	return s.first + " … " + s.last
}

// ended returns when the stages ended. Neighbours of the same name become one.
func ended(stages []untwist.Stage) []stretch {
	var all []stretch
	at := 0.
	for _, s := range stages {
		if s.Queries < 1 {
			continue
		}
		next := stretch{s.Name, s.Name, at, at + float64(s.Queries)}
		at = next.to
		if n := len(all); n > 0 && all[n-1].last == next.first {
			all[n-1].to = next.to
			continue
		}
		all = append(all, next)
	}
	return all
}

// byRatio and byDifference say how wide it is from one number of queries to another, on a
// logarithmic and on a linear scale.
func byRatio(from, to float64) float64      { return to / max(1, from) }
func byDifference(from, to float64) float64 { return to - from }

// flags draws a line at the end of each stage and, above the plot, the stage's name to the
// left of the line.
type flags struct {
	stages []stretch
	narrow func(from, to float64) float64
	rows   []int // the rows above the plot in which the names stand; -1: there is no room
}

// join joins two neighbours: those that are narrowest together.
func (f *flags) join() {
	k, all := 0, f.stages
	for i := range len(all) - 1 {
		if f.narrow(all[i].from, all[i+1].to) < f.narrow(all[k].from, all[k+1].to) {
			k = i
		}
	}
	all[k].last, all[k].to = all[k+1].last, all[k+1].to
	f.stages = slices.Delete(all, k+1, k+2)
}

// row is the height of a row, beside is the space between a name and its line, and lift is
// that between the plot and the lowest row: half a number of the y axis.
const row, beside, lift = vg.Length(9), vg.Length(2), vg.Length(5)

var noted = small(8, draw.XRight, draw.YBottom)

// arrange puts each name into the lowest row in which it meets no line and its own line
// meets no name. It makes room for the rows below the title. Where there would be too many
// rows it joins stages.
func (f *flags) arrange(p *plot.Plot, canvas draw.Canvas) {
	data := p.DataCanvas(canvas)
	x, _ := p.Transforms(&data)
	f.rows = rows(f.stages, x, canvas.Min.X)
	for slices.Max(append(f.rows, 0)) >= mostRows {
		f.join()
		f.rows = rows(f.stages, x, canvas.Min.X)
	}
	if len(f.rows) == 0 {
		return
	}
	if p.Title.Text == "" {
		p.Title.Text = " " // without a title there is no room below it
	}
	p.Title.Padding += lift + row*vg.Length(slices.Max(f.rows)+1)
}

// rows returns the row of each name. x says where a number of queries is drawn, and
// nothing may be to the left of edge.
func rows(stages []stretch, x func(float64) vg.Length, edge vg.Length) []int {
	all := make([]int, len(stages))
	for k, s := range stages {
		left := x(s.to) - beside - noted.Width(s.name())
		for j, before := range stages[:k] {
			if x(before.to)+beside > left {
				all[k] = max(all[k], all[j]+1)
			}
		}
		if left < edge {
			all[k] = -1
		}
	}
	return all
}

// Plot draws the lines and names.
func (f *flags) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&canvas)
	thin := draw.LineStyle{Color: color.Gray{160}, Width: 0.5}
	for k, s := range f.stages {
		bottom := canvas.Max.Y + lift + row*vg.Length(f.rows[k])
		canvas.StrokeLine2(thin, x(s.to), canvas.Min.Y, x(s.to), bottom+row-beside)
		if f.rows[k] >= 0 {
			canvas.FillText(noted, vg.Point{X: x(s.to) - beside, Y: bottom}, s.name())
		}
	}
}
