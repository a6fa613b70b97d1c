package acceptance

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/problem"
)

var bothMixes = []string{"paper", "orthogonal"}

// findings probes a problem at seeds, with the default budget. Where it ends with an error
// nothing was found; at all seeds it must not.
func findings(t *testing.T, spec problem.Spec, seeds []uint64) ([]untwist.Findings, []*problem.Problem) {
	t.Helper()
	all, problems, ended := make([]untwist.Findings, len(seeds)), make([]*problem.Problem, len(seeds)), make([]error, len(seeds))
	each(len(seeds), func(i int) {
		s := spec
		s.Seed = seeds[i]
		p, err := problem.New(s)
		if err != nil {
			t.Error(err)
			return
		}
		problems[i] = p
		all[i], ended[i] = untwist.Probe(ctx, p, untwist.Options{Seed: s.Seed, Start: p.Domain()})
	})
	if !slices.Contains(ended, nil) {
		t.Errorf("%v: no seed could be probed: %v", spec, ended[0])
	}
	return all, problems
}

// identified reports whether rows are right to 1e-3 and the coupling to 1e-2.
func identified(p *problem.Problem, s untwist.Structure) bool {
	if s.Frame == nil || s.Certificate.Verdict != certify.Separable {
		return false
	}
	c := frame.Compare(p.Frame(), s.Frame)
	return c.Error() <= 1e-3 && c.Coupling <= 1e-2
}

