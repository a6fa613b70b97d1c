package cluster

import (
	"math"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
)

const (
	// chunkSeconds is how much work a chunk should be: between half and two of them.
	chunkSeconds = 1.0
	// shareOfRest is how much of what is left of a batch a process gets at once.
	shareOfRest = 0.25
	// leastSeconds is how much work a chunk should be at least, as far as each process gets
	// one: less is not worth a message.
	leastSeconds = 0.02
	// messageSeconds is about how long a chunk and its values are under way. So much work
	// is in a chunk even where other processes get none then.
	messageSeconds = 0.002
	// slackening is how much slower the fastest chunk counts at each later one, and
	// mostQuicker how much faster than the usual it may count.
	slackening  = 1.1
	mostQuicker = 16
	// memory is how much of an old measurement is kept when a new one comes.
	memory = 0.5
)

// A pace knows how long points take, and how large chunks should be. The zero value knows
// nothing yet.
type pace struct {
	seconds float64 // a point; 0: not known
	quick   float64 // a point of the fastest chunk of late: on a busy machine others have waited
}

// tells reports whether an answer says how long points take. A point that fails at once
// says nothing of those that do not.
func (p *pace) tells(a objective.Answer) bool {
	return !math.IsInf(a.Value, 1) || p.seconds > 0 && a.Seconds > p.seconds
}

// learn takes the seconds that n points took, as their worker has measured them.
func (p *pace) learn(n int, seconds float64) {
	if n < 1 || !(seconds >= 0) || math.IsInf(seconds, 1) {
		return
	}
	each := max(seconds/float64(n), 1e-9)
	if p.seconds == 0 {
		p.seconds, p.quick = each, each
		return
	}
	p.quick = min(each, slackening*p.quick)
	p.seconds = memory*p.seconds + (1-memory)*each
}

// size returns how many of the points that are left go into a chunk, if so many processes
// share them and most fit into one: as many as take chunkSeconds, at most a quarter of what is
// left for each process, and one where nothing is known yet. Where points take so little
// time that a message takes longer, each process gets its whole share at once, and fewer
// processes get any if their shares are not worth a message.
func (p *pace) size(left, procs, most int) int {
	n := 1
	if p.seconds > 0 {
		procs = max(procs, 1)
		n = min(int(min(chunkSeconds/p.seconds, wire.MostPoints)), int(shareOfRest*float64(left)/float64(procs)))
		n = max(n, min(int(min(leastSeconds/p.seconds, wire.MostPoints)), (left+procs-1)/procs))
		n = max(n, int(min(messageSeconds/max(p.quick, p.seconds/mostQuicker), wire.MostPoints)))
	}
	n = min(max(min(n, most), 1), left)
	chunks := (left + n - 1) / n
	return (left + chunks - 1) / chunks // the last one is as long as the others
}

// usual returns how long n points usually take; 0: nobody knows.
func (p *pace) usual(n int) time.Duration {
	return time.Duration(min(p.seconds*float64(n), 1e9) * float64(time.Second))
}
