package several

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// Strategy minimises a function of several numbers, or with limits.
type Strategy struct {
	Called string // its name
}

func (s Strategy) Name() string { return s.Called }

// The stages.
var (
	atKnown   = objective.Stage{Name: "known points", Purpose: objective.AtKnown}
	toSample  = objective.Stage{Name: "starts", Purpose: objective.ToSearch}
	byFit     = objective.Stage{Name: "least squares", Purpose: objective.StraightDown}
	bySQP     = objective.Stage{Name: "sqp", Purpose: objective.StraightDown}
	bySum     = objective.Stage{Name: "along coordinates", Purpose: objective.AlongThem}
	byRanking = objective.Stage{Name: "cmaes", Purpose: objective.ToSearch}
)

// Minimize minimises f.
func (s Strategy) Minimize(ctx context.Context, f objective.Objective, task strategy.Task) (strategy.Outcome, error) {
	task, err := task.Complete(f.Dim())
	if err != nil {
		return strategy.Outcome{Status: objective.Failed}, err
	}
	if task.Several == nil {
		return strategy.Outcome{Status: objective.Failed}, objective.BadOption("Several", "needed")
	}
	w := &work{ctx: ctx, f: f, task: task, said: task.Several, random: rng.Seed(task.Seed).Stream("several")}
	var out strategy.Outcome
	if task.Several.Limited() {
		out, err = w.limited()
	} else {
		out, err = w.fit()
	}
	if err != nil {
		out.Status, err = objective.StatusOf(ctx, err)
		return out, err
	}
	out.Status = objective.Converged
	return out, nil
}

// work is what a search shares.
type work struct {
	ctx     context.Context
	f       objective.Objective
	task    strategy.Task
	said    *strategy.Several
	random  *rng.Stream
	queries int
}

// ask evaluates points and returns their values and numbers; where f has failed, +Inf and nil.
func (w *work) ask(points [][]float64) (values []float64, numbers [][]float64, err error) {
	if len(points) == 0 {
		return nil, nil, nil
	}
	batch := mat.NewDense(len(points), len(points[0]), nil)
	for i, z := range points {
		batch.SetRow(i, z)
	}
	values = make([]float64, len(points))
	w.queries += len(points)
	err = w.f.Evaluate(w.ctx, batch, values)
	numbers = w.said.Recent()
	if err != nil {
		return nil, nil, err
	}
	if len(numbers) != len(points) { // f answers a value alone
		numbers = make([][]float64, len(points))
		for i, v := range values {
			if !math.IsInf(v, 1) {
				numbers[i] = []float64{v}
			}
		}
	}
	return values, numbers, nil
}

// known returns the known points, a row each.
func (w *work) known() (points [][]float64) {
	if w.task.Points == nil {
		return nil
	}
	n, _ := w.task.Points.Dims()
	for i := range n {
		points = append(points, mat.Row(nil, i, w.task.Points))
	}
	return points
}

// uniform returns n points of the start box, one in each of n layers of every coordinate (a Latin
// hypercube).
func (w *work) uniform(n int) [][]float64 {
	d := w.f.Dim()
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
	}
	for k := range d {
		for i, layer := range w.random.Perm(n) {
			points[i][k] = -1 + 2*(float64(layer)+w.random.Float64())/float64(n)
		}
	}
	return points
}

// around returns n points around z, a third of the start box apart, within the bounds.
func (w *work) around(z []float64, n int) [][]float64 {
	const reach = 1. / 3 // far enough to leave a well that is a few times narrower than the box
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, len(z))
		for k := range z {
			v := z[k] + reach*w.random.NormFloat64()
			points[i][k] = min(max(v, w.task.Bounds.Lo[k]), w.task.Bounds.Hi[k])
		}
	}
	return points
}

// screen is how many points a descent's start is the best of.
func screen(d int) int { return max(d, 5) }

// enough is how often the best point has to be found again by descents from other starts, and barren how
// many of them may come to nothing better, until a search is done. With limits there are often several
// minima that are nearly as good, each at other limits: it takes more to believe in one.
const (
	enough     = 4
	enoughMore = 12
	barren     = 40
)
