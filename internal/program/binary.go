package program

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

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
