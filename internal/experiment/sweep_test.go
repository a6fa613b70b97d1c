package experiment

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// sweeps are the three of the paper's questions.
var sweeps = map[string]func(Extent) (Sweep, error){"errors": Errors, "allocation": Allocation, "approximate": Approximate}

// Every cell of a sweep has its place, names differ, and what is asked for is in the name.
func TestSweepsAreComplete(t *testing.T) {
	for name, make := range sweeps {
		for _, e := range []Extent{{}, {Dim: 2, Runs: 1}, {Dim: 10, Problems: []string{"levy"}, Seed: 7}} {
			s, err := make(e)
			if err != nil {
				t.Fatal(name, err)
			}
			placed := map[[2]int]bool{}
			for _, p := range s.Places {
				placed[[2]int{p.Case, p.Method}] = true
			}
			if len(placed) != len(s.Cases)*len(s.Methods) {
				t.Errorf("%s: %d of %d × %d cells have a place", name, len(placed), len(s.Cases), len(s.Methods))
			}
			if !strings.HasPrefix(s.Name, name+"-d") || s.check() != nil {
				t.Errorf("%s: %s, %v", name, s.Name, s.check())
			}
		}
		want := name + "-d10-levy-20runs-from-7"
		if s, _ := make(Extent{Dim: 10, Problems: []string{"levy"}, Seed: 7}); s.Name != want {
			t.Errorf("%s, want %s", s.Name, want)
		}
		for _, e := range []Extent{{Dim: 1}, {Dim: -1}, {Dim: 1 << 40}, {Runs: -1}, {Problems: []string{"sphere"}}, {Problems: []string{}}, {Problems: []string{"bbob-1"}}, {Seed: math.MaxUint64}} {
			var bad *objective.OptionError
			if _, err := make(e); !errors.As(err, &bad) {
				t.Errorf("%s, %+v: %v", name, e, err)
			}
		}
	}
}

// A sweep that is stopped and goes on gives the same files as one that is not, but for times.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	for _, name := range flags.Sample([]string{"errors", "allocation", "approximate"}, 1) {
		dim, problems, stopAt := 2, []string{"rastrigin"}, 8
		if *flags.Whole {
			dim, problems, stopAt = 3, []string{"rastrigin", "squared-norm"}, 25
		}
		e := Extent{Dim: dim, Runs: 1, Problems: problems}
		if !flags.Usual() {
			e.Sizes = []float64{0, 0.01, 0.1}
		}
		s, err := sweeps[name](e)
		if err != nil {
			t.Fatal(err)
		}
		var written [2]map[string][]byte
		for k := range written {
			dir := t.TempDir()
			from := open(t, s, dir)
			if k == 1 {
				stop, cancel := context.WithCancel(ctx)
				runs := 0
				if err := s.Run(stop, from, 1, func(Progress) {
					if runs++; runs == stopAt {
						cancel()
					}
				}); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			if err := s.Run(ctx, from, 2, nil); err != nil {
				t.Fatal(err)
			}
			written[k] = swept(t, s, from, dir)
		}
		for file, data := range written[0] {
			if !bytes.Equal(data, written[1][file]) {
				t.Errorf("%s: %s differs", name, file)
			}
		}
		if len(written[0]) < flags.Usually(6, 5) {
			t.Errorf("%s: %d files", name, len(written[0]))
		}
	}
}

// swept returns the files of a sweep, without times.
func swept(t *testing.T, s Sweep, from *store.Store, dir string) map[string][]byte {
	t.Helper()
	out, err := s.Tabulate(ctx, from)
	if err != nil {
		t.Fatal(err)
	}
	if out.Done != out.Total || len(out.Points) != len(s.Places) || !strings.Contains(out.Text(), s.Question) {
		t.Errorf("%d of %d runs, %d points of %d", out.Done, out.Total, len(out.Points), len(s.Places))
	}
	files, err := out.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := out.Draw(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, path := range append(files, drawn...) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "-runs.csv") {
			lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
			if err != nil || lines[0][len(lines[0])-2] != "seconds" {
				t.Fatal(lines[0], err)
			}
			for i := range lines {
				lines[i] = lines[i][:len(lines[i])-2]
			}
			if data, err = inCSV(func() [][]string { return lines })(); err != nil {
				t.Fatal(err)
			}
		}
		all[filepath.Base(path)] = data
	}
	return all
}

