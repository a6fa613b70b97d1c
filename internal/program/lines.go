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
)

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
