package cbo

import "github.com/untwist/untwist/internal/rng"

// A batch chooses which particles take part in a step: the first size of a
// random permutation of all, then the next, and a new permutation when fewer
// than size are left (Carrillo, Jin, Li and Zhu 2021). Where all take part,
// they do so in their own order, and no random number is drawn.
type batch struct {
	members []int // those that take part now
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
