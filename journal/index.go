package journal

import (
	"errors"
	"io"
	"sort"
)

// An index says where in a file queries are. It has an entry for every stretch of frames,
// not for every frame, so that it stays small.
type index struct {
	stretches []stretch
}

// A stretch is some frames in a row.
type stretch struct {
	at, end         int64
	least, greatest int // of its queries' numbers
	upTo            int // the greatest number up to here in the file
	from            int // the least number from here on in the file
}

// stretchBytes is how long stretches of several frames become.
const stretchBytes = 1 << 16

// add adds the frame of a page, which lies behind all others.
func (x *index) add(at, end int64, least, greatest int) {
	n := len(x.stretches)
	if n > 0 && x.stretches[n-1].end == at && end-x.stretches[n-1].at <= stretchBytes {
		last := &x.stretches[n-1]
		last.end, last.least, last.greatest = end, min(last.least, least), max(last.greatest, greatest)
	} else {
		x.stretches = append(x.stretches, stretch{at: at, end: end, least: least, greatest: greatest})
		n++
	}
	last := &x.stretches[n-1]
	last.from, last.upTo = last.least, last.greatest
	if n > 1 {
		last.upTo = max(last.upTo, x.stretches[n-2].upTo)
	}
	for i := n - 2; i >= 0 && x.stretches[i].from > last.from; i-- {
		x.stretches[i].from = last.from
	}
}

// among returns the stretches that may have queries from first to last.
func (x *index) among(first, last int) []stretch {
	n := len(x.stretches)
	lo := sort.Search(n, func(i int) bool { return x.stretches[i].upTo >= first })
	hi := sort.Search(n, func(i int) bool { return x.stretches[i].from > last })
	return x.stretches[lo:max(lo, hi)]
}

// A shelf reads stretches, and keeps the last few.
type shelf struct {
	file io.ReaderAt
	dim  int
	kept [4]struct {
		at, end int64
		pages   []page
	}
	next int
}

var errChanged = errors.New("it has changed since it was opened")

// pages returns the pages of a stretch.
func (s *shelf) pages(at stretch) ([]page, error) {
	for _, k := range s.kept {
		if k.at == at.at && k.end == at.end {
			return k.pages, nil
		}
	}
	data := make([]byte, at.end-at.at)
	if n, err := s.file.ReadAt(data, at.at); n < len(data) {
		if err == io.EOF {
			err = errChanged
		}
		return nil, err
	}
	var pages []page
	for len(data) > 0 {
		h, ok := readHead(data)
		if !ok || h.bytes() > len(data) {
			return nil, errChanged
		}
		payload, _, whole := openFrame(data[:h.bytes()])
		data = data[h.bytes():]
		var p page
		if !whole || p.read(payload, s.dim) != nil {
			return nil, errChanged
		}
		pages = append(pages, p)
	}
	k := &s.kept[s.next]
	k.at, k.end, k.pages = at.at, at.end, pages
	s.next = (s.next + 1) % len(s.kept)
	return pages, nil
}
