package line

import "math"

// A Query is the point x + T u of a line.
type Query struct {
	Line int // which line, from 0
	T    float64
}

// Coarsest is the stride of the first points of a grid that is asked for from coarse to fine.
const Coarsest = 4

// Due reports whether point k of a grid, 0 ≤ k ≤ n, belongs to those of a stride, and to none of a longer one: two at either
// end, and every Coarsest-th, are of the longest. Stride 0 has all.
func Due(k, n, stride int) bool {
	first := k%Coarsest == 0 || k < 2 || k > n-2
	switch stride {
	case 0:
		return true
	case Coarsest:
		return first
	}
	return !first && k%stride == 0 && k%(2*stride) != 0
}

// explore looks along all lines for the first time.
func (s *search) explore() error {
	stride := 0
	if s.cfg.Meet.Lo != nil {
		stride = Coarsest
	}
	for ; ; stride /= 2 {
		for j, l := range s.lines {
			s.plan(j, l.r.Lo, l.r.Hi, mostPoints, stride)
		}
		if err := s.ask(); err != nil {
			return err
		}
		if stride <= 1 {
			s.explored = true
			return s.widen()
		}
	}
}

const (
	// mostPoints is how many points a grid has at most, so that a step that is far
	// too small does not spend the budget on one line.
	mostPoints = 400
	// fineRounds is how often a range is doubled with as fine a grid as before:
	// until it is eight times as wide.
	fineRounds = 3
	// coarsePoints is how many points a grid has at most from then on, when all
	// that is asked is where f stops falling.
	coarsePoints = 16
)

// sameAs is how near to x a point of a grid is taken for x, in steps of the grid. Two
// samples in one place would hide a well that is beside them.
const sameAs = 1e-3

// plan puts the points of a grid that are of a stride on the queue, without x, where f is known.
func (s *search) plan(j int, lo, hi float64, most, stride int) {
	step := s.lines[j].r.Step
	n := min(most, max(2, int(math.Ceil((hi-lo)/step))))
	for k := range n + 1 {
		if t := lo + (hi-lo)*float64(k)/float64(n); Due(k, n, stride) && (math.Abs(t) > sameAs*step || k == 0 || k == n) {
			s.queue = append(s.queue, Query{j, t})
		}
	}
}

// widen doubles ranges whose lowest point is at an end, the first few times with as
// fine a grid as before, and then with a few points.
func (s *search) widen() error {
	for round := range s.cfg.Widen {
		for j := range s.lines {
			l := &s.lines[j]
			lowest := l.lowest()
			width := l.r.Hi - l.r.Lo
			l.open = false
			if lowest.t <= l.r.Lo && l.r.Lo > l.r.Least {
				lo := max(l.r.Least, l.r.Lo-width)
				s.plan(j, lo, l.r.Lo-min(l.r.Step, (l.r.Lo-lo)/2), atMost(round), 0)
				l.r.Lo, l.open = lo, true
			} else if lowest.t >= l.r.Hi && l.r.Hi < l.r.Most {
				hi := min(l.r.Most, l.r.Hi+width)
				s.plan(j, l.r.Hi+min(l.r.Step, (hi-l.r.Hi)/2), hi, atMost(round), 0)
				l.r.Hi, l.open = hi, true
			}
		}
		if len(s.queue) == 0 {
			return nil
		}
		if err := s.ask(); err != nil {
			return err
		}
	}
	return nil
}

// atMost is how many points a widening may have.
func atMost(round int) int {
	if round < fineRounds {
		return mostPoints
	}
	return coarsePoints
}
