package rng

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/untwist/untwist/internal/kernel"
)

// gaussian makes Gaussian numbers in advance, many at a time.
type gaussian struct {
	root  [sha256.Size]byte
	state *kernel.Chance // nil until a number is asked for
	made  [32 * kernel.GaussBlock]float64
	next  int // index of the first number in made that has not been taken
}

// take returns the next numbers, at least one and at most n > 0. They are valid until
// the next call.
func (g *gaussian) take(n int) []float64 {
	if g.state == nil {
		g.state = chance(g.root)
		g.next = len(g.made)
	}
	if g.next == len(g.made) {
		kernel.Gauss(g.made[:], g.state)
		g.next = 0
	}
	taken := g.made[g.next:min(g.next+n, len(g.made))]
	g.next += len(taken)
	return taken
}

// chance seeds each generator with a hash of root and the generator's number.
func chance(root [sha256.Size]byte) *kernel.Chance {
	var state kernel.Chance
	for i := range state[0] {
		h := sha256.Sum256(append(root[:], 'g', byte(i)))
		for w := range state {
			state[w][i] = binary.LittleEndian.Uint64(h[8*w:])
		}
	}
	return &state
}
