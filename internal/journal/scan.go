package journal

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// A scanner reads the frames of a file in order and checks that each follows from the one
// before it.
type scanner struct {
	file io.ReaderAt
	size int64

	end      int64 // of the last whole frame
	sequence uint64
	sum      uint32 // of the last whole frame
	version  int    // of the file

	buffered *bufio.Reader
	frame    []byte
}

// errBad says that no frame follows that belongs there.
var errBad = errors.New("no whole frame")

// scan starts behind the preamble.
func scan(file io.ReaderAt, size int64) *scanner {
	begin := int64(preambleBytes)
	front := make([]byte, preambleBytes)
	if n, _ := file.ReadAt(front, 0); n < len(front) {
		front = preamble() // begin says what is wrong
	}
	return &scanner{
		file: file, size: size, end: begin, sum: checksum(front), version: versionOf(front),
		buffered: bufio.NewReaderSize(io.NewSectionReader(file, begin, size-begin), int(window(size))),
	}
}

// window returns how many bytes of a file are read at once.
func window(size int64) int64 { return max(64, min(size, 1<<18)) }

// next returns the payload of the next frame, which is valid until the next call. It returns
// io.EOF at the end of the file, and errBad if what follows is not the next frame.
func (s *scanner) next() ([]byte, error) {
	if s.end >= s.size {
		return nil, io.EOF
	}
	front, err := s.buffered.Peek(headBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	h, ok := readHead(front)
	if !ok || h.sequence != s.sequence || h.previous != s.sum || s.end+int64(h.bytes()) > s.size {
		return nil, errBad
	}
	s.frame = slices.Grow(s.frame[:0], h.bytes())[:h.bytes()]
	if _, err := io.ReadFull(s.buffered, s.frame); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF { // the file has become shorter
			err = errBad
		}
		return nil, err
	}
	payload, sum, whole := openFrame(s.frame)
	if !whole {
		return nil, errBad
	}
	s.end += int64(len(s.frame))
	s.sequence++
	s.sum = sum
	return payload, nil
}

// whole returns whether the file has a whole frame anywhere from the byte at on, whether or
// not it belongs there.
func (s *scanner) whole(at int64) (bool, error) {
	buffer := make([]byte, window(s.size))
	for at < s.size {
		n, err := s.file.ReadAt(buffer[:min(int64(len(buffer)), s.size-at)], at)
		if err != nil && err != io.EOF {
			return false, err
		}
		for from := 0; ; {
			i := bytes.Index(buffer[from:n], []byte(marker))
			if i < 0 {
				break
			}
			found, err := s.wholeAt(at + int64(from+i))
			if found || err != nil {
				return found, err
			}
			from += i + 1
		}
		if n < len(buffer) || at+int64(n) >= s.size {
			return false, nil
		}
		at += int64(n - len(marker) + 1) // a marker may lie across two windows
	}
	return false, nil
}

// wholeAt returns whether there is a whole frame at a byte.
func (s *scanner) wholeAt(at int64) (bool, error) {
	var front [headBytes]byte
	if n, err := s.file.ReadAt(front[:], at); n < len(front) {
		return false, notEOF(err)
	}
	h, ok := readHead(front[:])
	if !ok || at+int64(h.bytes()) > s.size {
		return false, nil
	}
	data := make([]byte, h.bytes())
	if n, err := s.file.ReadAt(data, at); n < len(data) {
		return false, notEOF(err)
	}
	_, _, whole := openFrame(data)
	return whole, nil
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// unborn reports whether the file is the beginning of a journal that ends within its
// header, as a program leaves it that is killed while it makes one.
func unborn(file io.ReaderAt, size int64) (bool, error) {
	for _, v := range []uint32{version, several} {
		if young, err := unbornOf(v, file, size); young || err != nil {
			return young, err
		}
	}
	return false, nil
}

// unbornOf reports so of a journal of a version.
func unbornOf(version uint32, file io.ReaderAt, size int64) (bool, error) {
	want := preambleOf(version)
	header := beginFrame(nil)
	header, _ = sealFrame(header, 0, checksum(want))
	want = append(want, header[:headBytes]...)
	got := make([]byte, min(int64(len(want)), size))
	if n, err := file.ReadAt(got, 0); n < len(got) {
		return false, notEOF(err)
	}
	const lengthAt = len(magic) + 4 + len(marker)
	length := got[min(lengthAt, len(got)):min(lengthAt+4, len(got))]
	if len(length) == 4 {
		n := binary.LittleEndian.Uint32(length)
		if n < 1 || n > longestPayload || int64(preambleBytes+headBytes+sumBytes)+int64(n) <= size {
			return false, nil
		}
	}
	copy(want[lengthAt:], length) // may be anything
	return bytes.HasPrefix(want, got), nil
}
