package sensitivity

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Seen keeps the queries of a run: Observe is for untwist.Options.Observe. It keeps the first
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

// Observe takes notice of queries. What failed is not kept.
func (s *Seen) Observe(points *mat.Dense, values []float64) {
	for i, v := range values {
		n := s.count
		s.count++
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		row := points.RawRowView(i)
		if len(s.first) < s.most*(s.dim+1) {
			s.first = append(append(s.first, row...), v)
			continue
		}
		if n%s.stride != 0 {
			continue
		}
		s.later = append(append(s.later, row...), v)
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
