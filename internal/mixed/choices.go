package mixed

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// evolve searches by CMA-ES with margin over everything that has an order, beside probabilities of the
// choices. It begins anywhere: around the best point others have searched.
func (w *search) evolve() error {
	w.task.Stage(byCMAES)
	c := newChoosing(w)
	n := c.Dim()
	if n == 0 {
		return nil
	}
	s := cmaes.Series{Box: objective.Cube(n, -1, 1), Seed: w.task.Seed, Began: func(cmaes.Plan) { c.forget() }}
	s.Run.Sigma, s.Run.Bounds = strategy.FirstSigma, objective.Box{Lo: pick(w.task.Bounds.Lo, w.ordered), Hi: pick(w.task.Bounds.Hi, w.ordered)}
	for _, k := range w.ordered {
		s.Run.Lattices = append(s.Run.Lattices, w.task.Lattices[k].Values)
	}
	r, err := s.Minimize(w.ctx, c)
	if err == nil && (r.Status == objective.BudgetSpent || r.Status == objective.TargetReached || r.Status == objective.ToleranceReached) {
		err = c.ended
	}
	return err
}

// choosing is f over the ordered coordinates. It draws the choices of each point with probabilities q,
// and learns these from the order of the values of a generation,
//
//	q_k ← q_k + η Σ_i w_i (1[c_ik] − q_k),
//
// the step of the natural gradient, with w_i as CMA-ES has them, and keeps every probability above the
// margin α of CatCMA, α = (1 − 0.73^{1/N})/(K − 1) for N choices and K words. Departure: η is
// μ_eff/(μ_eff + N̄) with N̄ = Σ (K − 1) and is not adapted.
type choosing struct {
	w       *search
	choices []int
	q       [][]float64
	degrees float64 // N̄
	random  *rng.Stream
	ranking query.Ranking
	ended   error
}

func newChoosing(w *search) *choosing {
	c := &choosing{w: w, random: rng.Seed(w.task.Seed).Stream("mixed", "choices")}
	for k, l := range w.task.Lattices {
		if l.Unordered && len(l.Values) > 0 {
			c.choices = append(c.choices, k)
			c.degrees += float64(len(l.Values) - 1)
		}
	}
	c.forget()
	return c
}

// forget makes all words equally probable.
func (c *choosing) forget() {
	c.q = nil
	for _, k := range c.choices {
		n := len(c.w.task.Lattices[k].Values)
		c.q = append(c.q, slices.Repeat([]float64{1 / float64(n)}, n))
	}
}

func (c *choosing) Dim() int { return len(c.w.ordered) }

// Evaluate asks for a generation.
func (c *choosing) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, _ := points.Dims()
	all, drawn := mat.NewDense(n, c.w.Dim(), nil), make([][]int, n)
	for i := range n {
		z := all.RawRowView(i)
		for j, k := range c.w.ordered {
			z[k] = points.At(i, j)
		}
		for a, k := range c.choices {
			j := draw(c.q[a], c.random.Float64())
			drawn[i] = append(drawn[i], j)
			z[k] = c.w.task.Lattices[k].Values[j]
		}
	}
	if c.w.said != nil {
		c.ended = c.ranked(all, values)
	} else {
		c.ended = c.w.Evaluate(ctx, all, values)
	}
	if c.ended == nil && len(c.choices) > 0 {
		c.learn(drawn, values)
	}
	return c.ended
}

// ranked asks for a generation under limits, and makes values that have the order of its points. Those that cannot be
// moved so that they keep to linear limits are last, and are not asked.
func (c *choosing) ranked(all *mat.Dense, values []float64) error {
	var points [][]float64
	var which []int
	for i := range values {
		values[i] = math.Inf(1)
		if z := c.w.mended(mat.Row(nil, i, all)); !c.w.violates(z) {
			points, which = append(points, z), append(which, i)
		}
	}
	places, err := c.w.evaluated(points)
	over := make([]float64, len(values))
	for k, p := range places {
		values[which[k]], over[which[k]] = p.value, p.over
	}
	c.ranking.Rank(values, over)
	return err
}

// draw returns the word at which the sum of probabilities exceeds u.
func draw(q []float64, u float64) int {
	for j, p := range q {
		if u -= p; u < 0 {
			return j
		}
	}
	return len(q) - 1
}

// learn moves the probabilities towards the choices of the better points.
func (c *choosing) learn(drawn [][]int, values []float64) {
	p := cmaes.NewParameters(len(c.w.ordered), len(values))
	rate := p.MuEff / (p.MuEff + c.degrees)
	order := ranks.Order(len(values), func(i, j int) int {
		switch a, b := values[i], values[j]; {
		case a < b || math.IsNaN(b) && !math.IsNaN(a):
			return -1
		case b < a || math.IsNaN(a) && !math.IsNaN(b):
			return 1
		}
		return 0
	})
	for a, q := range c.q {
		move := make([]float64, len(q))
		for rank, i := range order[:p.Mu] {
			move[drawn[i][a]] += p.Weights[rank]
		}
		least := (1 - math.Pow(0.73, 1/float64(len(c.q)))) / float64(len(q)-1)
		sum := 0.
		for j := range q {
			q[j] = max(q[j]+float64(rate*(move[j]-q[j])), least)
			sum += q[j]
		}
		for j := range q {
			q[j] /= sum
		}
	}
}
