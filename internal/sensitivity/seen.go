package sensitivity

import (
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// Seen keeps the queries of a run, in the user's units. It keeps the first
// ones, which explore the box, and of all later ones every n-th, where n doubles as often as it
// has to. So what is kept depends on the order of the queries alone, and does not fill the memory.
type Seen struct {
	dim    int
	most   int // of the first, and of the later ones
	count  int // of all
	stride int // of the later ones, one in so many is kept
	first  []float64
	later  []float64
}

const (
	seenBytes = 16 << 20 // what the first may take, and the later ones
	seenRows  = 1 << 15
)

// NewSeen returns a Seen for points of dim coordinates, in the user's units.
func NewSeen(dim int) *Seen {
	return &Seen{dim: dim, most: min(seenRows, max(2, seenBytes/(8*(dim+1)))), stride: 1}
}

// See takes notice of a query. It is for untwist.Options.Seen.
func (s *Seen) See(_ int, point []float64, a objective.Answer) {
	if a.Failure == nil {
		s.take(point, a.Value)
	} else {
		s.take(point, math.Inf(1))
	}
}

// take takes notice of a query. What failed is not kept.
func (s *Seen) take(point []float64, value float64) {
	n := s.count
	s.count++
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
	case len(s.first) < s.most*(s.dim+1):
		s.first = append(append(s.first, point...), value)
	case n%s.stride == 0:
		s.later = append(append(s.later, point...), value)
		if len(s.later) >= s.most*(s.dim+1) {
			s.thin()
		}
	}
}

// thin forgets every second one of the later queries.
func (s *Seen) thin() {
	s.stride *= 2
	wide, kept := s.dim+1, 0
	for k := 0; k < len(s.later); k += 2 * wide {
		kept += copy(s.later[kept:], s.later[k:k+wide])
	}
	s.later = s.later[:kept]
}

// Queries returns how many queries there were, and how many of them are kept.
func (s *Seen) Queries() (all, kept int) {
	return s.count, (len(s.first) + len(s.later)) / (s.dim + 1)
}

// each visits the queries that are kept, in order. The visitor must not keep the point.
func (s *Seen) each(visit func(point []float64, value float64)) {
	for _, part := range [][]float64{s.first, s.later} {
		for row := range slices.Chunk(part, s.dim+1) {
			visit(row[:s.dim], row[s.dim])
		}
	}
}
