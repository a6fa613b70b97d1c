package cluster

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

const (
	// longestAbout is how long a description may be when it is unpacked, and
	// longestGreeting how long a greeting.
	longestAbout    = 16 << 20
	longestGreeting = longestMessage
	// mostWorking is how many chunks a worker may work on, and mostProcs how many
	// processes it may have.
	mostWorking = 1 << 14
	mostProcs   = 1 << 14
	// longestRefusal is how long the words of a refusal or an error may be.
	longestRefusal = 2000
)

// decodeJSON reads a JSON message, and nothing but it.
func decodeJSON(message []byte, into any) error {
	if len(message) > longestGreeting {
		return bad("%d bytes; at most %d are allowed", len(message), longestGreeting)
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
		panic("cluster: " + err.Error()) // they are plain values
	}
	return text
}

// DecodeHello reads a Hello.
func DecodeHello(message []byte) (h Hello, err error) {
	if err := decodeJSON(message, &h); err != nil {
		return Hello{}, err
	}
	if err := checkName(h.Worker); err != nil {
		return Hello{}, err
	}
	switch {
	case h.Procs < 1 || h.Procs > mostProcs:
		return Hello{}, bad("a worker with %d processes", h.Procs)
	case len(h.Working) > mostWorking:
		return Hello{}, bad("a worker with %d chunks", len(h.Working))
	case len(h.Digest) != 2*sha256.Size:
		return Hello{}, bad("a digest of %d characters", len(h.Digest))
	}
	h.Broken = cut(h.Broken, longestRefusal)
	return h, nil
}

// DecodeWelcome reads a Welcome.
func DecodeWelcome(message []byte) (w Welcome, run RunID, err error) {
	if err := decodeJSON(message, &w); err != nil {
		return Welcome{}, run, err
	}
	w.Refused = cut(w.Refused, longestRefusal)
	if w.Version != version {
		return w, run, bad("the coordinator speaks version %d, and this program version %d: use the same program everywhere", w.Version, version)
	}
	if run, err = ParseRunID(w.Run); err != nil {
		return Welcome{}, run, bad("%v", err)
	}
	if w.Dim < 1 || w.Dim > mostDim {
		return Welcome{}, run, bad("points of %d numbers", w.Dim)
	}
	return w, run, nil
}

// DecodeReceipt reads a Receipt.
func DecodeReceipt(message []byte) (r Receipt, err error) {
	if err := decodeJSON(message, &r); err != nil {
		return Receipt{}, err
	}
	r.Refused = cut(r.Refused, longestRefusal)
	return r, nil
}

// digestOf returns the digest of a description.
func digestOf(about []byte) string {
	sum := sha256.Sum256(about)
	return hex.EncodeToString(sum[:])
}

// pack compresses a description: one of ten thousand parameters is long, and repeats itself.
func pack(about []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(about) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// unpack undoes pack.
func unpack(packed []byte) ([]byte, error) {
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

// differing says in what a worker's description differs from the coordinator's, "" if it
// does not.
func differing(ours, theirs []byte) string {
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
	return cut(text, 60)
}
