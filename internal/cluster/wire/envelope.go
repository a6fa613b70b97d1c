package wire

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/untwist/untwist/internal/words"
)

// Points and values travel in envelopes, of which MESSAGES.md has the bytes. Whatever arrives is checked in full before anything of it is used: anybody may have
// written it.
const (
	magic = "utw"
	// Version is that of all messages.
	Version = 1

	chunkKind  = 'C'
	valuesKind = 'V'

	headBytes = len(magic) + 1 + 1 + runBytes
	sumBytes  = 4
	runBytes  = 8
)

// What a message may hold at most.
const (
	// LongestMessage is how long a message may be: NATS servers take no longer ones by
	// default.
	LongestMessage = 1 << 20
	// MostBytes is how long a chunk or values should be. Only a chunk of a single point may
	// be longer.
	MostBytes = 256 << 10
	// MostPoints is how many points a chunk may have. The values of so many, with a
	// reason for the failure of each, fit into MostBytes.
	MostPoints = 1024
	// MostDim is how many numbers a point may have, so that one fits into the
	// longest message.
	MostDim = 130_000
	// longestName is how long the name of a worker may be, longestDetail how long the
	// words about a failure, MostSkips how many workers a chunk may be kept from.
	longestName   = 64
	longestDetail = 200
	MostSkips     = 64
	// highest is the highest number that a query may have.
	highest = 1 << 53
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A RunID tells the runs on a server apart: 16 hexadecimal digits.
type RunID [runBytes]byte

// ParseRunID reads 16 hexadecimal digits.
func ParseRunID(text string) (id RunID, err error) {
	digits, err := hex.DecodeString(text)
	if err != nil || len(digits) != runBytes {
		return RunID{}, fmt.Errorf("%.40q is not the ID of a run, which has %d hexadecimal digits", text, 2*runBytes)
	}
	copy(id[:], digits)
	return id, nil
}

func (id RunID) String() string { return hex.EncodeToString(id[:]) }

// seal returns an envelope. fill appends what is inside.
func seal(kind byte, run RunID, room int, fill func(dst []byte) []byte) []byte {
	dst := make([]byte, 0, headBytes+room+sumBytes)
	dst = append(append(append(dst, magic...), Version, kind), run[:]...)
	dst = fill(dst)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst, castagnoli))
}

// A BadMessageError says what is wrong with a message that has arrived.
type BadMessageError struct{ Reason string }

func (e *BadMessageError) Error() string { return "a message that cannot be used: " + e.Reason }

func bad(format string, args ...any) error {
	return &BadMessageError{Line(fmt.Sprintf(format, args...), LongestWords)}
}

// open checks an envelope of a kind and returns a letter that reads what is inside.
func open(kind byte, message []byte) (RunID, *letter, error) {
	var run RunID
	switch {
	case len(message) < headBytes+sumBytes:
		return run, nil, bad("%d bytes are too few", len(message))
	case string(message[:len(magic)]) != magic:
		return run, nil, bad("it is not one of ours")
	case message[len(magic)] != Version:
		return run, nil, bad("its format has version %d, and this program speaks version %d: use the same program everywhere", message[len(magic)], Version)
	}
	body, sum := message[:len(message)-sumBytes], binary.LittleEndian.Uint32(message[len(message)-sumBytes:])
	switch {
	case crc32.Checksum(body, castagnoli) != sum:
		return run, nil, bad("its checksum is wrong")
	case body[len(magic)+1] != kind:
		return run, nil, bad("it is of the kind %q, not %q", body[len(magic)+1], kind)
	}
	copy(run[:], body[headBytes-runBytes:])
	return run, &letter{rest: body[headBytes:]}, nil
}

// A letter is read from front to back. Reading past its end gives zeros, and is remembered.
type letter struct {
	rest  []byte
	short bool
}

var errShort = errors.New("the message is too short")

// take returns the next n bytes, nil if there are fewer.
func (l *letter) take(n int) []byte {
	if n < 0 || n > len(l.rest) {
		l.short, l.rest = true, nil
		return nil
	}
	taken := l.rest[:n]
	l.rest = l.rest[n:]
	return taken
}

// number reads a number of a type, 0 if there are too few bytes.
func number[T byte | uint16 | uint32 | uint64 | float64](l *letter) (v T) {
	_, _ = binary.Decode(l.take(binary.Size(v)), binary.LittleEndian, &v)
	return v
}

// name reads a worker's name: a byte for its length, and its letters.
func (l *letter) name() (string, error) {
	name := string(l.take(int(number[byte](l))))
	if l.short {
		return "", bad("%v", errShort)
	}
	return name, CheckName(name)
}

// CheckName checks the name of a worker: it is shown to people, and part of files.
func CheckName(name string) error {
	if name == "" || len(name) > longestName {
		return bad("the name of a worker has %d letters, and may have 1 to %d", len(name), longestName)
	}
	for _, r := range []byte(name) {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '.' || r == '_') {
			return bad("the name of a worker is %q: only letters, digits, dots and dashes may be in it", name)
		}
	}
	return nil
}

func appendName(dst []byte, name string) []byte { return append(append(dst, byte(len(name))), name...) }

// firstNumber reads the number of a chunk's first query.
func (l *letter) firstNumber() (int, error) {
	first := number[uint64](l)
	if first < 1 || first > highest {
		return 0, bad("the number of its first query is %d", first)
	}
	return int(first), nil
}

// printable reports whether a text can be shown in a line. Some terminals obey characters
// that cannot be seen.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Line returns a text that can be shown in a line of at most so many bytes: what cannot be
// seen becomes a space.
func Line(text string, most int) string {
	return words.Cut(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�")), most)
}
