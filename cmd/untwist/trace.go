package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/report/chart"
	"gonum.org/v1/gonum/stat"
)

// traceFlags say where the particles of CBO are written.
type traceFlags struct {
	file  string
	every int
}

func (f *traceFlags) register(flags *pflag.FlagSet) {
	flags.Var(text(&f.file), "trace", "write where the particles of cbo are to `FILE.csv`, and the consensus, spread, effective sample size and α of each step to FILE-steps.csv (docs/cbo.md)")
	flags.Var(count(&f.every), "trace-every", "write every N-th step only (default 1)")
}

// steps is the name of the second file.
func (f *traceFlags) steps() string {
	return strings.TrimSuffix(f.file, filepath.Ext(f.file)) + "-steps.csv"
}

// A trace writes where particles are, step by step, and keeps what a picture needs.
type trace struct {
	flags            *traceFlags
	every, step      int
	particles, steps *tableFile
	kept             []tracedStep
	stride           int // every so many steps that are written is kept
	written          int
}

// A tracedStep is what a picture has of a step.
type tracedStep struct {
	step                     float64
	spread, effective, alpha float64
	quartiles                [][3]float64 // of the first coordinates
}

const (
	mostTraced = 4096 // steps of a picture; more would not be seen
	mostDrawn  = 6    // coordinates of a picture
)

// begin begins a trace; nil without the flag.
func (f *traceFlags) begin() (*trace, error) {
	if f.file == "" {
		if f.every != 0 {
			return nil, usageError{errors.New("--trace-every: there is no --trace FILE.csv")}
		}
		return nil, nil
	}
	return &trace{flags: f, every: cmp.Or(f.every, 1), stride: 1}, nil
}

// open creates the files, of particles in d dimensions.
func (t *trace) open(d int) (err error) {
	if t == nil {
		return nil
	}
	if t.particles, err = newTableFile(t.flags.file); err != nil {
		return flagged("--trace", err)
	}
	if t.steps, err = newTableFile(t.flags.steps()); err != nil {
		return flagged("--trace", errors.Join(err, t.particles.close()))
	}
	t.particles.head("step,particle", "x", d, "value")
	t.steps.head("step,run", "c", d, "spread,effective,alpha,best")
	return nil
}

// see writes a step. Steps of runs that follow are counted on.
func (t *trace) see(s cbo.State) {
	step := t.step
	t.step++
	if step%t.every != 0 {
		return
	}
	n, _ := s.Particles.Dims()
	sum := 0.0
	for i := range n {
		x := s.Particles.RawRowView(i)
		t.particles.row([]int{step, i}, x, s.Values[i])
		for j, v := range x {
			sum += float64((v - s.Consensus[j]) * (v - s.Consensus[j]))
		}
	}
	spread := math.Sqrt(sum / float64(n))
	t.steps.row([]int{step, s.Run}, s.Consensus, spread, s.Effective, s.Alpha, slices.Min(s.Values))
	t.keep(s, tracedStep{step: float64(step), spread: spread, effective: s.Effective, alpha: s.Alpha})
}

func (t *trace) keep(s cbo.State, k tracedStep) {
	t.written++
	if (t.written-1)%t.stride != 0 {
		return
	}
	n, d := s.Particles.Dims()
	column := make([]float64, n)
	for j := range min(d, mostDrawn) {
		for i := range n {
			column[i] = s.Particles.At(i, j)
		}
		slices.Sort(column)
		k.quartiles = append(k.quartiles, [3]float64{quantile(column, 0.25), quantile(column, 0.5), quantile(column, 0.75)})
	}
	if t.kept = append(t.kept, k); len(t.kept) < mostTraced {
		return
	}
	for i := range len(t.kept) / 2 {
		t.kept[i] = t.kept[2*i]
	}
	t.kept, t.stride = t.kept[:len(t.kept)/2], 2*t.stride
}

func quantile(sorted []float64, p float64) float64 {
	return stat.Quantile(p, stat.Empirical, sorted, nil)
}

// close ends the files, and draws into a folder, if there is one.
func (t *trace) close(dir string) error {
	if t == nil {
		return nil
	}
	err := flagged("--trace", errors.Join(t.particles.close(), t.steps.close()))
	if dir == "" || len(t.kept) == 0 {
		return err
	}
	return cmp.Or(err, flagged("--plot", t.draw(dir)))
}

// draw draws trace-particles.svg and trace-steps.svg.
func (t *trace) draw(dir string) error {
	x := lists.Map(t.kept, func(s tracedStep) float64 { return s.step })
	of := func(name string, value func(tracedStep) float64) chart.Series {
		return chart.Series{Name: name, X: x, Median: lists.Map(t.kept, value)}
	}
	var coordinates []chart.Series
	lowest := math.Inf(1) // where the axis begins
	for j := range t.kept[0].quartiles {
		series := of(fmt.Sprintf("x%d", j+1), func(s tracedStep) float64 { return s.quartiles[j][1] })
		for _, s := range t.kept {
			series.Lower, series.Upper = append(series.Lower, s.quartiles[j][0]), append(series.Upper, s.quartiles[j][2])
		}
		lowest = min(lowest, slices.Min(series.Lower))
		coordinates = append(coordinates, series)
	}
	steps := chart.Axis{Label: "step", Scale: chart.Linear}
	where := chart.Lines{Title: "Where the particles are: median and quartiles", X: steps, Y: chart.Axis{Label: "coordinate", Scale: chart.Linear, Lo: lowest},
		Panels: []chart.Panel{{Series: coordinates}}, Steps: true}
	how := chart.Lines{Title: "Spread, effective sample size and α", X: steps, Y: chart.Axis{Label: "value", Scale: chart.Logarithmic}, Steps: true,
		Panels: []chart.Panel{{Series: []chart.Series{
			of("spread", func(s tracedStep) float64 { return s.spread }),
			of("effective sample size", func(s tracedStep) float64 { return s.effective }),
			of("α", func(s tracedStep) float64 { return s.alpha }),
		}}}}
	return cmp.Or(where.Draw().Save(filepath.Join(dir, "trace-particles.svg")), how.Draw().Save(filepath.Join(dir, "trace-steps.svg")))
}

// A tableFile is a file of rows with commas between their numbers.
type tableFile struct {
	file *os.File
	out  *bufio.Writer
	line []byte
}

func newTableFile(path string) (*tableFile, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &tableFile{file: file, out: bufio.NewWriter(file)}, nil
}

// head writes the names of the columns: some, a letter with numbers, and others.
func (t *tableFile) head(before, letter string, n int, after string) {
	t.out.WriteString(before)
	for j := range n {
		t.out.WriteString("," + letter + strconv.Itoa(j+1))
	}
	t.out.WriteString("," + after + "\n")
}

func (t *tableFile) row(whole []int, point []float64, numbers ...float64) {
	t.line = t.line[:0]
	for _, n := range whole {
		t.line = append(strconv.AppendInt(t.line, int64(n), 10), ',')
	}
	for _, v := range slices.Concat(point, numbers) {
		t.line = append(strconv.AppendFloat(t.line, v, 'g', -1, 64), ',')
	}
	t.line[len(t.line)-1] = '\n'
	t.out.Write(t.line)
}

// close writes what is left; an error of an earlier row is returned too.
func (t *tableFile) close() error { return errors.Join(t.out.Flush(), t.file.Close()) }
