package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
)

// A Hello is what a worker says when it comes, and then at every beat.
type Hello struct {
	Version int
	Worker  string
	Procs   int
	// Digest is that of what the worker evaluates. About is that itself, compressed; it
	// is only there if the coordinator has asked for it.
	Digest string
	About  []byte
	// Working are the first queries of the chunks that it works on.
	Working []int
	// Leaving says that it takes no more work and goes; Broken, that an error at the
	// query Query is why. Check is the checksum of its point, which shows that the worker
	// was handed it.
	Leaving bool   `json:",omitempty"`
	Broken  string `json:",omitempty"`
	Query   int    `json:",omitempty"`
	Check   uint32 `json:",omitempty"`
}

// A Welcome is the answer to a Hello.
type Welcome struct {
	Version int
	Run     string
	Dim     int
	// Explain asks for About: the digests differ.
	Explain bool `json:",omitempty"`
	// Refused says why the worker gets no work; "": it does.
	Refused string `json:",omitempty"`
	// Needless are chunks that the worker need not finish: others have.
	Needless []int
}

// A Receipt is the answer to Values.
type Receipt struct {
	// Kept says that they are in the journal, or not needed.
	Kept bool `json:",omitempty"`
	// Later asks the worker to send them again in a moment.
	Later bool `json:",omitempty"`
	// Refused says why the worker gets no more work.
	Refused string `json:",omitempty"`
}

const (
	// mostWorking is how many chunks a worker may work on, and MostProcs how many
	// processes it may have.
	mostWorking = 1 << 14
	MostProcs   = 1 << 14
	// LongestWords is how long the words of a refusal or an error may be.
	LongestWords = 2000
)

// decodeJSON reads a JSON message, and nothing but it.
func decodeJSON(message []byte, into any) error {
	if len(message) > LongestMessage {
		return bad("%d bytes; at most %d are allowed", len(message), LongestMessage)
	}
	d := json.NewDecoder(bytes.NewReader(message))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return bad("%v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("more than one JSON value")
	}
	return nil
}

// decodeVersion does the same for a message that has a version. That of another one is told
// so, whatever else is in it.
func decodeVersion(message []byte, into any) error {
	var its struct{ Version int }
	if len(message) <= LongestMessage && json.Unmarshal(message, &its) == nil && its.Version != Version {
		return bad("it has version %d, and this program speaks version %d: use the same program everywhere", its.Version, Version)
	}
	return decodeJSON(message, into)
}

// areQueries reports whether numbers can be those of queries, and are not too many.
func areQueries(numbers []int) bool {
	return len(numbers) <= mostWorking && !slices.ContainsFunc(numbers, func(n int) bool { return n < 1 || n > highest })
}

func encodeJSON(message any) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		panic("wire: " + err.Error()) // they are plain values
	}
	return text
}

// Encode returns the hello as a message.
func (h Hello) Encode() []byte { return encodeJSON(h) }

// Encode returns the welcome as a message.
func (w Welcome) Encode() []byte { return encodeJSON(w) }

// Encode returns the receipt as a message.
func (r Receipt) Encode() []byte { return encodeJSON(r) }

// DecodeHello reads a Hello.
func DecodeHello(message []byte) (h Hello, err error) {
	if err := decodeVersion(message, &h); err != nil {
		return Hello{}, err
	}
	if err := CheckName(h.Worker); err != nil {
		return Hello{}, err
	}
	switch sum, err := hex.DecodeString(h.Digest); {
	case err != nil || len(sum) != sha256.Size:
		return Hello{}, bad("%.80q is not a digest", h.Digest)
	case h.Procs < 1 || h.Procs > MostProcs:
		return Hello{}, bad("a worker with %d processes", h.Procs)
	case !areQueries(h.Working):
		return Hello{}, bad("a worker cannot work on these %d chunks", len(h.Working))
	case h.Query < 0 || h.Query > highest:
		return Hello{}, bad("an error at query %d", h.Query)
	}
	h.Broken = Line(h.Broken, LongestWords)
	return h, nil
}

// DecodeWelcome reads a Welcome.
func DecodeWelcome(message []byte) (w Welcome, run RunID, err error) {
	if err := decodeVersion(message, &w); err != nil {
		return Welcome{}, RunID{}, err
	}
	if run, err = ParseRunID(w.Run); err != nil {
		return Welcome{}, RunID{}, bad("%v", err)
	}
	switch {
	case w.Dim < 1 || w.Dim > MostDim:
		return Welcome{}, RunID{}, bad("points of %d numbers", w.Dim)
	case !areQueries(w.Needless):
		return Welcome{}, RunID{}, bad("these %d chunks cannot be needless", len(w.Needless))
	}
	w.Refused = Line(w.Refused, LongestWords)
	return w, run, nil
}

// DecodeReceipt reads a Receipt.
func DecodeReceipt(message []byte) (r Receipt, err error) {
	if err := decodeJSON(message, &r); err != nil {
		return Receipt{}, err
	}
	if refused := r.Refused != ""; refused && (r.Kept || r.Later) || !refused && r.Kept == r.Later {
		return Receipt{}, bad("values are either kept, or wanted later, or refused")
	}
	r.Refused = Line(r.Refused, LongestWords)
	return r, nil
}
