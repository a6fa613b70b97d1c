// Package rng turns one seed into any number of named, independent streams of
// random numbers.
//
// A stream depends only on the seed and its name:
//
//	noise := rng.Seed(7).Stream("cbo", "noise", run)
//
// draws the same numbers whatever else is drawn, in any order. Different names
// give independent streams, because the state of a generator is a cryptographic
// hash of seed and name.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Seed is the one number from which all randomness of a run follows.
type Seed uint64

// Stream returns the stream with the given name, at its beginning. The parts of a
// name are strings and ints; Stream panics on any other type.
func (s Seed) Stream(name ...any) *Stream {
	h := s.hash(name)
	source := rand.NewPCG(binary.LittleEndian.Uint64(h[0:]), binary.LittleEndian.Uint64(h[8:]))
	return &Stream{Rand: rand.New(source), gauss: gaussian{root: h}}
}

// hash digests seed and name. Each part is written with its kind and length, so
// that no two names give the same bytes: ("a", "b") differs from ("ab").
func (s Seed) hash(name []any) [sha256.Size]byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(s))
	for _, part := range name {
		switch p := part.(type) {
		case string:
			b = append(b, 's')
			b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
			b = append(b, p...)
		case int:
			b = append(b, 'i')
			b = binary.LittleEndian.AppendUint64(b, uint64(p))
		default:
			panic(fmt.Sprintf("rng: a stream's name is made of strings and ints, not of %T", part))
		}
	}
	return sha256.Sum256(b)
}

// A Stream is a sequence of random numbers, together with an independent sequence
// of Gaussian numbers.
type Stream struct {
	*rand.Rand
	gauss gaussian
}

// Norm fills dst with independent N(0, 1) numbers. The numbers are the same whether
// they are taken one by one or many at a time.
func (s *Stream) Norm(dst []float64) {
	for len(dst) > 0 {
		dst = dst[copy(dst, s.gauss.take(len(dst))):]
	}
}

// NormFloat64 returns one N(0, 1) number.
func (s *Stream) NormFloat64() float64 { return s.gauss.take(1)[0] }
