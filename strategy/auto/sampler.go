package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// A sampler asks f along every component over all that the coordinate y_j can be within a
// box, and makes a model of what it sees.
type sampler struct {
	f         *watched
	at        *coordinates
	box       objective.Box
	model     *model
	stretches []*stretch
}

// A stretch is a part of a line along a component on which f may be asked.
type stretch struct {
	j      int
	base   []float64
	y      float64   // of base
	lo, hi float64   // the coordinates y_j that it has
	wanted []float64 // the coordinates at which f is to be asked next

	tied  bool
	shift float64 // what f here is more than the table, once it is tied to it
}

func newSampler(f *watched, at *coordinates, box objective.Box) *sampler {
	s := &sampler{f: f, at: at, box: box, model: newModel(at.w)}
	middle := between(box.Lo, box.Hi, 0.5)
	for j := range s.model.phi {
		least, most := limits(box, middle, at.u.RawRowView(j))
		y := at.y(j, middle)
		s.stretches = append(s.stretches, s.stretch(j, middle, y+least, y+most))
		for _, sign := range [2]float64{1, -1} {
			s.stretches = append(s.stretches, s.ends(j, sign, y+[2]float64{most, least}[int(1-sign)/2])...)
		}
	}
	return s
}

// stretch returns the one through base between two coordinates.
func (s *sampler) stretch(j int, base []float64, lo, hi float64) *stretch {
	return &stretch{j: j, base: base, y: s.at.y(j, base), lo: lo, hi: hi}
}

// The first samples of a stretch are half a scale apart, finer than a grid of lines since
// what is between them is interpolated; at least so many, for a cubic with its slopes, and
// at most as many as a grid of package line has.
const (
	perScale     = 2
	leastSamples = 8
	mostSamples  = 400
)

// halvings is how often the gaps beside a well are halved then: from half a scale to a
// sixteenth.
const halvings = 3

// learn asks f along all stretches, then looks closer at the wells. It returns nil if f
// failed nearly everywhere along a component.
func (s *sampler) learn(ctx context.Context) (*model, error) {
	for _, t := range s.stretches {
		n := min(mostSamples, max(leastSamples, int(math.Ceil((t.hi-t.lo)/(s.at.scale[t.j]/perScale)))))
		for i := range n + 1 {
			t.wanted = append(t.wanted, t.lo+float64((t.hi-t.lo)*float64(i)/float64(n)))
		}
	}
	if known, err := s.sample(ctx); !known || err != nil {
		return nil, err
	}
	for range halvings {
		for _, t := range s.stretches {
			t.wanted = s.model.phi[t.j].closer(t.lo, t.hi)
		}
		if known, err := s.sample(ctx); !known || err != nil {
			return nil, err
		}
	}
	return s.model, nil
}

// sample asks for all that is wanted and tells the model. It reports whether every
// component is known at two coordinates at least.
func (s *sampler) sample(ctx context.Context) (bool, error) {
	type query struct {
		t *stretch
		y float64
	}
	var all []query
	for _, t := range s.stretches {
		for _, y := range t.wanted {
			all = append(all, query{t, y})
		}
	}
	values, err := objective.Ask(ctx, s.f, len(all), func(i int, row []float64) {
		q := all[i]
		copy(row, q.t.base)
		s.at.move(row, q.y-q.t.y, q.t.j)
	})
	if err != nil {
		return false, err
	}
	for _, t := range s.stretches {
		if n := len(t.wanted); n > 0 {
			s.model.phi[t.j].add(t, values[:n])
			values = values[n:]
		}
	}
	for j, t := range s.model.phi {
		if len(t.samples) < 2 {
			return false, nil
		}
		t.fill(s.at.scale[j] / fine)
	}
	return true, nil
}

// The way to an end of the box is made of up to mostEnds stretches, too few only where the
// frame is very ill-conditioned. Bases are tried for lengths τ that fall by tauFactor, from
// just below the longest that fits; a shorter one has to reach further by reachFactor to be
// preferred. A stretch of less than half a scale is not worth its samples.
const (
	mostEnds    = 20
	justFits    = 1 - 1e-9
	tauFactor   = 1.3
	reachFactor = 1.05
	worthwhile  = 1. / 2
)

// ends returns stretches along u_j that go on from the coordinate y as far up (sign 1)
// or down as y_j can be within the box, each from where the last has ended. The points
// x from which x − τu_j is in the box too are a smaller box, and ⟨w̃_j, x⟩ is smallest
// and largest in it at two of its corners. (Where u_j is long, since W̃ is
// ill-conditioned, f can be followed only a little along it.)
func (s *sampler) ends(j int, sign, y float64) []*stretch {
	longest := math.Inf(1)
	for k, v := range s.at.u.RawRowView(j) {
		longest = min(longest, (s.box.Hi[k]-s.box.Lo[k])/math.Abs(v))
	}
	var all []*stretch
	for range mostEnds {
		var base []float64
		far := 0.0
		for tau := longest * justFits; tau >= s.at.scale[j]; tau /= tauFactor {
			low, high := s.corners(j, sign, tau)
			from, to := float64(sign*(s.at.y(j, low)-y)), float64(sign*(s.at.y(j, high)-y))
			if reach := min(tau, to); reach >= from && reach > reachFactor*far {
				far, base = reach, between(low, high, (reach-from)/(to-from))
			}
		}
		if far < worthwhile*s.at.scale[j] {
			break
		}
		next := s.at.y(j, base)
		all = append(all, s.stretch(j, base, min(y, next), max(y, next)))
		y = next
	}
	return all
}

// corners returns the corners of the smaller box at which sign·⟨w̃_j, x⟩ is smallest
// and largest.
func (s *sampler) corners(j int, sign, tau float64) (low, high []float64) {
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
