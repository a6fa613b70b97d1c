package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/untwist/untwist/objective"
)

// A Header says which run a journal belongs to.
type Header struct {
	// Numerics is the version of the numerics.
	Numerics int
	// Dim is how many numbers a point has.
	Dim int
	// Numbers is how many numbers an answer has; 0: a value alone. The version of the file follows
	// from it, and About has to say it too: it is not stored.
	Numbers int
	// About is a JSON object with everything that decides the run: the objective, its
	// parameters, the options, the planned budget.
	About []byte
	// Free are the parts of About that may differ from the journal's, as paths such as
	// Budget. They are not stored.
	Free []string
}

// check says what is wrong with a header that is to be written.
func (h Header) check() error {
	if h.Dim < 1 || h.Dim > longestPayload/16 {
		return objective.BadOption("Dim", "is %d; a journal needs at least 1 and at most %d", h.Dim, longestPayload/16)
	}
	if h.Numerics < 0 {
		return objective.BadOption("Numerics", "is %d; it must not be negative", h.Numerics)
	}
	if !json.Valid(h.About) || !bytes.HasPrefix(bytes.TrimSpace(h.About), []byte("{")) || len(h.About) > longestPayload/2 {
		return objective.BadOption("About", "is not a JSON object of at most %d bytes", longestPayload/2)
	}
	return nil
}

// An origin tells journals of the same run apart.
type origin struct {
	began time.Time
	id    [8]byte // random
}

// appendHeader appends a header as a payload.
func appendHeader(dst []byte, h Header, o origin) []byte {
	dst = binary.AppendUvarint(append(dst, headerKind), uint64(h.Numerics))
	dst = binary.AppendUvarint(dst, uint64(h.Dim))
	dst = binary.AppendUvarint(dst, uint64(max(0, o.began.Unix())))
	return append(append(dst, o.id[:]...), h.About...)
}

var errHeader = errors.New("the payload of a frame is no header")

func readHeader(payload []byte) (h Header, o origin, err error) {
	d := decoder{rest: payload}
	kind, numerics, dim, began := d.byte(), d.uvarint(), d.uvarint(), d.uvarint()
	copy(o.id[:], d.bytes(len(o.id)))
	const most = 1 << 40
	if d.bad || kind != headerKind || numerics > most || dim > most || began > most {
		return h, o, errHeader
	}
	h = Header{Numerics: int(numerics), Dim: int(dim), About: append([]byte(nil), d.rest...)}
	o.began = time.Unix(int64(began), 0)
	if h.check() != nil {
		return h, o, errHeader
	}
	return h, o, nil
}

// admit compares the header of a file with that of the run. It returns the header that the
// file should have from now on, and what is new in it.
func admit(file string, was, now Header, accept []string) (Header, []Difference, error) {
	if was.Numerics != now.Numerics {
		return Header{}, nil, &NumericsError{file, was.Numerics, now.Numerics}
	}
	var refused, accepted []Difference
	if was.Dim != now.Dim {
		refused = append(refused, Difference{"Dim", fmt.Sprint(was.Dim), fmt.Sprint(now.Dim)})
	}
	for _, d := range Diff(was.About, now.About) {
		switch {
		case covered(d.Path, now.Free):
		case covered(d.Path, accept):
			accepted = append(accepted, d)
		default:
			refused = append(refused, d)
		}
	}
	if len(refused) > 0 {
		return Header{}, nil, &DiffersError{file, refused}
	}
	if len(accepted) == 0 {
		return was, nil, nil
	}
	a, err := parse(now.About)
	if err != nil {
		return Header{}, nil, err
	}
	b, err := parse(was.About)
	if err != nil {
		return Header{}, nil, err
	}
	was.About = []byte(graft(a, b, "", now.Free).String())
	return was, accepted, nil
}

// ID returns the random digits that the journal was begun with. They stay the same however
// often the run is resumed, and those of another journal are others.
func (j *Journal) ID() string { return hex.EncodeToString(j.origin.id[:]) }

// Flush writes all answers that were told so far to the file, without waiting for more. When
// it returns nil, a kill of the process does not lose them any more. (A power failure may:
// the file is brought to the disk within a second, see docs/journal.md.)
func (j *Journal) Flush() error { return j.writer.flush() }

// An Opener is an objective that wants to know its journal, to Amend it for one. Its error closes
// the journal.
type Opener interface{ Opened(*Journal) error }

// An Archive is an objective all of whose values are in a journal, which is then ReadOnly.
type Archive interface{ Archived() }

// For returns the settings with which the journal of an objective is opened.
func (c Config) For(f objective.Objective) Config {
	if o, ok := f.(Opener); ok {
		c.Opened = o.Opened
	}
	_, c.ReadOnly = f.(Archive)
	return c
}
