package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
)

// wells are the local minima that the first lines have seen, to be looked at again from better points: the first lines were
// made from elsewhere, where an error of the frame times the slopes may have misled them.
type wells struct {
	f  *watched
	at *coordinates

	looked float64        // f where it has looked from; NaN: not yet
	seen   [][]frame.Well // of each single component, the deepest first
	unsure []float64      // how much higher a well may seem and be the deepest
}

// mostWells is how many wells of a component are looked at again. The others are higher than all of these.
const mostWells = 8

// letPass is the height up to which another well is looked at closely, as a part of the
// median of what was seen along its component: as much as a certificate lets pass.
const letPass = 1e-3

func newWells(f *watched, at *coordinates, profiles []frame.Profile) *wells {
	m := len(at.singles)
	w := &wells{f: f, at: at, seen: make([][]frame.Well, m), unsure: make([]float64, m)}
	w.note(ranks.First(m), profiles)
	return w
}

// note takes the wells of components, at.singles[k] for each k, in place of the ones known before.
func (w *wells) note(components []int, profiles []frame.Profile) {
	w.looked = math.NaN()
	for _, k := range components {
		w.seen[k] = nil
	}
	for i, profile := range profiles {
		k := components[i]
		finite := slices.DeleteFunc(slices.Clone(profile.Value), func(v float64) bool { return math.IsInf(v, 1) })
		slices.Sort(finite)
		w.unsure[k] = max(w.unsure[k], letPass*finite[len(finite)/2])
		w.seen[k] = append(w.seen[k], profile.Wells[:min(mostWells, len(profile.Wells))]...)
	}
}

// look asks from the best point whether another well of a component is deeper than the one it is in. A well that is nearly as
// deep is looked at closely, and then wells that may be deeper than they seem.
func (w *wells) look(ctx context.Context) error {
	here := w.f.best.Clone()
	if here.Value == w.looked {
		return nil
	}
	w.looked = here.Value
	all := w.others(here.Point)
	if len(all) == 0 {
		return nil
	}
	w.f.begin(inWells, len(all))
	if err := w.at.ask(ctx, w.f, here.Point, all); err != nil {
		return err
	}
	if err := w.closely(ctx, here, all); err != nil || w.f.best.Value < here.Value {
		return err
	}
	return w.hidden(ctx, here, all) // from where closely has moved it, even if that is no better
}

// others returns the wells in which x is not, as far as they are within the bounds.
func (w *wells) others(x []float64) []shift {
	var all []shift
	for k, wells := range w.seen {
		j := w.at.singles[k]
		for _, well := range wells {
			t := well.Y - w.at.y(j, x)
			least, most := w.at.room(x, j)
			if math.Abs(t) > w.at.scale[j] && t >= least && t <= most {
				all = append(all, shift{k: k, t: t})
			}
		}
	}
	return all
}

// closely minimises along the components in the wells that are nearly as deep as those of a point, moves it to the deepest
// well of each component where one is deeper, and asks for that point.
func (w *wells) closely(ctx context.Context, here query.Best, all []shift) error {
	near := slices.DeleteFunc(slices.Clone(all), func(c shift) bool { return c.value-here.Value > w.unsure[c.k] })
	if len(near) == 0 {
		return nil
	}
	var ranges []line.Range
	var components []int
	for _, c := range near {
		j := w.at.singles[c.k]
		half := float64(w.at.scale[j] / 2)
		ranges, components = append(ranges, w.at.span(here.Point, j, c.t-half, c.t+half)), append(components, j)
	}
	// One well in each range; if it is not inside, the range is doubled once.
	profiles, err := line.Minimize(ctx, w.f, here.Point, here.Value, w.at.directions(components), ranges, line.Config{Wells: 1, Widen: 1})
	if err != nil {
		return err
	}
	var deeper []shift
	for i, p := range profiles {
		if well := p.Wells[0]; well.Value < here.Value {
			deeper = append(deeper, shift{near[i].k, well.Y, well.Value})
		}
	}
	if len(deeper) == 0 {
		return nil
	}
	for _, c := range lowestOfEach(deeper) {
		w.at.move(here.Point, c.t, w.at.singles[c.k])
	}
	clamp(here.Point, w.at.bounds)
	_, err = w.f.ask(ctx, here.Point)
	return err
}

// hidden looks at wells that may be deeper than they seem. Where the frame is rough, walking along one component moves
// others, so that every well of it seems higher than it is. Then differences between wells do not add up:
//
//	|f(x+S) − f(x+S−t_k u_k) − f(x+t_k u_k) + f(x)|,   S = Σ t_k u_k,
//
// with one well t_k for each component, is half of the height of the well or more. Of such wells the lowest are looked at, and
// it goes down in those where the parabola of all components is deeper than x.
func (w *wells) hidden(ctx context.Context, here query.Best, all []shift) error {
	lowest := lowestOfEach(all)
	there := slices.Clone(here.Point)
	for _, c := range lowest {
		w.at.move(there, c.t, w.at.singles[c.k])
	}
	if len(lowest) < 2 || !w.at.bounds.Contains(there) {
		return nil
	}
	points := [][]float64{there}
	for _, c := range lowest {
		x := slices.Clone(there)
		w.at.move(x, -c.t, w.at.singles[c.k])
		clamp(x, w.at.bounds)
		points = append(points, x)
	}
	values, err := w.f.ask(ctx, points...)
	if err != nil {
		return err
	}
	var some []shift
	for i, c := range lowest {
		if higher := c.value - here.Value; higher < 2*math.Abs((values[0]-values[1+i])-higher) {
			some = append(some, c)
		}
	}
	slices.SortStableFunc(some, func(a, b shift) int { return cmp.Compare(a.value, b.value) })
	for _, c := range some[:min(mostWells, len(some))] {
		well := query.Best{Point: slices.Clone(here.Point), Value: c.value}
		w.at.move(well.Point, c.t, w.at.singles[c.k])
		p := &polisher{f: w.f, at: w.at}
		seen, err := p.look(ctx, well.Point, well.Value, finePart)
		if err != nil {
			return err
		}
		if seen.slope == nil || well.Value-seen.gain() < here.Value {
			if _, err := p.seeing(ctx, well, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowestOfEach returns the lowest shift of each component, if it is finite. Those of one component stand together.
func lowestOfEach(all []shift) []shift {
	var lowest []shift
	for _, s := range all {
		last := len(lowest) - 1
		switch {
		case notFinite(s.value):
		case last < 0 || lowest[last].k != s.k:
			lowest = append(lowest, s)
		case s.value < lowest[last].value:
			lowest[last] = s
		}
	}
	return lowest
}
