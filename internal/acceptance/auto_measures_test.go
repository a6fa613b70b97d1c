package acceptance

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// These tests make the tables of docs/data/auto.md about what disturbs a search: a wrong start box,
// points that fail, points that are known, curvature that says little. Each has its own
// command there; -from, -seeds, -dims and -problems choose others. Without -whole they run in fewer dimensions with
// fewer seeds.

// A trial is a run that is not quite the usual one.
type trial struct {
	spec     problem.Spec
	strategy strategy.Strategy // nil: auto
	gap      float64           // the clean gap at which it ends; 0: it is done by itself
	budget   int
	parallel int
	start    float64      // the start box is the domain, this many times as wide; 0: once
	bounds   *untwist.Box // nil: none
	known    func(*problem.Problem) []float64
}

// run returns the result and its clean gap.
func (c trial) run(t *testing.T) (untwist.Result, float64) {
	t.Helper()
	c.spec.Seed += flags.From()
	p, err := problem.New(c.spec)
	if err != nil {
		t.Fatal(err)
	}
	o := untwist.Options{Strategy: c.strategy, Seed: c.spec.Seed, Budget: c.budget, Parallel: c.parallel, Start: p.Domain()}
	if c.start != 0 {
		for i, lo := range o.Start.Lo {
			centre, half := (lo+o.Start.Hi[i])/2, c.start*(o.Start.Hi[i]-lo)/2
			o.Start.Lo[i], o.Start.Hi[i] = centre-half, centre+half
		}
	}
	if c.bounds != nil {
		o.Bounds, o.Start = *c.bounds, untwist.Box{}
	}
	if c.gap > 0 {
		o.Target = new(p.Minimum() + c.gap)
	}
	if c.known != nil {
		o.Points = [][]float64{c.known(p)}
	}
	r, err := untwist.Minimize(ctx, p, o)
	if failed := new(untwist.FailuresError); err != nil && !errors.As(err, &failed) {
		t.Fatalf("%v: %v", c.spec, err)
	}
	value := r.Value
	if r.ValueClean != nil {
		value = *r.ValueClean
	}
	return r, value - p.Minimum()
}

// medians runs a trial at seeds 0 to n−1 and returns the median number of queries and of
// rounds, and how many runs came to the gap. Runs that did not take infinitely many.
func (c trial) medians(t *testing.T, n int) (queries, rounds float64, solved int) {
	t.Helper()
	var q, s []float64
	for seed := range uint64(n) {
		c.spec.Seed = seed
		r, gap := c.run(t)
		switch {
		case gap <= max(c.gap, 1e-8):
			solved++
			q, s = append(q, float64(r.Queries)), append(s, float64(r.Rounds))
		default:
			q, s = append(q, math.Inf(1)), append(s, math.Inf(1))
		}
	}
	slices.Sort(q)
	slices.Sort(s)
	return q[n/2], s[n/2], solved
}

// A page is a table of docs/data/auto.md.
type page struct{ name, lines string }