// title names a spec, and what else there is: "rastrigin paper d=20 sqrt".
func title(spec problem.Spec, more string) string {
	mix := spec.Mix
	if mix == "" {
		mix = "own"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s d=%d %s", spec.Name, mix, spec.Dim, more))
}

// An increasing map around a separable function changes nothing but the price: it is
// identified as without, to rows of 1e-3, and solved to 1e-6 in 14 of 15 runs with at most
// twice the queries, at d = 100 with at most 110,000.
//
//	go test ./internal/acceptance -run TestRealityMaps -whole -v -timeout 3h
func TestRealityMaps(t *testing.T) {
	b := newBook(t, "maps")
	for _, name := range flags.Problems([]string{"rastrigin", "rastrigin-like", "levy"}[:flags.Few(3, 1)]...) {
		for _, mix := range bothMixes[flags.Few(0, 1):] {
			for _, d := range dimensions(flags.Usually(8, 6), 20, 40, 100) {
				for _, by := range problem.Maps()[:flags.Few(5, flags.Usually(2, 1))] {
					if d == 100 && len(flags.Dims()) == 0 && (name != "rastrigin" || mix != "orthogonal") {
						continue // an hour more
					}
					mappedCell(t, b, problem.Spec{Name: name, Mix: mix, Dim: d}, by)
				}
			}
		}
	}
	for _, c := range []struct {
		name  string
		mixes []string
		most  float64 // queries, in those of CMA-ES
	}{{"ellipsoid", bothMixes, 0.6}, {"squared-norm", bothMixes[:1], 0.6}, {"different-powers", bothMixes, 1.2}}[:flags.Few(3, 1)] {
		for _, mix := range c.mixes {
			for _, d := range dimensions(flags.Usually(10, 8), 20, 40) {
				if !flags.Problem(c.name) {
					continue
				}
				for _, by := range problem.Maps()[:flags.Few(5, 1)] {
					raceCell(t, b, problem.Spec{Name: c.name, Mix: mix, Dim: d, Blemishes: problem.Blemishes{Map: by}}, c.most)
				}
			}
		}
	}
	for _, d := range dimensions(0, 20, 40) {
		if !*flags.Whole && d == 0 {
			continue
		}
		for _, name := range []string{"bbob-6", "bbob-14", "bbob-23"} {
			if flags.Problem(name) {
				evenCell(t, b, title(problem.Spec{Name: name, Dim: d}, ""), course{spec: problem.Spec{Name: name, Dim: d}})
			}
		}
		if flags.Problem("bbob-14") {
			raceCell(t, b, problem.Spec{Name: "bbob-14", Dim: d}, 0.5)
		}
	}
}

// mappedCell compares a problem under a map with the problem without.
func mappedCell(t *testing.T, b *book, spec problem.Spec, by string) {
	plain := course{spec: spec, gap: 1e-6}
	mapped := plain
	mapped.spec.Map = by
	n := flags.Few(15, flags.Usually(2, 1))
	f, ok := b.cell(t, title(spec, by), n, func(seeds []uint64) fact {
		f := fact{}
		found, problems := findings(t, mapped.spec, seeds)
		right := 0
		for i, s := range found {
			if identified(problems[i], s.Structure) {
				right++
			}
		}
		all, before := mapped.attempts(t, seeds), plain.attempts(t, seeds)
		queries := func(a attempt) float64 { return a.queriesTo(1e-6) }
		f.set("seeds", len(seeds))
		f.set("identified", right)
		f.set("solved", count(all, func(a attempt) bool { return a.gap <= 1e-6 }))
		f.quartiles("queries", values(all, queries))
		f.quartiles("plain", values(before, queries))
		return f
	})
	if !ok {
		return
	}
	need, most := share(14, 15, int(f.number("seeds"))), 2*f.number("plain")
	if spec.Dim == 100 {
		most = 110_000
	}
	if !*flags.Whole {
		most = 3 * f.number("plain") // the medians of few seeds are chance
	}
	if !(f.number("identified") >= float64(need) && f.number("solved") >= float64(need) && f.number("queries") <= most) {
		t.Errorf("%s under %s: %v", title(spec, ""), by, f)
	}
}

// raceCell compares the queries of auto to a gap of 1e-6 with those of CMA-ES.
func raceCell(t *testing.T, b *book, spec problem.Spec, most float64) {
	t.Helper()
	n := flags.Few(15, flags.Usually(2, 1))
	ours := course{spec: spec, gap: 1e-6}
	f, ok := b.cell(t, "race "+title(spec, spec.Map), n, func(seeds []uint64) fact {
		f := fact{}
		a, c := ours.attempts(t, seeds), ours.cmaes().attempts(t, seeds)
		queries := func(a attempt) float64 { return a.queriesTo(1e-6) }
		f.set("seeds", len(seeds))
		f.set("solved", count(a, func(a attempt) bool { return a.gap <= 1e-6 }))
		f.set("cmaes.solved", count(c, func(a attempt) bool { return a.gap <= 1e-6 }))
		f.quartiles("queries", values(a, queries))
		f.quartiles("cmaes", values(c, queries))
		return f
	})
	if !ok {
		return
	}
	if !(f.number("queries") <= most*f.number("cmaes") && f.number("solved") >= f.number("cmaes.solved")-1) {
		t.Errorf("%s %s: %v, at most %v times the queries of CMA-ES are allowed", title(spec, ""), spec.Map, f, most)
	}
}

// evenCell compares the final gaps of auto and CMA-ES at the same budget.
func evenCell(t *testing.T, b *book, name string, ours course) {
	t.Helper()
	f, ok := b.cell(t, "even "+name, flags.Few(31, flags.Usually(7, 5)), func(seeds []uint64) fact {
		return versus(ours.attempts(t, seeds), ours.cmaes().attempts(t, seeds), gapOf, 1e-8)
	})
	if ok && !(f.number("p") > notWorse) {
		t.Errorf("%s: worse than CMA-ES, %v", name, f)
	}
}

// versus notes the quartiles of auto and CMA-ES, and the p-value of auto being worse. Numbers
// up to floor count as equal.
func versus(a, c []attempt, of func(attempt) float64, floor float64) fact {
	f := fact{}
	f.set("seeds", len(a))
	f.quartiles("auto", values(a, of))
	f.quartiles("cmaes", values(c, of))
	f.set("p", larger(values(a, of), values(c, of), floor))
	lower := 0
	for i := range a {
		if of(a[i]) < of(c[i]) {
			lower++
		}
	}
	f.set("lower", lower)
	return f
}

// verdictsFile has what probe said of every built-in problem before it knew of maps.
const verdictsFile = "testdata/verdicts.csv"

// Where there is no map none is claimed, and verdicts are what they were, or right: all built-in
// problems and mixes, twenty seeds, d = 10 and 30. bbob-6, 14 and 23 have a map. Where verdicts
// were right there are a tenth more queries at most, but that functions that do not separate are
// looked at longer: by half as much again, all of them together.
//
//	go test ./internal/acceptance -run TestNoMapWhereThereIsNone -whole -v -timeout 3h
func TestNoMapWhereThereIsNone(t *testing.T) {
	file, err := os.Open(verdictsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var now [][]string
	var others, othersBefore float64
	for _, row := range rows[1:] {
		d, _ := strconv.Atoi(row[2])
		spec := problem.Spec{Name: row[0], Mix: row[1], Dim: d}
		n := len(row[3])
		switch {
		case !*flags.Whole && (d != 10 || !slices.Contains(flags.Sample([]string{"rastrigin", "ackley", "rosenbrock", "bbob-8"}, 2), row[0]) || row[1] != "" && row[1] != "paper"):
			continue
		case !*flags.Whole:
			n = flags.Usually(2, 1)
		case !slices.Contains(flags.Dims(d), d), !flags.Problem(spec.Name), !flags.Cell(title(spec, "")):
			continue
		}
		found, _ := findings(t, spec, flags.Seeds(n))
		verdicts, queries, maps := "", 0, 0
		for _, s := range found {
			verdicts += letter(s.Certificate.Verdict)
			queries += s.Queries
			if s.Map != nil {
				maps++
			}
		}
		now = append(now, []string{row[0], row[1], row[2], verdicts, strconv.Itoa(queries)})
		hasMap := slices.Contains([]string{"bbob-6", "bbob-14", "bbob-23"}, spec.Name)
		if maps > 0 && !hasMap {
			t.Errorf("%s: %d of %d have a map", title(spec, ""), maps, n)
		}
		if flags.From() != 0 {
			t.Logf("%s: %s, %d queries", title(spec, ""), verdicts, queries)
			continue
		}
		p, err := problem.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		right := letter(certify.Verdict(p.Structure()))
		for k := range n {
			if is := verdicts[k : k+1]; is != row[3][k:k+1] && is != right && !hasMap {
				t.Errorf("%s, seed %d: verdict %s, before %s", title(spec, ""), k, is, row[3][k:k+1])
			}
		}
		before, _ := strconv.ParseFloat(row[4], 64)
		switch {
		case !*flags.Whole || hasMap:
		case right != "n" && row[3] == strings.Repeat(right, n):
			if float64(queries) > 1.1*before+float64(12*n) {
				t.Errorf("%s: %d queries, before %s", title(spec, ""), queries, row[4])
			}
		default:
			others, othersBefore = others+float64(queries), othersBefore+before
			t.Logf("%s: %d queries, before %s", title(spec, ""), queries, row[4])
		}
	}
	if others > 1.5*othersBefore {
		t.Errorf("functions that do not separate: %v queries, before %v", others, othersBefore)
	}
	if len(now) == 0 {
		t.Error("no problem was looked at")
	}
}

// letter stands for a verdict: s, b, n or u, as they begin, c for nearly separable (coupled a
// little), and - for none.
func letter(v certify.Verdict) string {
	switch v {
	case "":
		return "-"
	case certify.NearlySeparable:
		return "c"
	}
	return string(v[:1])
}
