package cmaes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Result is what a run has found.
type Result struct {
	// Point is the best point evaluated, or nil if none was. Value is f there.
	Point []float64
	Value float64
	// Status says why the run stopped, and Reason names the rule in a word.
	Status objective.Status
	Reason string
	// Queries and Generations count what the run used.
	Queries, Generations int
	// Sigma is the last step size, and Spread how far the last values were apart: those of
	// the last generation, or the best of recent ones.
	Sigma, Spread float64
}

// Run minimises f by one descent of CMA-ES. Each generation is one batch of λ
// queries. A value of NaN or +Inf ranks last and never enters the mean.
//
// Besides the queries a generation takes O(λn² + n³/3) time. It allocates nothing, unless
// the covariance is a Root.
func Run(ctx context.Context, f objective.Objective, cfg Config) (Result, error) {
	return cfg.run(ctx, f, math.Inf(1), false)
}

// run is Run, but it gives up when it is clear that it will not come below the value beat, and may round to lattices without a margin.
func (cfg Config) run(ctx context.Context, f objective.Objective, beat float64, rounds bool) (Result, error) {
	if err := cfg.complete(f.Dim()); err != nil {
		return Result{Value: math.Inf(1), Status: objective.Failed}, err
	}
	d := newDescent(f, cfg)
	if d.beat = beat; rounds {
		d.grid.alpha = 0
	}
	for {
		if reason := d.stop(); reason != "" {
			d.result.Status, d.result.Reason = statusOf(reason), reason
			return d.finish(), nil
		}
		if err := d.generation(ctx); err != nil {
			var failure error
			d.result.Status, failure = objective.StatusOf(ctx, err)
			d.result.Reason = d.result.Status.String()
			return d.finish(), failure
		}
		if cfg.Observe != nil {
			d.observe(cfg.Observe)
		}
	}
}

// A descent is the state of a run.
type descent struct {
	f    objective.Objective
	cfg  Config
	p    Parameters
	fold fold
	grid *lattices // nil: all coordinates are continuous

	m, pSigma, pC []float64
	sigma         float64
	cov           covariance
	z, y, u, x    *mat.Dense // λ×n: z_i, y_i = Az_i, m + σy_i, and that inside the bounds
	values        []float64
	order         []int     // the points, best first
	weights       []float64 // w_i° of each point
	meanZ, meanY  []float64 // ⟨z⟩_w, ⟨y⟩_w
	deviations    []float64

	gen     int
	beat    float64 // the best value of earlier runs; +Inf: none
	history history
	sound   bool // whether C has a factor
	best    query.Best
	result  Result
}

func newDescent(f objective.Objective, cfg Config) *descent {
	n, lambda := f.Dim(), cfg.Population
	d := &descent{
		f: f, cfg: cfg, p: newParameters(n, lambda, cfg.Rate), fold: newFold(cfg.Bounds),
		pSigma: make([]float64, n), pC: make([]float64, n), sigma: cfg.Sigma, cov: cfg.Covariance.begin(n, lambda),
		z: mat.NewDense(lambda, n, nil), y: mat.NewDense(lambda, n, nil), u: mat.NewDense(lambda, n, nil), x: mat.NewDense(lambda, n, nil),
		values: make([]float64, lambda), order: make([]int, lambda), weights: make([]float64, lambda),
		meanZ: make([]float64, n), meanY: make([]float64, n), deviations: make([]float64, n),
		sound: true, beat: math.Inf(1),
	}
	d.m = d.fold.back(cfg.Mean)
	if d.grid = newLattices(cfg.Lattices, n, lambda); d.grid != nil {
		for k, values := range cfg.Lattices {
			if len(values) > 0 {
				d.m[k] = min(max(cfg.Mean[k], values[0]), values[len(values)-1])
			}
		}
	}
	faster := d.cov.faster()
	d.p.C1 = min(1, d.p.C1*faster)
	d.p.CMu = min(1-d.p.C1, d.p.CMu*faster)
	d.history.begin(n, lambda, cfg.Stop.Stagnation)
	d.result.Value = math.Inf(1)
	return d
}

// generation samples, ranks and updates.
func (d *descent) generation(ctx context.Context) error {
	d.sample()
	err := d.f.Evaluate(ctx, d.x, d.values)
	d.offer(query.Evaluated(d.values, err))
	if err != nil {
		return err
	}
	d.gen++
	finite := d.rank()
	alike := finite
	if d.grid != nil { // a margin keeps some points apart for ever
		alike = (finite + 1) / 2
	}
	d.history.add(d.values, d.order, alike)
	if finite == 0 {
		d.sigma /= 2 // all points failed, so the step was too long
		return nil
	}
	d.update(finite)
	return nil
}

// sample draws x_i = m + σAz_i, equations (38) to (40).
func (d *descent) sample() {
	d.cfg.Normal(d.z.RawMatrix().Data)
	d.cov.transform(d.y, d.z)
	for i := range d.values {
		u := d.u.RawRowView(i)
		for k, v := range d.y.RawRowView(i) {
			u[k] = d.m[k] + float64(d.sigma*d.stretched(k, v))
		}
		d.fold.into(d.x.RawRowView(i), u)
		if d.grid != nil {
			d.grid.round(d.x.RawRowView(i), u)
		}
	}
}

// stretched returns a_k·y_k, with a_k = 1 where there is no lattice.
func (d *descent) stretched(k int, y float64) float64 {
	if d.grid == nil {
		return y
	}
	return d.grid.a[k] * y
}

