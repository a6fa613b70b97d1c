package wire

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/journal"
)

// A Hello is what a worker says when it comes, and then at every beat.
type Hello struct {
	Version int
	Worker  string
	Procs   int
	// Digest is that of what the worker evaluates. About is that itself, compressed; it
	// is only there if the coordinator has asked for it.
	Digest string
	About  []byte `json:",omitempty"`
	// Working are the first queries of the chunks that it works on.
	Working []int `json:",omitempty"`
	// Leaving says that it takes no more work and goes; Broken, that an error at the
	// query Query is why.
	Leaving bool   `json:",omitempty"`
	Broken  string `json:",omitempty"`
	Query   int    `json:",omitempty"`
}

// A Welcome is the answer to a Hello.
type Welcome struct {
	Version int
	Run     string
	Dim     int
	// Queue is what subjects begin with on which the queue is asked.
	Queue string
	// Explain asks for About: the digests differ.
	Explain bool `json:",omitempty"`
	// Refused says why the worker gets no work; "": it does.
	Refused string `json:",omitempty"`
	// Needless are chunks that the worker need not finish: others have.
	Needless []int `json:",omitempty"`
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

// What subjects begin with on which workers ask a queue.
const (
	// QueueAPI is that of NATS.
	QueueAPI = "$JS.API"
	// FencedAPI is the same on a server of ours, where workers have an account of their
	// own: QueueAPI is taken there.
	FencedAPI = "QUEUE"
)

const (
	// longestAbout is how long a description may be when it is unpacked.
	longestAbout = 16 << 20
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

// encodeJSON writes one of our messages.
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
	if err := decodeJSON(message, &h); err != nil {
		return Hello{}, err
	}
	if err := CheckName(h.Worker); err != nil {
		return Hello{}, err
	}
	switch {
	case h.Procs < 1 || h.Procs > MostProcs:
		return Hello{}, bad("a worker with %d processes", h.Procs)
	case len(h.Working) > mostWorking:
		return Hello{}, bad("a worker with %d chunks", len(h.Working))
	case len(h.Digest) != 2*sha256.Size:
		return Hello{}, bad("a digest of %d characters", len(h.Digest))
	}
	h.Broken = Line(h.Broken, LongestWords)
	return h, nil
}

// DecodeWelcome reads a Welcome.
func DecodeWelcome(message []byte) (w Welcome, run RunID, err error) {
	if err := decodeJSON(message, &w); err != nil {
		return Welcome{}, run, err
	}
	w.Refused = Line(w.Refused, LongestWords)
	if w.Version != Version {
		return w, run, bad("the coordinator speaks version %d, and this program version %d: use the same program everywhere", w.Version, Version)
	}
	if run, err = ParseRunID(w.Run); err != nil {
		return Welcome{}, run, bad("%v", err)
	}
	if w.Dim < 1 || w.Dim > MostDim {
		return Welcome{}, run, bad("points of %d numbers", w.Dim)
	}
	if w.Queue != QueueAPI && w.Queue != FencedAPI {
		return Welcome{}, run, bad("a queue on %.40q", w.Queue)
	}
	return w, run, nil
}

// DecodeReceipt reads a Receipt.
func DecodeReceipt(message []byte) (r Receipt, err error) {
	if err := decodeJSON(message, &r); err != nil {
		return Receipt{}, err
	}
	r.Refused = Line(r.Refused, LongestWords)
	return r, nil
}

// DigestOf returns the digest of a description.
func DigestOf(about []byte) string {
	sum := sha256.Sum256(about)
	return hex.EncodeToString(sum[:])
}

// Pack compresses a description: one of ten thousand parameters is long, and repeats itself.
func Pack(about []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(about) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// Unpack undoes Pack.
func Unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, bad("a description that cannot be unpacked")
	}
	about, err := io.ReadAll(io.LimitReader(r, longestAbout+1))
	if err != nil || len(about) > longestAbout {
		return nil, bad("a description that cannot be unpacked")
	}
	return about, nil
}

// Differing says in what a worker's description differs from the coordinator's, "" if it
// does not.
func Differing(ours, theirs []byte) string {
	differences := journal.Diff(ours, theirs)
	if len(differences) == 0 {
		return ""
	}
	const most = 3
	var all []string
	for _, d := range differences[:min(most, len(differences))] {
		all = append(all, oneLine(d.Path)+" is "+shown(d.Was)+" at the coordinator and "+shown(d.Now)+" here")
	}
	if more := len(differences) - most; more > 0 {
		all = append(all, words.Count(more, "more difference", "more differences"))
	}
	return "the worker does not evaluate what the run is about: " + strings.Join(all, "; ")
}

// shown returns JSON for people.
func shown(text string) string {
	if text == "" {
		return "not set"
	}
	return Line(text, 60)
}
