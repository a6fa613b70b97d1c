package guardian

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"io"
	"syscall"
	"time"
)

// A message goes from us to the guardian or back: a header of 16 bytes and a body.
type message struct {
	kind  kind
	files byte // bits for the standard files that go with it
	job   uint64
	body  []byte
}

type kind byte

// What messages say.
const (
	begin  kind = 1 + iota // to the guardian: start a program; the body is an order
	kill                   // end a program; the body is the grace
	finish                 // end everything

	ready   // from the guardian: programs can be started now
	started // the body is the number of the process
	refused // the body is the error number
	exited  // the body is the State
	done    // everything the program started is gone
	failed  // the guardian gives up; the body says why
)

const (
	headerSize = 16
	largest    = 1 << 28 // no body is larger
)

var (
	little    = binary.LittleEndian
	errBroken = errors.New("broken message")
)

// bytes returns the message as it is sent.
func (m message) bytes() []byte {
	b := make([]byte, headerSize, headerSize+len(m.body))
	b[0], b[1] = byte(m.kind), m.files
	little.PutUint32(b[4:], uint32(len(m.body)))
	little.PutUint64(b[8:], m.job)
	return append(b, m.body...)
}

func readMessage(r io.Reader) (message, error) {
	var b [headerSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return message{}, err
	}
	m := message{kind: kind(b[0]), files: b[1], job: little.Uint64(b[8:])}
	size := little.Uint32(b[4:])
	if size > largest {
		return m, errBroken
	}
	m.body = make([]byte, size)
	_, err := io.ReadFull(r, m.body)
	return m, err
}

func numberMessage(k kind, job uint64, n int64) message {
	return message{kind: k, job: job, body: little.AppendUint64(nil, uint64(n))}
}

func (m message) number() int64 {
	if len(m.body) < 8 {
		return 0
	}
	return int64(little.Uint64(m.body))
}

func (m message) errno() syscall.Errno { return syscall.Errno(m.number()) }

func killMessage(job uint64, grace time.Duration) message {
	return numberMessage(kill, job, int64(max(grace, 0)))
}

func exitedMessage(job uint64, s State) message {
	b := little.AppendUint32(nil, uint32(int32(s.Code)))
	b = little.AppendUint32(b, uint32(s.Signal))
	if s.Killed {
		b = append(b, 1)
	}
	return message{kind: exited, job: job, body: b}
}

func (m message) state() State {
	if len(m.body) < 8 {
		return State{Code: -1}
	}
	return State{
		Code:   int(int32(little.Uint32(m.body))),
		Signal: syscall.Signal(little.Uint32(m.body[4:])),
		Killed: len(m.body) > 8,
	}
}

// An order is a command without its files. Its texts may have any bytes in them.
type order struct {
	Path, Dir string
	Args, Env []string
}

// startMessage has the order of a command.
func startMessage(job uint64, c Command) message {
	var b bytes.Buffer
	_ = gob.NewEncoder(&b).Encode(order{c.Path, c.Dir, c.Args, c.Env}) // into memory
	return message{kind: begin, job: job, body: b.Bytes()}
}

// command is the inverse of startMessage, without the files.
func (m message) command() (Command, error) {
	var o order
	err := gob.NewDecoder(bytes.NewReader(m.body)).Decode(&o)
	return Command{Path: o.Path, Dir: o.Dir, Args: o.Args, Env: o.Env}, err
}
