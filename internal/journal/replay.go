package journal

import (
	"cmp"
	"errors"
	"os"
)

// ErrEnd says that a run that is replayed has come to the end of its journal.
var ErrEnd = errors.New("the journal ends here")

// openToRead opens a journal to replay its run.
func openToRead(c Config, h Header) (*Journal, error) {
	file, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	j := newJournal(c, file)
	t, err := j.index(file)
	if err == nil && t.Numerics != h.Numerics {
		err = &NumericsError{c.File, t.Numerics, h.Numerics}
	}
	if err != nil {
		return nil, cmp.Or(err, file.Close())
	}
	j.header, j.origin = t.Header, t.origin
	return j, nil
}
