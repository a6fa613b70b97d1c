package cbo

import "github.com/untwist/untwist/internal/rng"

// A batch chooses which particles take part in a step. It takes the first size
// particles of a random permutation, then the next, and draws a new permutation
// when fewer than size are left (Carrillo, Jin, Li and Zhu 2021). Where all
// particles take part, they keep their order and no random number is drawn.
type batch struct {
	members []int // the particles that take part in this step
	deck    []int // a permutation of all particles
	next    int
	stream  *rng.Stream
}

func newBatch(n, size int, stream *rng.Stream) *batch {
	b := &batch{members: make([]int, size), deck: make([]int, n), next: n, stream: stream}
	for i := range b.deck {
		b.deck[i] = i
	}
	return b
}

// deal chooses the members of the next step.
func (b *batch) deal() {
	if b.next+len(b.members) > len(b.deck) {
		b.next = 0
		if len(b.members) < len(b.deck) {
			b.stream.Shuffle(len(b.deck), func(i, j int) { b.deck[i], b.deck[j] = b.deck[j], b.deck[i] })
		}
	}
	copy(b.members, b.deck[b.next:])
	b.next += len(b.members)
}
