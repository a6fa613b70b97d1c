package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// A file is a preamble and frames. The preamble is the magic and the version. All numbers
// are little-endian. FORMAT.md describes every byte.
const (
	// magic has a byte that no text has, both ends of line, and the end of a DOS file, so
	// that a file that was sent as text is seen.
	magic         = "\x89UTJ\r\n\x1a\n"
	version       = 1
	several       = 2 // the version of a journal whose answers have several numbers; else it is that of a journal of values
	preambleBytes = len(magic) + 4
)

const (
	marker    = "\xc6UJ\x1f"
	headBytes = 20
	sumBytes  = 4
	// longestPayload is the most bytes that a payload may have.
	longestPayload = 128 << 20
)

// The first byte of a payload is its kind.
const (
	headerKind  = 'H' // the header; later ones amend it
	queriesKind = 'Q' // a page of queries
	voidKind    = 'V' // queries before it are void
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// preamble returns the first bytes of a journal of values.
func preamble() []byte { return preambleOf(version) }

// preambleOf returns the first bytes of a journal of a version.
func preambleOf(version uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte(magic), version)
}

// versionOf returns the version of a journal that begins like this; 0: it is another, or none.
func versionOf(front []byte) int {
	for _, v := range []uint32{version, several} {
		if string(front[:min(len(front), preambleBytes)]) == string(preambleOf(v)) {
			return int(v)
		}
	}
	return 0
}

// beginFrame returns an empty frame whose payload is to be appended. It uses the memory of
// buffer.
func beginFrame(buffer []byte) []byte {
	var blank [headBytes]byte
	return append(buffer[:0], blank[:]...)
}

// sealFrame completes a frame and returns it with its sum.
func sealFrame(frame []byte, sequence uint64, previous uint32) ([]byte, uint32) {
	copy(frame, marker)
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(frame)-headBytes))
	binary.LittleEndian.PutUint64(frame[8:], sequence)
	binary.LittleEndian.PutUint32(frame[16:], previous)
	sum := checksum(frame)
	return binary.LittleEndian.AppendUint32(frame, sum), sum
}

// A head is the beginning of a frame.
type head struct {
	length   int // of the payload
	sequence uint64
	previous uint32
}

// readHead reads a head. It reports whether there is one.
func readHead(data []byte) (h head, ok bool) {
	if len(data) < headBytes || string(data[:len(marker)]) != marker {
		return head{}, false
	}
	length := binary.LittleEndian.Uint32(data[4:])
	return head{
		length:   int(length),
		sequence: binary.LittleEndian.Uint64(data[8:]),
		previous: binary.LittleEndian.Uint32(data[16:]),
	}, length >= 1 && length <= longestPayload
}

// bytes returns the length of the whole frame.
func (h head) bytes() int { return headBytes + h.length + sumBytes }

// openFrame returns the payload of a frame of which data is all bytes, and its sum. It
// reports whether the frame is whole.
func openFrame(data []byte) (payload []byte, sum uint32, whole bool) {
	body := len(data) - sumBytes
	sum = binary.LittleEndian.Uint32(data[body:])
	return data[headBytes:body], sum, checksum(data[:body]) == sum
}