func newPage(name string, columns ...string) *page {
	return &page{name, "| " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", len(columns)) + "|\n"}
}

// add adds a line.
func (p *page) add(t *testing.T, values ...any) {
	t.Helper()
	line := "|"
	for _, v := range values {
		switch v := v.(type) {
		case float64:
			if v >= 1000 && !math.IsInf(v, 0) {
				line += fmt.Sprintf(" %.0f |", v)
			} else {
				line += fmt.Sprintf(" %.3g |", v)
			}
		default:
			line += fmt.Sprintf(" %v |", v)
		}
	}
	t.Log(line)
	p.lines += strings.ReplaceAll(line, "+Inf", "–") + "\n"
}

// write puts the table between its marks in docs/data/auto.md, with -whole -update.
func (p *page) write(t *testing.T) {
	t.Helper()
	if *flags.Whole && *flags.Update && !flags.Some() {
		rewrite(t, "../../docs/data/auto.md", p.name, p.lines)
	}
}

// "Converged" is true: no run ends by itself above 1e-8 with more than half of its budget
// left. On Rastrigin and Levy the queries are at most 1.1 times what they were when nothing
// was looked at again.
//
//	go test ./internal/acceptance -run TestAutoConverged -whole -v -timeout 3h
func TestAutoConverged(t *testing.T) {
	table := newPage("converged", "", "d", "ended too early", "solved", "queries when done, median", "largest gap")
	before := map[string]float64{"rastrigin 20": 5419, "rastrigin 40": 11566, "levy 20": 6243, "levy 40": 13873}
	for _, name := range flags.Problems([]string{"rastrigin", "levy", "bbob-3", "bbob-4", "bbob-20"}[:flags.Few(5, 2)]...) {
		for _, d := range flags.Dims([]int{flags.Usually(20, 10), 40}[:flags.Few(2, 1)]...) {
			n := flags.Count(flags.Few(100, flags.Usually(3, 1)))
			early, solved, worst := 0, 0, 0.0
			var queries []float64
			for seed := range uint64(n) {
				r, gap := trial{spec: problem.Spec{Name: name, Dim: d, Seed: seed}}.run(t)
				if gap <= 1e-8 {
					solved++
				} else if r.Status == objective.Converged && 2*r.Queries < r.Budget {
					early++
					t.Logf("%s, d = %d, seed %d: converged at %.1e after %d queries", name, d, seed+flags.From(), gap, r.Queries)
				}
				queries, worst = append(queries, float64(r.Queries)), max(worst, gap)
			}
			slices.Sort(queries)
			table.add(t, name, d, fmt.Sprintf("%d of %d", early, n), solved, queries[n/2], fmt.Sprintf("%.0e", worst))
			if early > 0 {
				t.Errorf("%s, d = %d: %d of %d ended too early", name, d, early, n)
			}
			if limit, is := before[fmt.Sprint(name, " ", d)]; is && *flags.Whole && queries[n/2] > 1.1*limit {
				t.Errorf("%s, d = %d: %v queries, %v before", name, d, queries[n/2], limit)
			}
		}
	}
	table.write(t)
}

// A start box that is ten times too narrow or too wide does no harm, and where one that is a
// hundred times off does, a note says that the box is wrong.
//
//	go test ./internal/acceptance -run TestAutoStartBox -whole -v -timeout 3h
func TestAutoStartBox(t *testing.T) {
	table := newPage("boxes", "", "d", "box times", "solved", "not, with a note", "not, without", "largest gap without", "queries, median")
	for _, name := range flags.Problems([]string{"rastrigin", "levy", "bbob-3", "bbob-4", "bbob-20"}[:flags.Few(5, 1)]...) {
		for _, d := range flags.Dims([]int{flags.Usually(20, 10), 40}[:flags.Few(2, 1)]...) {
			for _, times := range []float64{0.01, 0.1, 10, 100} {
				if !*flags.Whole && times == 0.01 {
					continue
				}
				n := flags.Count(flags.Few(15, 1))
				solved, noted, silent, worst := 0, 0, 0, 0.0
				var queries []float64
				for seed := range uint64(n) {
					r, gap := trial{spec: problem.Spec{Name: name, Dim: d, Seed: seed}, start: times}.run(t)
					queries = append(queries, float64(r.Queries))
					switch {
					case gap <= 1e-8:
						solved++
					case slices.ContainsFunc(r.Notes, func(s string) bool { return strings.Contains(s, "start box") }):
						noted++
					default:
						silent++
						worst = max(worst, gap)
					}
				}
				slices.Sort(queries)
				table.add(t, name, d, times, solved, noted, silent, fmt.Sprintf("%.0e", worst), queries[n/2])
				mayNote := times < 0.1 || times > 10 || name == "bbob-20" && times < 1
				if silent > 0 || noted > 0 && !mayNote {
					t.Errorf("%s, d = %d, a start box %g times as wide: %d solved, %d not but with a note, %d without", name, d, times, solved, noted, silent)
				}
			}
		}
	}
	table.write(t)
}

// Points that fail: 3 % cost at most half as many queries again, 20 % twice as many more, and
// a half space beside the minimum nothing but queries.
//
//	go test ./internal/acceptance -run TestAutoFailures -whole -v -timeout 3h
func TestAutoFailures(t *testing.T) {
	table := newPage("failures", "", "bounds", "no failures", "3 %", "20 %", "half space")
	d, n := flags.Dims(flags.Few(30, flags.Usually(10, 6)))[0], flags.Count(flags.Few(15, 1))
	for _, name := range flags.Problems([]string{"rastrigin", "different-powers", "rosenbrock-pairs"}[:flags.Few(3, 1)]...) {
		for _, bounded := range []bool{false, true} {
			c := trial{spec: problem.Spec{Name: name, Dim: d, Mix: "orthogonal"}, gap: 1e-8, budget: 100 * d * d}
			bounds := "none"
			if bounded {
				c.bounds, bounds = new(objective.Cube(d, -5, 5)), "[-5, 5]"
			}
			clean, _, all := c.medians(t, n)
			three, twenty, beyond := c, c, c
			three.spec.Failing, twenty.spec.Failing, beyond.spec.FailingBeyond = 0.03, 0.2, new(0.05)
			q3, _, s3 := three.medians(t, n)
			q20, _, s20 := twenty.medians(t, n)
			qb, _, sb := beyond.medians(t, n)
			of := func(q float64, s int) string { return fmt.Sprintf("%.0f, %.2f× (%d of %d)", q, q/clean, s, n) }
			table.add(t, name, bounds, of(clean, all), of(q3, s3), of(q20, s20), of(qb, sb))
			if q3 > 1.5*clean || q20 > 3*clean || min(s3, s20) < all || *flags.Whole && sb < all {
				t.Errorf("%s, bounds %s: %v queries (%d of %d) become %v (%d), %v (%d) and %v (%d)", name, bounds, clean, all, n, q3, s3, q20, s20, qb, sb)
			}
		}
	}
	table.write(t)
}

// beside returns a known point at a distance from the minimiser, in widths of the domain.
func beside(distance float64) func(*problem.Problem) []float64 {
	return func(p *problem.Problem) []float64 {
		x, box := slices.Clone(p.Minimiser()), p.Domain()
		u := rng.Seed(p.Spec().Seed).Stream("beside")
		step, norm := make([]float64, len(x)), 0.0
		for i := range x {
			step[i] = u.NormFloat64()
			norm = math.Hypot(norm, step[i])
		}
		for i := range x {
			x[i] += distance * (box.Hi[i] - box.Lo[i]) * step[i] / norm
		}
		return x
	}
}

// wrongWell returns a known point in another well of Rastrigin's function than the deepest:
// every component is off by one well in a random direction.
func wrongWell(p *problem.Problem) []float64 {
	x, u := slices.Clone(p.Minimiser()), rng.Seed(p.Spec().Seed).Stream("wrong well")
	direction := make([]float64, len(x))
	for j := range p.Frame().Components() {
		p.Frame().Direction(direction, j)
		side := float64(2*u.IntN(2) - 1)
		for i, v := range direction {
			x[i] += side * v
		}
	}
	return x
}

// A point near the minimum is believed, and costs no more queries than none. A point in a wrong well does no harm.
//
//	go test ./internal/acceptance -run TestAutoWarm -whole -v -timeout 3h
func TestAutoWarm(t *testing.T) {
	table := newPage("warm", "", "mix", "d", "cold", "warm", "ratio", "solved, of 15", "known point")
	n := flags.Count(flags.Few(15, 1))
	for _, mix := range flags.Sample([]string{"paper", "orthogonal"}, 1) {
		for _, d := range flags.Dims([]int{flags.Usually(10, 4), 30}[:flags.Few(2, 1)]...) {
			type median struct {
				queries float64
				solved  int
			}
			unaided := map[string]median{}
			for _, c := range flags.Sample([]struct {
				name, where string
				known       func(*problem.Problem) []float64
				most        float64
			}{
				{"rosenbrock", "0.01 widths away", beside(0.01), 0.9},
				{"rosenbrock", "0.01 widths away in every coordinate", beside(0.01 * math.Sqrt(float64(d))), 0.9},
				{"ackley", "0.01 widths away", beside(0.01), 0.9},
				{"ackley", "0.01 widths away in every coordinate", beside(0.01 * math.Sqrt(float64(d))), 1.05},
				{"rastrigin", "0.01 widths away", beside(0.01), 1.15},
				{"rastrigin", "a wrong well", wrongWell, 1.15},
			}, 3) {
				if !flags.Problem(c.name) {
					continue
				}
				cold := trial{spec: problem.Spec{Name: c.name, Dim: d, Mix: mix}, gap: 1e-8}
				warm := cold
				warm.known = c.known
				if unaided[c.name] == (median{}) {
					queries, _, solved := cold.medians(t, n)
					unaided[c.name] = median{queries, solved}
				}
				before, without := unaided[c.name].queries, unaided[c.name].solved
				with, _, solved := warm.medians(t, n)
				table.add(t, c.name, mix, d, before, with, with/before, fmt.Sprintf("%d, cold %d", solved, without), c.where)
				if *flags.Whole && !(with <= c.most*before) || solved < without { // the medians of three seeds are chance
					t.Errorf("%s, mix %s, d = %d, %s: %v queries (%d), cold %v (%d)", c.name, mix, d, c.where, with, solved, before, without)
				}
			}
		}
	}
	table.write(t)
}

// Rounds: a user who evaluates everything of a batch at the same time waits for these.
//
//	go test ./internal/acceptance -run TestAutoRounds -whole -v -timeout 3h
func TestAutoRounds(t *testing.T) {
	table := newPage("rounds", "", "strategy", "d", "parallel", "rounds, median", "queries, median", "solved", "seeds")
	for _, c := range []struct {
		name     string
		s        strategy.Strategy
		d        int
		parallel int
		gap      float64
		seeds    int
		most     float64 // rounds
		queries  float64
	}{
		{"rastrigin", auto.Auto{}, flags.Few(100, 20), 1, 0, flags.Few(15, flags.Usually(3, 1)), 60, 1.02 * 42078},
		{"rastrigin", auto.Auto{}, 400, 1, 0, flags.Few(3, 0), 80, math.Inf(1)},
		{"rosenbrock-pairs", auto.Auto{}, flags.Few(100, flags.Usually(10, 6)), 1000, 1e-8, flags.Few(15, 1), 400, math.Inf(1)},
	} {
		if c.seeds == 0 || !flags.Problem(c.name) {
			continue
		}
		c.seeds = flags.Count(c.seeds)
		if d := flags.Dims(c.d)[0]; d != c.d {
			c.d, c.queries = d, math.Inf(1)
		}
		q, rounds, solved := trial{spec: problem.Spec{Name: c.name, Dim: c.d}, strategy: c.s, gap: c.gap, parallel: c.parallel}.medians(t, c.seeds)
		table.add(t, c.name, c.s.Name(), c.d, c.parallel, rounds, q, solved, c.seeds)
		if rounds > c.most || q > c.queries || solved < c.seeds {
			t.Errorf("%s, d = %d: %v rounds of %v queries, %d solved", c.name, c.d, rounds, q, solved)
		}
	}
	if !flags.Problem("rosenbrock") {
		return
	}
	d, n := flags.Dims(flags.Few(40, 8))[0], flags.Count(flags.Few(15, flags.Usually(3, 1)))
	one := trial{spec: problem.Spec{Name: "rosenbrock", Dim: d, Mix: "orthogonal"}, strategy: strategy.CMAES{}, gap: 1e-8, parallel: 1}
	many := one
	many.parallel = 1000
	q1, r1, s1 := one.medians(t, n)
	q, r, s := many.medians(t, n)
	table.add(t, "rosenbrock", "cmaes", d, 1, r1, q1, s1, n)
	table.add(t, "rosenbrock", "cmaes", d, 1000, r, q, s, n)
	if r > r1/float64(flags.Few(5, 2)) || s < s1 {
		t.Errorf("CMA-ES takes %v rounds (%d of %d), and with 1000 at once %v (%d)", r1, s1, n, r, s)
	}
	table.write(t)
}

// Where curvature says little, the Hessians do no harm; where it says much, they help.
//
//	go test ./internal/acceptance -run TestAutoFirstCovariance -whole -v -timeout 3h
func TestAutoFirstCovariance(t *testing.T) {
	table := newPage("covariance", "", "mix", "d", "auto", "CMA-ES", "ratio")
	n := flags.Count(flags.Few(15, flags.Usually(3, 1)))
	for _, c := range flags.Sample([]struct {
		spec problem.Spec
		dims []int
		most float64
	}{
		{problem.Spec{Name: "step"}, []int{10, 20}, 1.3},
		{problem.Spec{Name: "different-powers", Blemishes: problem.Blemishes{Map: "square"}}, []int{10, 20, 40}, 1.3},
		{problem.Spec{Name: "ellipsoid", Blemishes: problem.Blemishes{Map: "rms"}}, []int{20, 40}, 0.5},
	}, 1) {
		for _, mix := range []string{"paper", "orthogonal"}[:flags.Few(2, 1)] {
			for _, d := range flags.Dims(c.dims[:flags.Few(len(c.dims), 1)]...) {
				if !flags.Problem(c.spec.Name) {
					continue
				}
				c.spec.Dim, c.spec.Mix = d, mix
				ours, _, solved := trial{spec: c.spec, gap: 1e-8, budget: 200 * d * d}.medians(t, n)
				alone, _, without := trial{spec: c.spec, gap: 1e-8, budget: 200 * d * d, strategy: strategy.CMAES{}}.medians(t, n)
				title := c.spec.Name
				if c.spec.Map != "" {
					title += " under " + c.spec.Map
				}
				table.add(t, title, mix, d, fmt.Sprintf("%.0f (%d of %d)", ours, solved, n), fmt.Sprintf("%.0f (%d)", alone, without), ours/alone)
				if *flags.Whole && !(ours <= c.most*alone) || solved < without { // the medians of three seeds are chance
					t.Errorf("%s, mix %s, d = %d: %v queries (%d of %d), CMA-ES %v (%d)", title, mix, d, ours, solved, n, alone, without)
				}
			}
		}
	}
	table.write(t)
}

// Curvature in few places: log-cosh is nearly linear in most of the box. Its coordinates are
// found and it is solved in 9 of 10 runs.
//
//	go test ./internal/acceptance -run TestAutoLocalised -whole -v -timeout 3h
func TestAutoLocalised(t *testing.T) {
	table := newPage("localised", "", "mix", "d", "identified", "solved", "queries when done, median")
	if !flags.Problem("log-cosh") {
		return
	}
	for _, mix := range []string{"paper", "orthogonal"} {
		for _, d := range flags.Dims([]int{10, 37, 100}[flags.Few(1, 0):flags.Few(3, 1)]...) {
			n := flags.Count(flags.Few(20, flags.Usually(2, 1)))
			identified, solved := 0, 0
			var queries []float64
			for seed := range uint64(n) {
				r, gap := trial{spec: problem.Spec{Name: "log-cosh", Dim: d, Mix: mix, Seed: seed}}.run(t)
				if gap <= 1e-8 {
					solved++
				}
				p, err := problem.New(problem.Spec{Name: "log-cosh", Dim: d, Mix: mix, Seed: seed + flags.From()})
				if err != nil {
					t.Fatal(err)
				}
				if s := r.Structure; s != nil && s.Frame != nil && len(s.Blocks) == d && frame.Compare(p.Frame(), s.Frame).Error() < 0.05 {
					identified++
				}
				queries = append(queries, float64(r.Queries))
			}
			slices.Sort(queries)
			table.add(t, "log-cosh", mix, d, fmt.Sprintf("%d of %d", identified, n), fmt.Sprintf("%d of %d", solved, n), queries[n/2])
			if 10*identified < 9*n || 10*solved < 9*n {
				t.Errorf("log-cosh, mix %s, d = %d: %d identified and %d solved, of %d", mix, d, identified, solved, n)
			}
		}
	}
	table.write(t)
}

// rewrite puts text between the marks <!-- name --> and <!-- end of name --> of a file.
func rewrite(t *testing.T, path, name, text string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, one := strings.Cut(string(old), begin)
	_, after, two := strings.Cut(rest, end)
	if !one || !two {
		t.Fatalf("%s has no marks %q", path, name)
	}
	if err := os.WriteFile(path, []byte(before+begin+text+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// written fails if a page of docs/data does not have this text between its marks. With -update it is put there.
func written(t *testing.T, page, name, text string) {
	t.Helper()
	path := "../../docs/data/" + page
	if *flags.Update {
		rewrite(t, path, name, text)
	}
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(all), "<!-- "+name+" -->\n"+text+"<!-- end of "+name+" -->\n") {
		t.Errorf("docs/data/%s does not have the table %s that follows from what is stored; -update writes it:\n%s", page, name, text)
	}
}
