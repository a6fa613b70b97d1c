package journal

import (
	"errors"
	"io"
	"slices"
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
	if n := len(x.stretches); n > 0 {
		if last := &x.stretches[n-1]; last.end == at && end-last.at <= stretchBytes {
			last.end, last.least, last.greatest = end, min(last.least, least), max(last.greatest, greatest)
			x.settle()
			return
		}
	}
	x.push(stretch{at: at, end: end, least: least, greatest: greatest})
}

// push adds a stretch, which lies behind all others.
func (x *index) push(s stretch) {
	x.stretches = append(x.stretches, s)
	x.settle()
}

// settle brings upTo and from up to date after the last stretch has changed.
func (x *index) settle() {
	n := len(x.stretches)
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

// A leaf is what a stretch says.
type leaf struct {
	at, end int64
	places  []place // in the order of their numbers
}

// A place is where in a leaf a query is.
type place struct {
	number int
	page   *page
	row    int
}

// within returns the queries with numbers from first to last.
func (l *leaf) within(first, last int) []place {
	lo := sort.Search(len(l.places), func(i int) bool { return l.places[i].number >= first })
	hi := lo
	for hi < len(l.places) && l.places[hi].number <= last {
		hi++
	}
	return l.places[lo:hi]
}

// A shelf reads stretches, and keeps the last few.
type shelf struct {
	file io.ReaderAt
	dim  int
	kept [4]leaf
	next int
}

var errChanged = errors.New("it has changed since it was opened")

// leaf returns what a stretch says.
func (s *shelf) leaf(at stretch) (*leaf, error) {
	for i := range s.kept {
		if l := &s.kept[i]; l.at == at.at && l.end == at.end {
			return l, nil
		}
	}
	pages, err := s.read(at)
	if err != nil {
		return nil, err
	}
	l := &s.kept[s.next]
	s.next = (s.next + 1) % len(s.kept)
	*l = leaf{at.at, at.end, l.places[:0]}
	for i := range pages {
		for row, number := range pages[i].numbers {
			l.places = append(l.places, place{number, &pages[i], row})
		}
	}
	byNumber := func(a, b place) int { return a.number - b.number }
	if !slices.IsSortedFunc(l.places, byNumber) {
		slices.SortFunc(l.places, byNumber)
	}
	return l, nil
}

// read reads the pages of a stretch.
func (s *shelf) read(at stretch) ([]page, error) {
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
	return pages, nil
}
