package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// ends say how far a component is covered.
type ends struct {
	least, most float64   // all that y_j can be within the box
	down, up    []float64 // the last two coordinates of the grid on either side, the last one last
}

// A stretch is a part of a line along a component on which f may be asked.
type stretch struct {
	j      int
	base   []float64
	y      float64   // of base
	lo, hi float64   // the coordinates y_j that it adds to what is known
	wanted []float64 // the coordinates at which f is to be asked next

	seen  []sample // what f is there, before it is tied to the table
	tied  bool
	shift float64 // what f here is more than the table, once it is tied to it
}

// within says in which box f may be asked from now on, as far as that is within the bounds.
func (s *bounded) within(box objective.Box) {
	clampBox(box, s.at.bounds)
	s.box = box
	for j := range s.ends {
		e := &s.ends[j]
		e.least, e.most = 0, 0
		for k, w := range s.at.w.RawRowView(j) {
			e.least += float64(min(w*box.Lo[k], w*box.Hi[k]))
			e.most += float64(max(w*box.Lo[k], w*box.Hi[k]))
		}
	}
}

// cover asks f along component j from lo to hi, for each j, as far as the box has these
// coordinates and they are not yet known. It reports whether every component is known at
// two coordinates at least: if not, f failed nearly everywhere along one. Coarse grids come first, finer ones as long as
// they, a well of each component and Newton's step after it fit into what is left of the budget.
func (s *bounded) cover(ctx context.Context, limits func(j int) (lo, hi float64)) (bool, error) {
	for j := range s.ends {
		lo, hi := limits(j)
		s.extend(j, lo, hi)
	}
	defer s.wantNothing()
	for stride := line.Coarsest; ; stride /= 2 {
		known, err := s.sample(ctx, stride)
		if !known || err != nil || stride == 1 || len(s.due(stride/2))+(2*halvings+newtonStep)*len(s.ends) > s.budget-s.f.queries {
			return known, err
		}
	}
}

func (s *bounded) wantNothing() {
	for _, t := range s.stretches {
		t.wanted = nil
	}
}

// A want is a coordinate of a stretch at which f is wanted.
type want struct {
	t *stretch
	y float64
}

// due returns what is wanted of grids of a stride.
func (s *bounded) due(stride int) (all []want) {
	for _, t := range s.stretches {
		for i, y := range t.wanted {
			if line.Due(i, len(t.wanted)-1, stride) {
				all = append(all, want{t, y})
			}
		}
	}
	return all
}

// extend adds stretches along component j so that all from lo to hi is covered.
func (s *bounded) extend(j int, lo, hi float64) {
	e := &s.ends[j]
	if e.up == nil { // the first one
		middle := between(s.box.Lo, s.box.Hi, 0.5)
		least, most := limits(s.box, middle, s.at.u.RawRowView(j))
		y := s.at.y(j, middle)
		from, to := max(y+least, min(lo, y-s.at.scale[j])), min(y+most, max(hi, y+s.at.scale[j]))
		grid := s.add(j, middle, from, to, nil)
		e.down, e.up = []float64{grid[1], grid[0]}, grid[len(grid)-2:]
	}
	e.up = s.reach(j, 1, e.up, min(hi, e.most))
	e.down = s.reach(j, -1, e.down, max(lo, e.least))
}

// The first samples of a stretch are a grid as that of lines, of at least so many steps,
// for a cubic with its slopes, and at most as many as a grid of package line has.
const (
	leastSamples = 4
	mostSamples  = 400
)

// add adds a stretch through base between two coordinates, on which f is wanted at some that it has in common with others and
// at a grid. It returns the grid, from one coordinate to the other.
func (s *bounded) add(j int, base []float64, from, to float64, common []float64) []float64 {
	n := min(mostSamples, max(leastSamples, int(math.Ceil(math.Abs(to-from)/s.at.scale[j]))))
	grid := make([]float64, n+1)
	for i := range grid {
		grid[i] = from + float64((to-from)*float64(i)/float64(n))
	}
	t := &stretch{j: j, base: base, y: s.at.y(j, base), lo: min(from, to), hi: max(from, to)}
	t.wanted = slices.Concat(common, grid[min(len(common), 1):]) // the last of these is the first of the grid
	s.stretches = append(s.stretches, t)
	return grid
}

