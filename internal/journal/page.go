package journal

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// A page is the queries of one frame, in the order of their numbers.
type page struct {
	dim     int
	hashed  bool
	numbers []int
	values  []byte // 8 each
	seconds []byte // 4 each, or none
	notes   []note
	noted   []int  // for each query the number of its note from 1, 0: it has none; or none
	width   int    // how many numbers an answer has; 0: a value alone
	answers []byte // 8·width each, or none
	points  []byte // 8·dim each, or 8 each if hashed
}

const (
	hashedFlag = 1 << iota
	secondsFlag
	notesFlag
	numbersFlag
	allFlags = hashedFlag | secondsFlag | notesFlag | numbersFlag
)

// A note is what answers have in words. Answers with the same words share it.
type note struct {
	failure byte // the kind of failure plus 1; 0: the query did not fail
	detail  string
	by      string
}

// longestWords is the most bytes of a failure's detail, and of the name of who evaluated.
const longestWords = 200

// mostQuery is the most number that a query may have. No run gets that far.
const mostQuery = 1 << 60

var errPage = errors.New("the payload of a frame is no page of queries")

// read takes the page from a payload, which the page keeps.
func (p *page) read(payload []byte, dim int) error {
	d := decoder{rest: payload}
	kind, flags := d.byte(), d.byte()
	p.dim, p.hashed = dim, flags&hashedFlag != 0
	n := d.count(9) // a number and a value
	if d.bad || kind != queriesKind || flags&^allFlags != 0 || n == 0 {
		return errPage
	}
	p.numbers = p.numbers[:0]
	last := 0
	for range n {
		delta := d.uvarint()
		if delta == 0 || delta > mostQuery || last+int(delta) > mostQuery {
			return errPage
		}
		last += int(delta)
		p.numbers = append(p.numbers, last)
	}
	p.values = d.bytes(8 * n)
	p.seconds, p.notes, p.noted = nil, p.notes[:0], p.noted[:0]
	if flags&secondsFlag != 0 {
		p.seconds = d.bytes(4 * n)
	}
	if flags&notesFlag != 0 {
		p.readNotes(&d, n)
	}
	if p.width, p.answers = 0, nil; flags&numbersFlag != 0 {
		p.width = d.count(8 * n)
		p.answers = d.bytes(8 * p.width * n)
	}
	width := 8
	if !p.hashed {
		width = 8 * dim
	}
	p.points = d.bytes(width * n)
	if d.bad || len(d.rest) > 0 {
		return errPage
	}
	return nil
}

func (p *page) readNotes(d *decoder, n int) {
	for range d.count(3) {
		p.notes = append(p.notes, note{failure: d.byte(), detail: d.text(), by: d.text()})
	}
	for range n {
		which := d.uvarint()
		if which > uint64(len(p.notes)) {
			d.bad = true
			return
		}
		p.noted = append(p.noted, int(which))
	}
}

// answer returns the i-th answer.
func (p *page) answer(i int) objective.Answer {
	a := objective.Answer{Value: math.Float64frombits(binary.LittleEndian.Uint64(p.values[8*i:]))}
	if p.seconds != nil {
		a.Seconds = float64(math.Float32frombits(binary.LittleEndian.Uint32(p.seconds[4*i:])))
	}
	if p.width > 0 {
		a.Numbers = p.several(i)
	}
	if len(p.noted) > 0 && p.noted[i] > 0 {
		n := p.notes[p.noted[i]-1]
		a.By = n.by
		if n.failure > 0 {
			// A kind that a later version may have is some error to this one.
			a.Failure = &objective.Failure{Kind: min(objective.FailureKind(n.failure-1), objective.Errored), Detail: n.detail}
		}
	}
	return a
}

// several returns the numbers of the i-th answer, nil if there are none.
func (p *page) several(i int) []float64 {
	all := floatsOf(p.answers, i, p.width)
	if !slices.ContainsFunc(all, func(v float64) bool { return !math.IsNaN(v) }) {
		return nil
	}
	return all
}

// floatsOf returns the i-th n numbers.
func floatsOf(data []byte, i, n int) []float64 {
	all := make([]float64, n)
	_, _ = binary.Decode(data[8*i*n:], binary.LittleEndian, all) // there are so many
	return all
}

// point returns the i-th point, nil if only its hash is kept.
func (p *page) point(i int) []float64 {
	if p.hashed {
		return nil
	}
	return floatsOf(p.points, i, p.dim)
}

// has reports whether x is the i-th point, bit by bit, or has its hash.
func (p *page) has(i int, x []float64) bool {
	if p.hashed {
		return binary.LittleEndian.Uint64(p.points[8*i:]) == hashPoint(x)
	}
	row := p.points[8*i*p.dim:]
	for k, v := range x {
		if binary.LittleEndian.Uint64(row[8*k:]) != math.Float64bits(v) {
			return false
		}
	}
	return true
}

// A decoder reads a payload from the front. Once something is missing it is bad, and all
// that it reads is zero.
type decoder struct {
	rest []byte
	bad  bool
}

// bytes reads n bytes.
func (d *decoder) bytes(n int) []byte {
	if d.bad || n < 0 || n > len(d.rest) {
		d.bad = true
		return nil
	}
	front := d.rest[:n:n]
	d.rest = d.rest[n:]
	return front
}

func (d *decoder) byte() byte {
	if b := d.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.bad || n <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// count reads how many things follow, each of which has at least so many bytes.
func (d *decoder) count(each int) int {
	n := d.uvarint()
	if n > uint64(len(d.rest)/each) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.bytes(d.count(1))) }

// hashPoint returns a hash of a point. Every step is a bijection of the state for a given
// coordinate, and of the coordinate for a given state. So two points that differ in one
// coordinate never have the same hash. Others have it with a probability of 2^-64.
func hashPoint(x []float64) uint64 {
	h := uint64(len(x)) + 0x9e3779b97f4a7c15
	for _, v := range x {
		h ^= math.Float64bits(v)
		h *= 0xd6e8feb86659fd93
		h ^= h >> 32
	}
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
