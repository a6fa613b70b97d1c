package line

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
)

// A sample is a point of a line and the value there.
type sample struct{ t, value float64 }

// A track is what is known of a line.
type track struct {
	r    Range
	seen []sample // ascending in t
	open bool
	fits []*fit // under noise: the wells that may be the deepest, the deepest first
}

// add takes notice of a value. One that is not a number counts as large.
func (l *track) add(t, value float64) {
	if math.IsNaN(value) {
		value = math.Inf(1)
	}
	l.seen = append(l.seen, sample{t, value})
}

// sort puts what was added in its place.
func (l *track) sort() {
	slices.SortFunc(l.seen, func(a, b sample) int { return cmp.Compare(a.t, b.t) })
}

// at returns the value seen at t.
func (l *track) at(t float64) float64 {
	k, _ := slices.BinarySearchFunc(l.seen, t, func(s sample, t float64) int { return cmp.Compare(s.t, t) })
	return l.seen[k].value
}

// lowest returns the lowest sample, of equals the one closest to x: a plateau does
// not lead away.
func (l *track) lowest() sample {
	return slices.MinFunc(l.seen, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(math.Abs(a.t), math.Abs(b.t)))
	})
}

// wells returns the indices of the n deepest samples that are lower than both of
// their neighbours, by how deep parabolas through the three are.
func (l *track) wells(n int) []int {
	var all []int
	for k := 1; k+1 < len(l.seen); k++ {
		if s := l.seen; s[k].value <= s[k-1].value && s[k].value < s[k+1].value {
			all = append(all, k)
		}
	}
	depth := func(k int) float64 { return l.vertex(k).value }
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(depth(a), depth(b)) })
	return all[:min(n, len(all))]
}

// curvature returns the largest second derivative of parabolas through three samples that
// follow each other.
func (l *track) curvature() float64 {
	most := 0.0
	for k := 1; k+1 < len(l.seen); k++ {
		a, b, c := l.seen[k-1], l.seen[k], l.seen[k+1]
		bend := 2 * ((c.value-b.value)/(c.t-b.t) - (b.value-a.value)/(b.t-a.t)) / (c.t - a.t)
		if bend > most && !math.IsInf(bend, 1) {
			most = bend
		}
	}
	return most
}

// bottom returns how far apart sample k and its neighbours are, up to g, and how low a minimum between them can be: with
// curvatures of at most K it is no more than K g²/8 below k. K is the largest that the line shows.
func (l *track) bottom(k int) (gap, value float64) {
	p := l.seen
	gap = max(p[k].t-p[k-1].t, p[k+1].t-p[k].t)
	return gap, p[k].value - float64(l.curvature()*gap*gap/8)
}

// vertex returns the lowest point of the parabola through sample k and its
// neighbours.
func (l *track) vertex(k int) sample { return vertex(l.seen[k-1], l.seen[k], l.seen[k+1]) }

// profile returns what was seen along line j. Rounding can make several wells of
// one: of those closer together than the grid is wide only the deepest counts.
func (l *track) profile(j int) frame.Profile {
	lowest := l.lowest()
	if len(l.fits) > 0 && !l.atEnd(lowest) {
		lowest = l.fits[0].well
	}
	p := frame.Profile{Component: j, Open: l.open, Wells: []frame.Well{{Y: lowest.t, Value: lowest.value}}}
	for _, f := range l.fits {
		add(&p, f.well, lowest, l.r.Step)
	}
	for _, s := range l.seen {
		p.Y, p.Value = append(p.Y, s.t), append(p.Value, s.value)
	}
	for _, k := range l.wells(len(l.seen)) {
		add(&p, l.vertex(k), lowest, l.r.Step)
	}
	slices.SortStableFunc(p.Wells, func(a, b frame.Well) int { return cmp.Compare(a.Value, b.Value) })
	return p
}

// add takes notice of a well, if there is none so near.
func add(p *frame.Profile, v, lowest sample, near float64) {
	if !slices.ContainsFunc(p.Wells, func(deeper frame.Well) bool { return math.Abs(v.t-deeper.Y) < near }) {
		p.Wells = append(p.Wells, frame.Well{Y: v.t, Value: max(v.value, lowest.value)})
	}
}

// atEnd reports whether a sample is at an end of the line.
func (l *track) atEnd(s sample) bool { return s.t == l.seen[0].t || s.t == l.seen[len(l.seen)-1].t }

// vertex returns the lowest point of the parabola through three points, of which the
// middle one is no higher than the others.
func vertex(a, b, c sample) sample {
	left, right := (b.value-a.value)/(b.t-a.t), (c.value-b.value)/(c.t-b.t)
	bend := (right - left) / (c.t - a.t) // half of the second derivative
	if !(bend > 0) || math.IsInf(bend, 1) {
		return b
	}
	slope := left + float64(bend*(b.t-a.t)) // at b
	return sample{b.t - slope/(2*bend), b.value - float64(slope*slope)/(4*bend)}
}
