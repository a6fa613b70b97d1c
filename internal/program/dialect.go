package program

import (
	"math"

	"github.com/untwist/untwist/objective"
)

// A dialect is how points and answers are written on the pipes of a kept program.
type dialect interface {
	// encode appends a message with the first of these points, at least one of them, to
	// dst. It returns how many points the message has.
	encode(dst []byte, jobs []job) ([]byte, int)
	// decode reads the first answer in what the program has written and returns how many
	// bytes it has; 0: it is not complete yet. At the end of the output, what is left is
	// all there is.
	decode(text []byte, end bool) (reply, int)
	// window is how many points may be without an answer at the same time, if an answer
	// takes so many seconds.
	window(seconds float64) int
	// counted says that answers have no id: which point they are for is known by counting.
	counted() bool
	// surplus says what is wrong with output for which there was no point; nil: nothing
	// is wrong so far.
	surplus(text []byte) error
	// silence says what is wrong with a program that ended without a word.
	silence() error
}

// A reply is what a program has written for one point.
type reply struct {
	query   int // whose answer it is; 0: that of the first point without an answer
	value   float64
	numbers []float64          // if an answer has several; value is what they come to
	failure *objective.Failure // the point failed; nil: it did not
	breach  breach
	offset  int   // where it starts in what was heard
	stop    error // stops the run
	start   error // stops the run if the program has never given an answer in the right form
}

// answer is a value, or why there is none.
func (r reply) answer(seconds float64) objective.Answer {
	if r.failure != nil {
		r.value = math.Inf(1)
	}
	return objective.Answer{Value: r.value, Failure: r.failure, Numbers: r.numbers, Seconds: seconds}
}

// A breach is how a reply breaks the protocol.
type breach uint8

const (
	noBreach breach = iota // it does not
	// disorder: the reply is bad, and it is not certain which point the next one is for.
	disorder
	// half: the output has ended within the reply, and the next one is not certain either.
	half
	// blank: it says nothing, and is not counted.
	blank
	// stray: it is not certain which point the reply is for.
	stray
)

// several is a reply of several numbers.
func (s shape) several(query int, numbers []float64) reply {
	a := s.reading.Read(objective.Answer{Numbers: numbers})
	return reply{query: query, value: a.Value, failure: a.Failure, numbers: a.Numbers}
}

// valued is a reply that is a number.
func valued(query int, v float64) reply {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return reply{query: query, value: math.Inf(1), failure: notANumber(v)}
	}
	return reply{query: query, value: v}
}

const (
	// ahead is for how many seconds of work a program is given points.
	ahead = 0.010
	// mostAhead is how many points that are at most.
	mostAhead = 1024
	// longestReply is how long a line may be that a program writes.
	longestReply = 1 << 20
)

// paced is the window of a program that answers one point after the other.
func paced(ahead, seconds float64) int {
	if !(float64(seconds*mostAhead) > ahead) {
		return mostAhead
	}
	return max(int(ahead/seconds), 1)
}

// A pace is the mean time of the last answers, a few hundred of them.
type pace struct{ seconds, answers float64 }

func (p *pace) add(seconds float64, answers int) {
	p.seconds += max(seconds, 0)
	p.answers += float64(answers)
	if p.answers > 512 {
		p.seconds /= 2
		p.answers /= 2
	}
}

func (p *pace) mean() float64 { return p.seconds / p.answers }
