package sensitivity_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// A line of the table: subjects, and what was measured of them.
type row struct {
	name  string
	d     int
	kinds []string
	do    func(*subject)

	runs, answered, inside, all int
	worst, claimed              float64
}

func rows() (out []*row) {
	plain := func(*subject) {}
	for _, d := range []int{2, 5, 10, 20, 50} {
		out = append(out, &row{name: "smooth ridges", d: d, kinds: smooth, do: plain})
	}
	out = append(out, &row{name: "smooth ridges, bounds", d: 10, kinds: smooth, do: func(s *subject) { s.bounded = true }})
	for _, d := range []int{5, 20} {
		out = append(out, &row{name: "Rastrigin's", d: d, kinds: []string{"rastrigin"}, do: plain})
	}
	return append(out,
		&row{name: "root of a sum", d: 5, kinds: []string{"square", "well"}, do: func(s *subject) { s.outer = func(v float64) float64 { return math.Sqrt(max(v+40, 0)) } }},
		&row{name: "logarithm of a sum", d: 5, kinds: []string{"square", "well"}, do: func(s *subject) { s.outer = func(v float64) float64 { return math.Log(max(v+40, 1e-9)) } }},
		&row{name: "exponential of a sum", d: 5, kinds: []string{"square", "well"}, do: func(s *subject) { s.outer = func(v float64) float64 { return math.Exp(v / 200) } }},
		&row{name: "noise 0.1", d: 5, kinds: []string{"square", "well"}, do: func(s *subject) { s.noise = 0.1 }},
		&row{name: "noise 1", d: 5, kinds: []string{"square", "well"}, do: func(s *subject) { s.noise = 1 }},
		&row{name: "3 % failures", d: 5, kinds: []string{"square", "sine", "bump"}, do: func(s *subject) { s.fails = 0.03 }},
		&row{name: "kinks", d: 5, kinds: []string{"kink", "power"}, do: plain},
	)
}

// measure runs a subject, and counts.
func (r *row) measure(t *testing.T, s *subject, want []float64, probe bool) {
	got, words := s.run(t, probe)
	r.runs++
	if !got.OK() {
		t.Logf("%s, d = %d, seed %d, probe %v: %s; %s", r.name, r.d, s.seed, probe, got.Reason, words)
		return
	}
	r.answered++
	for i, p := range got.Parameters {
		off := math.Abs(p.Total - want[i])
		r.all++
		if off <= p.Error+0.003 { // brute force has an error, too
			r.inside++
		}
		r.worst = max(r.worst, off)
		r.claimed = max(r.claimed, p.Error)
	}
	t.Logf("%s, d = %d, seed %d, probe %v: explained %.6f of %d; %s", r.name, r.d, s.seed, probe, got.Explained, got.HeldOut, words)
}

// The table of docs/data/sensitivity.md: whole runs of Minimize and Probe in three kinds of frames.
func TestTable(t *testing.T) {
	if !*flags.Whole {
		t.Skip("takes minutes; -whole runs it")
	}
	var b strings.Builder
	b.WriteString("| function | d | run | runs | with an answer | largest deviation | largest claimed error | within it |\n|---|---|---|---|---|---|---|---|\n")
	for _, probe := range []bool{false, true} {
		for _, r := range rows() {
			for k, how := range []string{"orthogonal", "skew", "sparse"} {
				s := newSubject(r.d, how, r.kinds, uint64(31+k))
				r.do(s)
				want, _, _ := s.naive(min(2_000_000, max(200_000, 50_000_000/(s.d*s.d))))
				r.measure(t, s, want, probe)
			}
			name := map[bool]string{false: "minimize", true: "probe"}[probe]
			fmt.Fprintf(&b, "| %s | %d | %s | %d | %d |", r.name, r.d, name, r.runs, r.answered)
			if r.answered == 0 {
				b.WriteString(" | | |\n")
				continue
			}
			fmt.Fprintf(&b, " %.4f | %.4f | %d of %d |\n", r.worst, r.claimed, r.inside, r.all)
			if !probe && r.worst > 0.02 {
				t.Errorf("%s, d = %d: an index is off by %.4f", r.name, r.d, r.worst)
			}
			if r.inside*5 < r.all*4 {
				t.Errorf("%s, d = %d, %s: only %d of %d are within their errors", r.name, r.d, name, r.inside, r.all)
			}
		}
	}
	t.Log("\n" + b.String())
	if !*flags.Update {
		return
	}
	const file, from, to = "../../docs/data/sensitivity.md", "<!-- table -->\n", "<!-- end -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), from)
	_, tail, also := strings.Cut(rest, to)
	if !ok || !also {
		t.Fatalf("%s has no place for the table", file)
	}
	if err := os.WriteFile(file, []byte(head+from+b.String()+to+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
