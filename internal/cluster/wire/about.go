package wire

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"

	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/words"
)

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

// Unpack undoes Pack. It refuses what is not JSON, and what is much longer than our own
// description, so that nobody can fill the memory with a short message.
func Unpack(packed, ours []byte) ([]byte, error) {
	most := 2*len(ours) + 64<<10
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, bad("a description that cannot be unpacked")
	}
	about, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	switch {
	case err != nil:
		return nil, bad("a description that cannot be unpacked")
	case len(about) > most:
		return nil, bad("a description that is much longer than the run's, which has %d bytes", len(ours))
	case !json.Valid(about): // nor is what is nested too deeply to be compared
		return nil, bad("a description that is not JSON")
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
		_, name, content := strings.Cut(d.Path, "Contents.")
		switch path := Line(d.Path, 200); {
		case content && d.Was != "" && d.Now != "":
			all = append(all, Line(name, 200)+" differs from the coordinator's")
		default:
			all = append(all, path+" is "+shown(d.Was)+" at the coordinator and "+shown(d.Now)+" here")
		}
	}
	if more := len(differences) - most; more > 0 {
		all = append(all, words.Count(more, "more difference", "more differences"))
	}
	return "it needs the same problem file and program as the run: " + strings.Join(all, "; ")
}

// shown returns JSON for people.
func shown(text string) string {
	if text == "" {
		return "not set"
	}
	return Line(text, 60)
}