// What has no run, or no success, is not drawn, and is no error.
func TestSweepWithoutSuccess(t *testing.T) {
	s := only(t, Errors, Extent{Dim: 4, Runs: 2, Problems: []string{"rastrigin"}}, "50", func(m Method) bool { return m.Name == "transformed error=0.3" })
	s.Places = []Place{{Picture: "gaussian", Line: "transformed", X: 0.3, Row: "0.3"}}
	dir := t.TempDir()
	from := open(t, s, dir)
	for _, want := range []int{0, 1} { // before the first run, and after all
		out, err := s.Tabulate(ctx, from)
		if err != nil {
			t.Fatal(err)
		}
		files, err := out.Draw(dir)
		if err != nil || len(files) != want {
			t.Errorf("%q, %v", files, err)
		}
		if text := out.Text(); want == 1 && !strings.Contains(text, "0/2 (0–66)") || strings.Contains(text, "NaN") {
			t.Error(text)
		}
		if err := s.Run(ctx, from, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// Points by hand: three runs, of which two succeed.
func TestPointByHand(t *testing.T) {
	p := Point{runs: []store.Run{{Reached: 30, Queries: 30, Gap: 0.001}, {Reached: 10, Queries: 10, Gap: 0.004}, {Queries: 100, Gap: 7}}}
	p.measure()
	if p.Successes != 2 || p.Queries != 30 || !math.IsNaN(p.QueriesLow) || p.ERT != 70 || p.Gap != 0.004 || p.GapHigh != 7 {
		t.Errorf("%+v", p)
	}
	low, high := wilson(2, 3)
	if p.Low != low || p.High != high {
		t.Errorf("%+v", p)
	}
	if got := p.success() + " " + p.queries(); got != "2/3 (21–94) 30" {
		t.Error(got)
	}
	p.QueriesLow, p.QueriesHigh = 10, math.Inf(1)
	if got := p.queries(); got != "30 (10–∞)" {
		t.Error(got)
	}
}

// The ranks whose values enclose the median, after the tables of the sign test.
func TestOutside(t *testing.T) {
	for n, want := range map[int]int{1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 10: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 100: 40} {
		if got := outside(n); got != want {
			t.Errorf("%d values: %d, want %d", n, got, want)
		}
	}
}

// Of two shares the one with the smaller ERT is best, and those whose intervals meet its own
// are as good.
func TestBestOf(t *testing.T) {
	at := func(x, ert, low, high float64, successes int) Point {
		return Point{Place: Place{Line: "a", X: x}, Successes: successes, ERT: ert, ERTLow: low, ERTHigh: high}
	}
	points := []Point{at(0, math.Inf(1), 0, 0, 0), at(0.1, 50, 40, 60, 3), at(0.2, 30, 20, 41, 3), at(0.5, 90, 80, 100, 1)}
	if best, low, high, found := bestOf(points, "a"); !found || best.X != 0.2 || low != 0.1 || high != 0.2 {
		t.Error(best, low, high, found)
	}
	if _, _, _, found := bestOf(points, "b"); found {
		t.Error("the best of nothing was found")
	}
}

// Runs are put together by the decade of the error, at its median.
func TestDecades(t *testing.T) {
	run := func(seed uint64, reached int) store.Run {
		return store.Run{Key: store.Key{Seed: seed}, Reached: reached, Queries: 9}
	}
	points := []Point{
		{runs: []store.Run{run(0, 5), run(1, 0)}, errors: map[uint64]float64{0: 0.2, 1: 0.9}},
		{runs: []store.Run{run(0, 3), run(1, 3), run(2, 3), run(3, 3)}, errors: map[uint64]float64{0: 0.3, 1: 2e-6, 2: math.Inf(1), 3: 0}},
	}
	if few := decades(points, 3); len(few) != 1 || few[0].Runs != 3 {
		t.Errorf("%+v", few)
	}
	all := decades(points, 1)
	if len(all) != 2 || all[0].Runs != 3 || all[0].Successes != 2 || all[1].Runs != 1 {
		t.Fatalf("%+v", all)
	}
	if all[0].X != 0.3 || all[1].X != 2e-6 {
		t.Error(all[0].X, all[1].X)
	}
}

// A frame with an error has rows of length 1, the error that it was given, to first order, and
// in another order and with other signs the same.
func TestErring(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 30, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []float64{0, 1e-8, 1e-6, 1e-4, 1e-3} {
		w, err := erring(size)(p, 5)
		if err != nil {
			t.Fatal(err)
		}
		if e := errorOf(p.Frame(), w); math.Abs(e-size) > 0.1*size+1e-12 {
			t.Errorf("an error of %g is %g", size, e)
		}
		if size == 0 && w != p.Frame() {
			t.Error("without an error it is another frame")
		}
		turned := mat.NewDense(30, 30, nil)
		for i := range 30 {
			row := mat.Row(nil, (7*i)%30, w.Matrix())
			for k := range row {
				if row[k] *= float64(1 - 2*(i%2)); math.IsNaN(row[k]) {
					t.Fatal(row)
				}
			}
			turned.SetRow(i, row)
		}
		other, err := frame.New(turned)
		if err != nil {
			t.Fatal(err)
		}
		if e := errorOf(p.Frame(), other); math.Abs(e-size) > 0.1*size+1e-12 {
			t.Errorf("an error of %g is %g in another order", size, e)
		}
	}
	if e := errorOf(p.Frame(), frame.Axes(30, []int{0, 1})); !math.IsInf(e, 1) {
		t.Errorf("a frame of two rows has the error %g", e)
	}
	if _, err := erring(0.1)(nil, 0); err == nil {
		t.Error("a problem without a frame has one")
	}
}

// A road ends after as many queries as it may take, with the best frame by then, or the
// coordinates given; one that is done earlier is not changed.
func TestStopped(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 8, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	at := func(queries int) (*identify.Finding, int) {
		m := query.NewMeter(p, 1_000_000)
		found, err := stopped{identify.Survey{Tolerance: 1e-7}, queries}.Identify(ctx, m, identify.Request{Box: p.Domain(), Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		return found, m.Queries()
	}
	for _, queries := range []int{0, 1, 100} {
		if found, n := at(queries); n != queries || !cmp.Equal(found.Frame.Matrix().RawMatrix(), frame.Identity(8).Matrix().RawMatrix()) {
			t.Errorf("after %d of %d queries: %v", n, queries, found.Frame.Matrix())
		}
	}
	all, n := at(1_000_000)
	if e := errorOf(p.Frame(), all.Frame); !(e < 1e-6) || n > 10_000 {
		t.Errorf("error %g after %d queries", e, n)
	}
	if part, m := at(n - 1); m != n-1 || !(errorOf(p.Frame(), part.Frame) < 1e-2) {
		t.Errorf("error %g after %d of %d queries", errorOf(p.Frame(), part.Frame), m, n)
	}
	// The budget of the run ends it as ever.
	if _, err := (stopped{identify.Survey{}, 1000}).Identify(ctx, query.NewMeter(p, 50), identify.Request{Box: p.Domain()}); !errors.Is(err, objective.ErrBudget) {
		t.Error(err)
	}
}

// A reference is not above the value where the minimum would be without couplings, and with a
// small coupling hardly below it. No direction of the true frame leads below it.
func TestReference(t *testing.T) {
	for _, size := range []float64{1e-6, 0.01, 0.3} {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 5, Seed: 1, Blemishes: problem.Blemishes{Coupling: size}})
		if err != nil {
			t.Fatal(err)
		}
		least, err := reference(p)
		if err != nil {
			t.Fatal(err)
		}
		there := make([]float64, 1)
		if err := p.Evaluate(ctx, mat.NewDense(1, 5, p.Minimiser()), there); err != nil {
			t.Fatal(err)
		}
		if gain := there[0] - least; gain < 0 || size == 1e-6 && gain > 1e-6 || size == 0.3 && gain < 0.1 {
			t.Errorf("coupling %g: %g below the value at the minimiser without it", size, gain)
		}
		known := &references{}
		a, err := known.of(p, 1)
		if b, _ := known.of(p, 1); err != nil || a.Minimum() != least || b.Minimum() != least {
			t.Error(a, b, err)
		}
	}
}

// A run is cut to what it was after fewer queries.
func TestUntil(t *testing.T) {
	run := store.Run{Queries: 100, Reached: 90, Gap: 0.001, Curve: []objective.Sample{{Queries: 1, Value: 5}, {Queries: 50, Value: 2}, {Queries: 90, Value: 0.001}}}
	if got := until(run, 100); !cmp.Equal(got, run) {
		t.Error(got)
	}
	if got := until(run, 60); got.Queries != 60 || got.Reached != 0 || got.Gap != 2 || len(got.Curve) != 2 {
		t.Errorf("%+v", got)
	}
}