// sample asks for what is wanted of grids of a stride and tells the model, and for the point where all minima meet that were
// known before. It reports whether every component is known at two coordinates at least.
func (s *bounded) sample(ctx context.Context, stride int) (bool, error) {
	all := s.due(stride)
	var points [][]float64
	if !slices.ContainsFunc(s.model.phi, func(t *table) bool { return len(t.wells) == 0 }) {
		if there := s.meeting(); s.at.bounds.Contains(there) {
			points = append(points, there) // first, should f end within the batch
		}
	}
	first := len(points)
	values, err := query.Ask(ctx, s.f, first+len(all), func(i int, row []float64) {
		if i < first {
			copy(row, points[i])
			return
		}
		q := all[i-first]
		copy(row, q.t.base)
		s.at.move(row, q.y-q.t.y, q.t.j)
		clamp(row, s.box) // rounding
	})
	if err != nil {
		return false, err
	}
	for i, q := range all {
		q.t.seen = append(q.t.seen, sample{y: q.y, value: values[first+i]})
	}
	for _, t := range s.stretches {
		s.model.phi[t.j].add(t)
	}
	for j, t := range s.model.phi {
		if len(t.samples) < 2 {
			return false, nil
		}
		if t.fill(s.at.scale[j] / fine); len(t.wells) == 0 { // values overflow
			return false, nil
		}
	}
	return true, nil
}

// meeting returns the point where the deepest wells of all components meet.
func (s *bounded) meeting() []float64 {
	x := slices.Clone(s.f.best.Point)
	for j, t := range s.model.phi {
		s.at.move(x, t.well().y-s.at.y(j, x), j)
	}
	return x
}

// The way to a coordinate is made of up to mostEnds stretches, too few only where the frame is very ill-conditioned. Bases
// are tried for lengths τ that fall by tauFactor, from just below the longest that fits; a shorter one has to reach further
// by reachFactor to be preferred. A stretch of less than half a scale is not worth its samples.
const (
	mostEnds    = 20
	justFits    = 1 - samePlace
	tauFactor   = 1.3
	reachFactor = 1.05
	worthwhile  = 1. / 2
)

// reach adds stretches along u_j that go on from a grid that ends with two given coordinates, up (sign 1) or down to another
// one. Each has the last two coordinates of the one before in common with it, two since f may fail at one. It returns the
// last two of all. The points x from which x − τu_j is in the box too are a smaller box, and ⟨w̃_j, x⟩ is smallest and
// largest in it at two of its corners. (Where u_j is long, since W̃ is ill-conditioned, f can be followed only a little along
// it.)
func (s *bounded) reach(j int, sign float64, last []float64, until float64) []float64 {
	longest := math.Inf(1)
	for k, v := range s.at.u.RawRowView(j) {
		longest = min(longest, (s.box.Hi[k]-s.box.Lo[k])/math.Abs(v))
	}
	for range mostEnds {
		var base []float64
		y := last[0]
		far, most := 0.0, sign*(until-y)
		for tau := longest * justFits; tau >= s.at.scale[j] && far < most; tau /= tauFactor {
			low, high := s.corners(j, sign, tau)
			from, to := float64(sign*(s.at.y(j, low)-y)), float64(sign*(s.at.y(j, high)-y))
			if reach := min(tau, to, most); reach >= from && reach > reachFactor*far {
				far, base = reach, between(low, high, (reach-from)/(to-from))
			}
		}
		if far < float64(sign*(last[1]-y))+float64(worthwhile*s.at.scale[j]) {
			break
		}
		grid := s.add(j, base, last[1], s.at.y(j, base), last)
		last = grid[len(grid)-2:]
	}
	return last
}

// goesOn reports whether component j can be followed further within the box, up (sign 1) or down, or the box be made wider.
func (s *bounded) goesOn(j int, sign float64) bool {
	e := s.ends[j]
	room := e.most - e.up[1]
	if sign < 0 {
		room = e.down[1] - e.least
	}
	if room > worthwhile*s.at.scale[j] {
		return true
	}
	for k, w := range s.at.w.RawRowView(j) {
		if sign*w > 0 && s.box.Hi[k] < s.at.bounds.Hi[k] || sign*w < 0 && s.box.Lo[k] > s.at.bounds.Lo[k] {
			return true
		}
	}
	return false
}

// corners returns the corners of the smaller box at which sign·⟨w̃_j, x⟩ is smallest and largest.
func (s *bounded) corners(j int, sign, tau float64) (low, high []float64) {
	low, high = make([]float64, len(s.box.Lo)), make([]float64, len(s.box.Lo))
	w, u := s.at.w.RawRowView(j), s.at.u.RawRowView(j)
	for k := range low {
		step := sign * tau * u[k]
		low[k], high[k] = s.box.Lo[k]+max(0, step), s.box.Hi[k]+min(0, step)
		if sign*w[k] < 0 {
			low[k], high[k] = high[k], low[k]
		}
	}
	return low, high
}

// between returns the point a part of the way from a to b.
func between(a, b []float64, part float64) []float64 {
	x := slices.Clone(a)
	for k := range x {
		x[k] += float64(min(max(part, 0), 1) * (b[k] - a[k]))
	}
	return x
}
