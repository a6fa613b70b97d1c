package auto

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
)

// wells are the local minima that the first lines have seen, to be looked at again from
// better points: the first lines were made from elsewhere, where an error of the frame
// times the slopes may have misled them.
type wells struct {
	f  *watched
	at *coordinates

	looked float64        // f where it has looked from; NaN: not yet
	seen   [][]frame.Well // of each single component, the deepest first
	doubt  []float64      // how much higher a well may seem and be the deepest
}

// mostWells is how many wells of a component are looked at again. The others are higher
// than all of these.
const mostWells = 8

// doubtful is the height up to which another well is looked at closely, as a part of the
// median of what was seen along its component: as much as a certificate lets pass.
const doubtful = 1e-3

func newWells(f *watched, at *coordinates, profiles []frame.Profile) *wells {
	m := len(at.singles)
	w := &wells{f: f, at: at, seen: make([][]frame.Well, m), doubt: make([]float64, m)}
	w.note(ranks.First(m), profiles)
	return w
}

// note takes the wells of components, at.singles[k] for each k, in place of those that were
// known.
func (w *wells) note(components []int, profiles []frame.Profile) {
	w.looked = math.NaN()
	for _, k := range components {
		w.seen[k] = nil
	}
	for i, profile := range profiles {
		k := components[i]
		finite := slices.DeleteFunc(slices.Clone(profile.Value), func(v float64) bool { return math.IsInf(v, 1) })
		slices.Sort(finite)
		w.doubt[k] = max(w.doubt[k], doubtful*finite[len(finite)/2])
		w.seen[k] = append(w.seen[k], profile.Wells[:min(mostWells, len(profile.Wells))]...)
	}
}

// look asks from the best point whether another well of a component is deeper than the
// one it is in. A well that is nearly as deep is looked at closely, and then those that may be
// deeper than they seem.
func (w *wells) look(ctx context.Context) error {
	x, fx := slices.Clone(w.f.best.Point), w.f.best.Value
	if fx == w.looked {
		return nil
	}
	w.looked = fx
	all := w.others(x)
	if len(all) == 0 {
		return nil
	}
	w.f.begin(inWells, len(all))
	values, err := query.Ask(ctx, w.f, len(all), func(i int, row []float64) {
		copy(row, x)
		w.at.move(row, all[i].t, w.at.singles[all[i].k])
	})
	if err != nil {
		return err
	}
	for i := range all {
		all[i].value = values[i]
	}
	if err := w.closely(ctx, x, fx, all); err != nil || w.f.best.Value < fx {
		return err
	}
	return w.hidden(ctx, x, fx, all) // from where closely has moved x, even if that is no better
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

// closely minimises along the components in the wells that are nearly as deep as those of
// x, moves x to the deepest well of each component where one is deeper, and asks for that
// point.
func (w *wells) closely(ctx context.Context, x []float64, fx float64, all []shift) error {
	var ranges []line.Range
	var components []int
	for _, c := range all {
		if !(c.value-fx > w.doubt[c.k]) {
			j := w.at.singles[c.k]
			half := float64(w.at.scale[j] / 2)
			ranges = append(ranges, w.at.span(x, j, c.t-half, c.t+half))
			components = append(components, j)
		}
	}
	if len(components) == 0 {
		return nil
	}
	// One well in each range; if it is not inside, the range is doubled once.
	profiles, err := line.Minimize(ctx, w.f, x, fx, w.at.directions(components), ranges, line.Config{Wells: 1, Widen: 1})
	if err != nil {
		return err
	}
	best := map[int]frame.Well{}
	for k, p := range profiles {
		j, well := components[k], p.Wells[0]
		if old, known := best[j]; well.Value < fx && (!known || well.Value < old.Value) {
			best[j] = well
		}
	}
	if len(best) == 0 {
		return nil
	}
	for _, j := range slices.Sorted(maps.Keys(best)) {
		w.at.move(x, best[j].Y, j)
	}
	clamp(x, w.at.bounds)
	return w.f.ask(ctx, x)
}
