package program

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/parameter"
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

// lines writes a point as a line of values with one space between them, and reads a line
// with one number, or with all that an answer has.
type lines struct {
	shape
	space parameter.Space // how values are written
}

func (l lines) encode(dst []byte, jobs []job) ([]byte, int) {
	for i, v := range jobs[0].point {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendValue(dst, l.space, i, v)
	}
	return append(dst, '\n'), 1
}

func (l lines) decode(text []byte, end bool) (reply, int) {
	line, n := firstLine(text, end)
	if n == 0 {
		return reply{}, 0
	}
	if n == longestReply && text[n-1] != '\n' { // a part of a number would be a wrong one
		return reply{failure: noNumber("the line %s is longer than %d bytes", quoted(line), longestReply), breach: disorder}, n
	}
	if l.width > 0 {
		return l.row(line, text[n-1] == '\n'), n
	}
	v, ok := parseNumber(string(line))
	if ok && text[n-1] != '\n' { // it may be the beginning of a number
		failure := noNumber("the program ended within the line %s", quoted(line))
		return reply{failure: failure, breach: half, start: fmt.Errorf("%s: it should print the end of the line after each number", failure.Detail)}, n
	}
	if ok {
		return valued(0, v), n
	}
	r := reply{failure: noNumber("the line %s is no number", quoted(line)), breach: disorder}
	if words := bytes.Fields(line); len(words) > 1 && allNumbers(words) {
		r.failure = noNumber("the line %s has several numbers", quoted(line))
		r.start = fmt.Errorf("the program answered with several numbers on a line, %s: "+
			"it should print one line with one number for each point", quoted(line))
	}
	return r, n
}

func (lines) window(seconds float64) int { return paced(ahead, seconds) }
func (lines) counted() bool              { return true }

func (lines) surplus(text []byte) error {
	line, n := firstLine(text, false)
	if n == 0 {
		return nil
	}
	return fmt.Errorf("the program printed more lines than it was given points, and so it is not known which line "+
		"belongs to which point: it should print exactly one line for each; the surplus line is %s", quoted(line))
}

func (lines) silence() error {
	return errors.New("the program ended with exit status 0 and printed nothing for its first point: " +
		"it should read one line after the other and print a number for each; " +
		"if it is to be started for every point, use placeholders in its command")
}

// firstLine returns the first line of a text, without its end, and how many bytes it has
// with it; 0 if it is not complete yet. At the end of the output, what is left is a line
// even if it has no end of line. A line that is too long is cut.
func firstLine(text []byte, end bool) (line []byte, n int) {
	if i := bytes.IndexByte(text[:min(len(text), longestReply)], '\n'); i >= 0 {
		return text[:i], i + 1
	}
	if len(text) >= longestReply {
		return text[:longestReply], longestReply
	}
	if end && len(bytes.TrimSpace(text)) > 0 {
		return text, len(text)
	}
	return nil, 0
}

func allNumbers(words [][]byte) bool {
	return !slices.ContainsFunc(words, func(w []byte) bool { _, ok := parseNumber(string(w)); return !ok })
}

// binaries writes n points as a uint32 n and n·d float64, and reads n float64, or n times all that
// an answer has, all little-endian.
type binaries struct {
	timeout time.Duration
	shape
}

func (binaries) encode(dst []byte, jobs []job) ([]byte, int) {
	n := min(len(jobs), max(mostRead/(8*max(len(jobs[0].point), 1)), 1))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	for _, j := range jobs[:n] {
		for _, v := range j.point {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}
	}
	return dst, n
}

func (b binaries) decode(text []byte, _ bool) (reply, int) {
	if len(text) < 8*max(b.width, 1) {
		return reply{}, 0
	}
	if b.width > 0 {
		numbers := make([]float64, b.width)
		_, _ = binary.Decode(text, binary.LittleEndian, numbers) // the length is right
		return b.several(0, numbers), 8 * b.width
	}
	return valued(0, math.Float64frombits(binary.LittleEndian.Uint64(text))), 8
}

// window leaves a program time for all points of a message, which it answers together.
func (b binaries) window(seconds float64) int {
	ahead := float64(ahead)
	if b.timeout > 0 {
		ahead = min(ahead, b.timeout.Seconds()/4)
	}
	return paced(ahead, seconds)
}

func (binaries) counted() bool { return true }

func (binaries) surplus(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return errors.New("the program wrote more than it was asked, and so it is not known which value belongs to which point: " +
		"it should write one float64, 8 bytes, for each point, and nothing else, to its standard output")
}

func (binaries) silence() error {
	return errors.New("the program ended with exit status 0 and wrote nothing for its first point: " +
		"it should read a uint32 n and n points, write n float64 and go on until its input ends")
}
