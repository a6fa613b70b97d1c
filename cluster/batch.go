package cluster

import (
	"slices"

	"github.com/untwist/untwist/cluster/wire"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A batch is the points that the coordinator was asked for.
type batch struct {
	numbers []int // of the queries, ascending
	points  *mat.Dense
	values  []float64
	known   []bool
	by      []string                 // who has sent the value
	held    map[int]objective.Answer // failures, by row, of which a second worker is asked
	tell    func(int, objective.Answer)
	left    int // how many values are missing
	next    int // the first row that was not sent and whose value is missing
	done    chan struct{}
	broken  chan struct{} // closed if it cannot be evaluated
	why     error         // it cannot
	enders  map[int]int   // how many workers a query has ended
	checks  []uint32      // of the points; 0: not known yet, or really 0
	scratch []byte
}

func newBatch(points *mat.Dense, values []float64, number func(int) int, tell func(int, objective.Answer)) *batch {
	n := len(values)
	b := &batch{
		numbers: make([]int, n), points: points, values: values, known: make([]bool, n), by: make([]string, n),
		held: map[int]objective.Answer{}, tell: tell, left: n, done: make(chan struct{}), broken: make(chan struct{}), checks: make([]uint32, n),
	}
	for i := range b.numbers {
		b.numbers[i] = number(i)
	}
	return b
}

// row returns the row of a query, -1 if it is none of the batch.
func (b *batch) row(number int) int {
	if row, ok := slices.BinarySearch(b.numbers, number); ok {
		return row
	}
	return -1
}

// matches reports whether a checksum is that of a row's point.
func (b *batch) matches(row int, check uint32) bool {
	if b.checks[row] == 0 {
		b.checks[row] = wire.CheckOf(b.points.RawRowView(row), &b.scratch)
	}
	return b.checks[row] == check
}

// set sets the value of a row and tells it.
func (b *batch) set(row int, a objective.Answer) {
	b.known[row], b.values[row], b.by[row] = true, a.Value, a.By
	delete(b.held, row)
	b.advance()
	b.tell(row, a)
	if b.left--; b.left == 0 {
		close(b.done)
	}
}

// stretch returns the end of the stretch of at most n rows from lo on whose queries follow
// one another and are all wanted.
func (b *batch) stretch(lo, n int, wanted func(row int) bool) (hi int) {
	for hi = lo + 1; hi < min(lo+n, len(b.numbers)); hi++ {
		if b.numbers[hi] != b.numbers[hi-1]+1 || !wanted(hi) {
			break
		}
	}
	return hi
}

// order makes an order of the rows lo ≤ row < hi.
func (b *batch) order(lo, hi int) *order {
	_, d := b.points.Dims()
	o := &order{first: b.numbers[lo], n: hi - lo, points: make([]float64, 0, (hi-lo)*d)}
	for row := lo; row < hi; row++ {
		o.points = append(o.points, b.points.RawRowView(row)...)
	}
	return o
}

// cut cuts off the next chunk of the batch.
func (b *batch) cut(p *pace, procs int) *order {
	_, d := b.points.Dims()
	size := p.size(len(b.numbers)-b.next, procs, d)
	hi := b.stretch(b.next, size, func(row int) bool { return !b.known[row] })
	o := b.order(b.next, hi)
	b.next = hi
	b.advance()
	return o
}

// advance passes over rows that were not sent and whose values are there: a worker had them
// from a coordinator that was there before.
func (b *batch) advance() {
	for b.next < len(b.numbers) && b.known[b.next] {
		b.next++
	}
}

// fail ends the batch with an error.
func (b *batch) fail(err error) {
	if b.why == nil && b.left > 0 {
		b.why = err
		close(b.broken)
	}
}

// partial says how far the batch came before an error ended it.
func (b *batch) partial(err error) error {
	p := &objective.PartialError{Err: err}
	for row, known := range b.known {
		if known {
			p.Spent++
			if p.Done == row {
				p.Done++
			}
		}
	}
	return p
}
