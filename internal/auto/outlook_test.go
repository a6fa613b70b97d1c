package auto

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/strategy"
	"pgregory.net/rapid"
)

// sights draws a sight of a few points.
func sights(t *rapid.T) sight {
	s := sight{{0, 0}}
	for _, side := range []float64{-1, 1} {
		at := 0.0
		for range rapid.IntRange(0, 5).Draw(t, "points") {
			at += rapid.Float64Range(0.1, 2).Draw(t, "further")
			s = append(s, glimpse{side * at, rapid.Float64Range(-1, 3).Draw(t, "rise")})
		}
	}
	slices.SortFunc(s, func(a, b glimpse) int { return cmp.Compare(a.t, b.t) })
	return s
}

// The hills of a sight are the largest fall between any two points of which the second is
// further out, and where the first point is that has a lower one behind it.
func TestHillsAreTheLargestFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sights(t)
		want := hill{0, math.Inf(1)}
		for _, a := range s {
			for _, b := range s {
				if a.t*b.t < 0 || math.Abs(b.t) <= math.Abs(a.t) {
					continue
				}
				want.height = max(want.height, a.rise-b.rise)
			}
		}
		got := s.ripple(0)
		if got.height != want.height || (got.height > 0) != (got.away < math.Inf(1)) {
			t.Fatalf("%v: %v, want %v", s, got, want)
		}
		lo, hi := s.within(1)
		for _, p := range s {
			if p.rise <= 1 && (p.t < lo || p.t > hi) {
				t.Fatalf("%v: %v is not within [%v, %v]", s, p, lo, hi)
			}
		}
		if s.deeper(0) != (slices.MinFunc(s, func(a, b glimpse) int { return cmp.Compare(a.rise, b.rise) }).rise < 0) {
			t.Fatalf("%v: deeper %v", s, s.deeper(0))
		}
	})
}

// Along cos, from a minimum: the first hill is seen at π.
func TestTheFirstHill(t *testing.T) {
	s := sight{{0, 0}}
	for k := 1; k < 40; k++ {
		y := 0.2 * float64(k)
		s = append(s, glimpse{y, 1 - math.Cos(y)})
		s = slices.Insert(s, 0, glimpse{-y, 1 - math.Cos(y)})
	}
	if h := s.ripple(1e-12); math.Abs(h.away-math.Pi) > 0.1 || math.Abs(h.height-2) > 0.01 {
		t.Errorf("%v", h)
	}
	if s.bent(1) || !s.bent(5) {
		t.Error("a parabola of the curvature 1 fits, one of 5 does not")
	}
}

// A scan that was fine enough, and whose gains were right, is trusted within its range; it is
// completed within the start box, and otherwise made again.
func TestWhatAScanHasNotSeen(t *testing.T) {
	seen := sight{{-8, 9}, {-4, 0.5}, {-2, 1.5}, {-1, 2}, {0, 0}, {1, 2}, {2, 0.5}, {4, 9}}
	h := hill{1.5, 1}
	for name, c := range map[string]struct {
		scan   scan
		extent float64
		want   [][2]float64
	}{
		"all of it":   {scan{lo: -8, hi: 8, step: 1}, 5, nil},
		"a part":      {scan{lo: -2, hi: 8, step: 1}, 5, [][2]float64{{-5, -2}}},
		"a small box": {scan{lo: -2, hi: 1, step: 1}, 2, [][2]float64{{-4, -2}, {1, 4}}},
		"coarsely":    {scan{lo: -8, hi: 8, step: 1.1}, 5, [][2]float64{{-8, 4}}},
		"amiss":       {scan{lo: -8, hi: 8, step: 1, amiss: 0.4}, 5, [][2]float64{{-8, 4}}},
	} {
		got := slices.DeleteFunc(c.scan.unseen(h, seen, 0, c.extent, 0), func(r [2]float64) bool { return r[0] >= r[1] })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Ranges are cut to what there is for them, and what is near stays.
func TestRangesOfAnOutlookAreCut(t *testing.T) {
	o := &outlook{f: &watched{queries: 128}} // 64 for two ranges, 20 points each
	ranges := []line.Range{{Lo: -3, Hi: 27, Step: 1}, {Lo: -5, Hi: 5, Step: 1}}
	if !o.afford(ranges) || ranges[0].Lo != -3 || ranges[0].Hi != 17 || ranges[1].Lo != -5 || ranges[1].Hi != 5 {
		t.Errorf("%v", ranges)
	}
	if o.spent = 50; o.afford(ranges) {
		t.Error("there is nothing left")
	}
}

// A line that was looked along too coarsely, so that it is in a wrong well, is seen through:
// of y² + 2(1 − cos 20y) along both components, found in the wells next to the deepest.
func TestAnOutlookFindsADeeperWell(t *testing.T) {
	ripple := func(y float64) float64 { return y*y + 2*(1-math.Cos(20*y)) }
	f, at := plane(t, func(x []float64) float64 { return ripple(x[0]) + ripple(x[1]) }, 0.1)
	p := &polisher{f: f, at: at}
	f.best = query.Best{Point: []float64{0.31, -0.62}, Value: ripple(0.31) + ripple(0.62)}
	if err := p.polish(ctx); err != nil {
		t.Fatal(err)
	}
	l := newLines(f, at, 10_000)
	for k := range l.scanned {
		l.scanned[k] = scan{lo: -1, hi: 1, step: 0.5}
	}
	w := newWells(f, at, nil)
	o := &outlook{f: f, at: at, lines: l, wells: w, polisher: p, looked: math.NaN()}
	f.queries = 1000
	again, err := o.look(ctx)
	if err != nil || !again {
		t.Fatalf("again %v, error %v", again, err)
	}
	if x := f.best.Point; math.Abs(x[0]) > 0.05 || math.Abs(x[1]) > 0.05 {
		t.Errorf("at %v", x)
	}
}

// A start box that is much too small or much too wide is noted, another is not.
func TestAWrongStartBoxIsNoted(t *testing.T) {
	for want, c := range map[string]struct{ y, near float64 }{"": {-2, 0.1}, "outside": {-20, 0.1}, "too wide": {0, 0.001}} {
		f, at := plane(t, ellipse, 1)
		f.best.Point = []float64{0.5, c.y}
		o := &outlook{f: f, at: at, near: c.near}
		learnt := &strategy.Learnt{Finding: &identify.Finding{}}
		o.note(learnt)
		notes := strings.Join(learnt.Notes, "")
		if (notes == "") != (want == "") || !strings.Contains(notes, want) {
			t.Errorf("%q: %q", want, notes)
		}
	}
}