// offer counts the first n points as queries and keeps the best of them.
func (d *descent) offer(n int) {
	d.result.Queries += n
	for i, v := range d.values[:n] {
		if !math.IsNaN(v) {
			d.best.Offer(d.x.RawRowView(i), v)
		}
	}
}

// rank orders the points by their values, and points of equal value as they were drawn. It
// returns how many values are finite.
func (d *descent) rank() int {
	finite := 0
	for i, v := range d.values {
		d.order[i] = i
		if math.IsNaN(v) {
			d.values[i] = math.Inf(1)
		}
		if !math.IsInf(d.values[i], 1) {
			finite++
		}
	}
	slices.SortFunc(d.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.values[a], d.values[b]), cmp.Compare(a, b))
	})
	return finite
}

// update moves m, σ and C, equations (41) to (47).
func (d *descent) update(finite int) {
	p, n := d.p, float64(d.p.N)
	parents := d.weigh(finite)
	d.means(parents)
	for k := range d.m { // m ← m + σ⟨y⟩_w (42)
		d.m[k] += float64(d.sigma * d.stretched(k, d.meanY[k]))
	}
	// p_σ ← (1−c_σ)p_σ + √(c_σ(2−c_σ)μ_eff) C^-½⟨y⟩_w, C^-½⟨y⟩_w = ⟨z⟩_w (43)
	keep, add := 1-p.CSigma, math.Sqrt(p.CSigma*(2-p.CSigma)*p.MuEff)
	length := 0.0
	for k := range d.pSigma {
		d.pSigma[k] = float64(keep*d.pSigma[k]) + float64(add*d.meanZ[k])
		length = math.FMA(d.pSigma[k], d.pSigma[k], length)
	}
	// h_σ stalls p_c while p_σ is long (below (45))
	steady := 1 - math.Pow(keep, float64(2*d.gen))
	stall := length/n/steady >= 2+4/(n+1)
	// p_c ← (1−c_c)p_c + h_σ√(c_c(2−c_c)μ_eff)⟨y⟩_w (45)
	add = math.Sqrt(p.Cc * (2 - p.Cc) * p.MuEff)
	lost := 0.0 // δ(h_σ)
	if stall {
		add, lost = 0, p.Cc*(2-p.Cc)
	}
	for k := range d.pC {
		d.pC[k] = float64((1-p.Cc)*d.pC[k]) + float64(add*d.meanY[k])
	}
	d.adapt(lost)
	// σ ← σ exp(c_σ/d_σ (‖p_σ‖/E‖N(0,I)‖ − 1)) (44)
	d.sigma *= math.Exp(min(1, p.CSigma/p.DSigma*(math.Sqrt(length)/p.ChiN-1)))
	if d.grid != nil {
		d.cov.deviation(d.deviations)
		d.grid.correct(d.m, d.sigma, d.deviations)
	}
}

// weigh gives each point its weight by rank. Points that failed have weight 0. If so many
// failed that parents are missing, the weights of the other parents are raised to make up
// for them. It returns how many parents there are.
func (d *descent) weigh(finite int) int {
	clear(d.weights)
	parents := min(d.p.Mu, finite)
	sum := 0.0
	for _, w := range d.p.Weights[:parents] {
		sum += w
	}
	for rank, i := range d.order[:finite] {
		if d.weights[i] = d.p.Weights[rank]; rank < parents {
			d.weights[i] /= sum
		}
	}
	return parents
}

// means sets ⟨z⟩_w and ⟨y⟩_w over the parents.
func (d *descent) means(parents int) {
	clear(d.meanZ)
	clear(d.meanY)
	for _, i := range d.order[:parents] {
		kernel.AddScaled(d.meanZ, d.weights[i], d.z.RawRowView(i))
		kernel.AddScaled(d.meanY, d.weights[i], d.y.RawRowView(i))
	}
}

// adapt updates C (47):
//
//	C ← (1 + c₁δ(h_σ) − c₁ − c_μΣw_j) C + c₁ p_c p_cᵀ + c_μ Σ w_i° y_i y_iᵀ
//
// with w_i° = w_i for a parent and w_i° = w_i n/‖C^-½y_i‖², C^-½y_i = z_i, for the others
// (46). Then it recomputes the factor of C.
func (d *descent) adapt(lost float64) {
	p := d.p
	sum := 0.0
	for i, w := range d.weights {
		sum += w
		if w < 0 {
			z := d.z.RawRowView(i)
			w *= float64(p.N) / kernel.Dot(z, z)
		}
		d.weights[i] = p.CMu * w
	}
	d.cov.update(1+float64(p.C1*lost)-p.C1-float64(p.CMu*sum), p.C1, d.pC, d.weights, d.y)
	d.sound = d.cov.factorise(d.pSigma)
}

// finish fills in the result.
func (d *descent) finish() Result {
	d.result.Generations, d.result.Sigma, d.result.Spread = d.gen, d.sigma, d.history.differ()
	if d.best.Point != nil {
		d.result.Point, d.result.Value = d.best.Point, d.best.Value
	}
	return d.result
}

// observe shows the state.
func (d *descent) observe(see func(State)) {
	s := State{Generation: d.gen, Queries: d.result.Queries, Mean: d.m, Sigma: d.sigma, Best: d.values[d.order[0]], Spread: d.history.spread}
	for i := range d.values {
		s.Points = append(s.Points, d.x.RawRowView(i))
		s.Coordinates = append(s.Coordinates, d.z.RawRowView(i))
	}
	see(s)
}
