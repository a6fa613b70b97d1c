package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// A message between the program and its caller is a byte for its kind, a uint32 for the
// length of what follows, and that. Numbers are little-endian, points and values float64.
// The caller begins with a hello; cmd/untwist/MESSAGES.md has the rest.
const (
	kindHello   = 'H' // from the caller: JSON
	kindKnown   = 'K' // from the caller: float64s, known points
	kindAnswers = 'V' // from the caller: uint32 first, uint32 n, float64 seconds each, n float64 (all numbers of each point), failures
	kindStop    = 'S' // from the caller: the run ends, with what it has found

	kindPoints   = 'P' // uint32 n, n·d float64
	kindProgress = 'G' // uint64 queries, budget, failed, float64 best, uint32 k, k float64 (a new best point), text
	kindArray    = 'A' // uint32 length of a name, the name, uint32 rows, uint32 columns, float64s
	kindDrawing  = 'D' // what untwist draw reads
	kindResult   = 'R' // JSON; the last message
)

// mostMessage is how long a message may be.
const mostMessage = 1 << 30

func readMessage(in io.Reader) (kind byte, text []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[1:])
	if n > mostMessage {
		return 0, nil, errors.New("a message is too long")
	}
	text = make([]byte, n)
	_, err = io.ReadFull(in, text)
	return head[0], text, err
}

// A hello is what the caller says first: the parameters, either as boxes or with names, and
// everything else that is no ordinary flag.
type hello struct {
	Dim                 int
	Function, Arguments string
	Bounds, Start       sides
	Parameters          parameter.Space
	Known               int // points that are known, which are the next message
	Frame               [][]float64
	Blocks              [][]int
	Progress            bool
	answered            // what an answer has besides a value, and what is limited
}

// sides are the two ends of each side of a box; nil: there is no end.
type sides [][2]*float64

func (h *hello) read(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(h); err != nil {
		return fmt.Errorf("--caller: %w", err)
	}
	if h.Dim < 1 {
		return errors.New("--caller: there is no dimension")
	}
	return nil
}

// readKnown reads the message of n known points of d numbers.
func readKnown(in io.Reader, n, d int) ([][]float64, error) {
	if n == 0 {
		return nil, nil
	}
	kind, text, err := readMessage(in)
	if err != nil || kind != kindKnown || n < 0 || d > mostMessage || n > mostMessage || len(text) != 8*n*d {
		return nil, fmt.Errorf("--caller: %d known points are to come, and do not", n)
	}
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
		_, _ = binary.Decode(text[8*i*d:], binary.LittleEndian, points[i]) // the length is right
	}
	return points, nil
}

// box returns the box, the zero value if there are no sides.
func (s sides) box() (b objective.Box) {
	for _, side := range s {
		lo, hi := math.Inf(-1), math.Inf(1)
		if side[0] != nil {
			lo = *side[0]
		}
		if side[1] != nil {
			hi = *side[1]
		}
		b.Lo, b.Hi = append(b.Lo, lo), append(b.Hi, hi)
	}
	return b
}

// answers are the values of points first, first+1, …, or all numbers of the first point, then of the
// next, and so on, with how long each took.
type answers struct {
	first    int
	seconds  float64
	values   []float64
	failures map[int]*objective.Failure // by the index in values
}

// readAnswers reads a message of answers. A failure is a uint32 for the index in the values,
// a byte for its kind, a uint32 for the length of its words, and these.
func readAnswers(text []byte) (a answers, err error) {
	bad := errors.New("a message of answers of the wrong length")
	var head struct {
		First, N uint32
		Seconds  float64
	}
	read, err := binary.Decode(text, binary.LittleEndian, &head)
	n := int(head.N)
	if text = text[read:]; err != nil || len(text) < 8*n {
		return a, bad
	}
	a = answers{first: int(head.First), seconds: head.Seconds, values: make([]float64, n), failures: map[int]*objective.Failure{}}
	_, _ = binary.Decode(text, binary.LittleEndian, a.values) // the length is right
	for text = text[8*n:]; len(text) > 0; {
		var failure struct {
			At     uint32
			Kind   uint8
			Length uint32
		}
		read, err := binary.Decode(text, binary.LittleEndian, &failure)
		kind, length := objective.FailureKind(failure.Kind), int(failure.Length)
		if text = text[read:]; err != nil || int(failure.At) >= n || length > len(text) || kind > objective.Errored {
			return a, bad
		}
		a.failures[int(failure.At)] = &objective.Failure{Kind: kind, Detail: string(text[:length])}
		text = text[length:]
	}
	return a, nil
}

// gone is how long a run whose caller is no more may take to end in good order.
const gone = 500 * time.Millisecond

// listen reads what the caller writes, until its end. This ends the run: at its next batch,
// or after a moment.
func (c *caller) listen(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		kind, text, err := readMessage(c.in)
		var a answers
		switch {
		case err != nil:
			cancel(errGone)
			time.AfterFunc(gone, func() { c.exit(exitError) })
			return
		case kind == kindStop:
			cancel(errStopped)
		case kind != kindAnswers:
			err = fmt.Errorf("a message of the unknown kind %q", kind)
		default:
			if a, err = readAnswers(text); err == nil {
				select {
				case c.answers <- a:
				case <-ctx.Done(): // nobody wants it any more
				}
			}
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "untwist: the caller has written %v\n", err)
			c.exit(exitError)
			return
		}
	}
}

// send writes a message of these parts: text as it is, an int as a uint32, other numbers as they
// are.
func (c *caller) send(kind byte, parts ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = append(c.text[:0], kind, 0, 0, 0, 0)
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			c.text = append(c.text, part...)
		case int:
			c.text = binary.LittleEndian.AppendUint32(c.text, uint32(part))
		default:
			c.text, _ = binary.Append(c.text, binary.LittleEndian, part) // of a fixed size
		}
	}
	if len(c.text)-5 > mostMessage {
		return errors.New("a message is too long")
	}
	binary.LittleEndian.PutUint32(c.text[1:], uint32(len(c.text)-5))
	_, err := c.out.Write(c.text)
	return err
}

// array writes a named matrix.
func (c *caller) array(name string, rows ...[]float64) error {
	parts := []any{len(name), name, len(rows), len(rows[0])}
	for _, row := range rows {
		parts = append(parts, row)
	}
	return c.send(kindArray, parts...)
}
