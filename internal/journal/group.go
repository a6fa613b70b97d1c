package journal

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A group is the queries that have been answered and are not in the file yet. They come in
// any order.
type group struct {
	hashed  bool
	width   int // how many numbers an answer has; 0: a value alone
	entries []entry
	coords  []float64 // of all points, one after another; none if hashed
	notes   []note
	known   map[note]int // their numbers, from 1
}

// An entry is one query of a group.
type entry struct {
	number  int
	row     int // of its point
	value   float64
	seconds float32
	hash    uint64
	note    int // from 1, 0: none
	numbers []float64
}

// groupBytes is about how long a page may become.
const groupBytes = 1 << 20

// add adds a query. Its answer is as kept returns it.
func (g *group) add(number int, x []float64, a objective.Answer) {
	e := entry{number: number, row: len(g.entries), value: a.Value, seconds: float32(a.Seconds), note: g.note(a), numbers: a.Numbers}
	if g.hashed {
		e.hash = hashPoint(x)
	} else {
		g.coords = append(g.coords, x...)
	}
	g.entries = append(g.entries, e)
}

// note returns the number of an answer's note.
func (g *group) note(a objective.Answer) int {
	n := note{by: a.By}
	if a.Failure != nil {
		n.failure, n.detail = byte(a.Failure.Kind)+1, a.Failure.Detail
	}
	if n == (note{}) {
		return 0
	}
	which, ok := g.known[n]
	if !ok {
		if g.known == nil {
			g.known = map[note]int{}
		}
		g.notes = append(g.notes, n)
		which = len(g.notes)
		g.known[n] = which
	}
	return which
}

// full reports whether the group should be written now.
func (g *group) full() bool {
	return 8*len(g.coords)+(32+8*g.width)*len(g.entries)+2*longestWords*len(g.notes) >= groupBytes
}

func (g *group) reset() {
	clear(g.notes)
	clear(g.known)
	clear(g.entries)
	g.entries, g.coords, g.notes = g.entries[:0], g.coords[:0], g.notes[:0]
}

// append appends the page as a payload. It sorts the group.
func (g *group) append(dst []byte, dim int) []byte {
	byNumber := func(a, b entry) int { return a.number - b.number }
	if !slices.IsSortedFunc(g.entries, byNumber) {
		slices.SortFunc(g.entries, byNumber)
	}
	flags, little := byte(0), binary.LittleEndian
	if g.hashed {
		flags |= hashedFlag
	}
	if slices.ContainsFunc(g.entries, func(e entry) bool { return e.seconds != 0 }) {
		flags |= secondsFlag
	}
	if len(g.notes) > 0 {
		flags |= notesFlag
	}
	if g.width > 0 {
		flags |= numbersFlag
	}
	dst = binary.AppendUvarint(append(dst, queriesKind, flags), uint64(len(g.entries)))
	last := 0
	for _, e := range g.entries {
		dst = binary.AppendUvarint(dst, uint64(e.number-last))
		last = e.number
	}
	for _, e := range g.entries {
		dst = little.AppendUint64(dst, math.Float64bits(e.value))
	}
	if flags&secondsFlag != 0 {
		for _, e := range g.entries {
			dst = little.AppendUint32(dst, math.Float32bits(e.seconds))
		}
	}
	if flags&notesFlag != 0 {
		dst = g.appendNotes(dst)
	}
	if flags&numbersFlag != 0 {
		dst = g.appendNumbers(dst)
	}
	for _, e := range g.entries {
		if g.hashed {
			dst = little.AppendUint64(dst, e.hash)
			continue
		}
		for _, v := range g.coords[e.row*dim : (e.row+1)*dim] {
			dst = little.AppendUint64(dst, math.Float64bits(v))
		}
	}
	return dst
}

// appendNotes appends the notes, and for each query which one it has.
func (g *group) appendNotes(dst []byte) []byte {
	text := func(s string) { dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...) }
	dst = binary.AppendUvarint(dst, uint64(len(g.notes)))
	for _, n := range g.notes {
		dst = append(dst, n.failure)
		text(n.detail)
		text(n.by)
	}
	for _, e := range g.entries {
		dst = binary.AppendUvarint(dst, uint64(e.note))
	}
	return dst
}

// appendNumbers appends how many numbers an answer has, and those of every query: NaN where
// it has none.
func (g *group) appendNumbers(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(g.width))
	for _, e := range g.entries {
		for k := range g.width {
			v := math.NaN()
			if k < len(e.numbers) {
				v = e.numbers[k]
			}
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}
	}
	return dst
}

// mostBytes returns the most bytes that n queries can take in the file: each has a frame
// and a note of its own.
func (g *group) mostBytes(n, dim int) int64 {
	const besides = headBytes + sumBytes + 2 + 2*binary.MaxVarintLen64 + 8 + 4 + // a page of one query
		5 + 2*(longestWords+2) // its note
	if g.hashed {
		dim = 1
	}
	return int64(n) * int64(besides+binary.MaxVarintLen64+8*dim+8*g.width)
}

// kept returns an answer as the journal can keep it, so that a run is told the same whether
// an answer is new or comes from the record: seconds are rounded, and long words are cut.
func kept(a objective.Answer) objective.Answer {
	a.Seconds = float64(float32(a.Seconds))
	a.By = words.Cut(a.By, longestWords)
	if !slices.ContainsFunc(a.Numbers, func(v float64) bool { return !math.IsNaN(v) }) {
		a.Numbers = nil
	}
	if a.Failure != nil && len(a.Failure.Detail) > longestWords {
		a.Failure = &objective.Failure{Kind: a.Failure.Kind, Detail: words.Cut(a.Failure.Detail, longestWords)}
	}
	return a
}
