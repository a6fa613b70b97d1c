package rng

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/untwist/untwist/internal/kernel"
)

// gaussian makes Gaussian numbers in advance, some at a time.
type gaussian struct {
	root  [sha256.Size]byte
	state *kernel.Chance // nil until a number is asked for
	made  [32 * kernel.GaussBlock]float64
	next  int // the first of those made that has not been taken
}

// take returns the next numbers, at least one and at most n > 0. They stay
// there until more are made.
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

// chance seeds each generator by a hash of root and its number.
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
