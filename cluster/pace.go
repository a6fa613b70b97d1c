package cluster

import (
	"math"
	"time"

	"github.com/untwist/untwist/cluster/wire"
)

const (
	// chunkSeconds is how much work a chunk should be: between half and two of them.
	chunkSeconds = 1.0
	// shareOfRest is how much of what is left of a batch a process gets at once.
	shareOfRest = 0.25
	// leastSeconds is how much work a chunk should be at least, as far as each process gets
	// one: less is not worth a message.
	leastSeconds = 0.02
	// memory is how much of an old measurement is kept when a new one comes.
	memory = 0.5
)

// A pace knows how long points take, and how large chunks should be. The zero value knows
// nothing yet.
type pace struct {
	seconds float64 // a point; 0: not known
}

// learn takes the seconds that n points took, as their worker has measured them.
func (p *pace) learn(n int, seconds float64) {
	if n < 1 || !(seconds >= 0) || math.IsInf(seconds, 1) {
		return
	}
	each := max(seconds/float64(n), 1e-9)
	if p.seconds == 0 {
		p.seconds = each
		return
	}
	p.seconds = memory*p.seconds + (1-memory)*each
}

// size returns how many of the points that are left, of d numbers each, go into a chunk, if
// so many processes share them: as many as take chunkSeconds, at most a quarter of what is
// left for each process, and one where nothing is known yet. Where points take so little
// time that a message takes longer, each process gets its whole share at once.
func (p *pace) size(left, procs, d int) int {
	n := 1
	if p.seconds > 0 {
		procs = max(procs, 1)
		n = min(int(min(chunkSeconds/p.seconds, wire.MostPoints)), int(shareOfRest*float64(left)/float64(procs)))
		n = max(n, min(int(min(leastSeconds/p.seconds, wire.MostPoints)), (left+procs-1)/procs))
	}
	return min(max(min(n, wire.Fits(d)), 1), left)
}

// usual returns how long n points usually take; 0: nobody knows.
func (p *pace) usual(n int) time.Duration {
	return time.Duration(min(p.seconds*float64(n), 1e9) * float64(time.Second))
}
