package cluster

import (
	"slices"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A batch is the points that the coordinator was asked for.
type batch struct {
	numbers []int // of the queries, ascending
	points  *mat.Dense
	values  []float64
	known   []bool
	by      []string                   // who has sent the value
	orders  []*order                   // of which the value is expected; nil: none was sent yet
	judged  []bool                     // whether there is a case about it, or was
	held    map[int][]objective.Answer // failures, by row, that are not believed yet
	tell    func(int, objective.Answer)
	left    int // how many values are missing
	next    int // the first row that was not sent and whose value is missing
	began   time.Time
	latest  time.Time // when the latest value came
	done    chan struct{}
	broken  chan struct{}    // closed if it cannot be evaluated
	why     error            // it cannot
	enders  map[int][]string // the workers that a row has ended
	checks  []uint32         // of the points; 0: not known yet, or really 0
}

func newBatch(points *mat.Dense, values []float64, number func(int) int, tell func(int, objective.Answer)) *batch {
	n := len(values)
	b := &batch{
		numbers: make([]int, n), points: points, values: values, known: make([]bool, n), by: make([]string, n), orders: make([]*order, n), judged: make([]bool, n),
		held: map[int][]objective.Answer{}, enders: map[int][]string{}, tell: tell, left: n, done: make(chan struct{}), broken: make(chan struct{}), checks: make([]uint32, n),
	}
	for i := range b.numbers {
		b.numbers[i] = number(i)
	}
	return b
}

// row returns the row of a query, -1 if it is none of the batch. There need not be a batch.
func (b *batch) row(number int) int {
	if b == nil || len(b.numbers) == 0 {
		return -1
	}
	if row := number - b.numbers[0]; row >= 0 && row < len(b.numbers) && b.numbers[row] == number { // none was known before
		return row
	}
	if row, ok := slices.BinarySearch(b.numbers, number); ok {
		return row
	}
	return -1
}

// matches reports whether a checksum is that of a row's point.
func (b *batch) matches(row int, check uint32) bool {
	if b.checks[row] == 0 {
		b.checks[row] = wire.CheckOf(b.points.RawRowView(row))
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

// stretch returns how many of the rows, which ascend, are one after another and have queries
// that follow one another: at most so many.
func (b *batch) stretch(rows []int, most int) int {
	n := 1
	for n < min(len(rows), most) && b.numbers[rows[n]] == b.numbers[rows[0]]+n {
		n++
	}
	return n
}

// order makes an order of the rows lo ≤ row < hi, whose values somebody waits for.
func (b *batch) order(lo, hi int) *order {
	o := &order{first: b.numbers[lo], n: hi - lo, points: b.coordinates(lo, hi)}
	for row := lo; row < hi; row++ {
		b.orders[row] = o
	}
	return o
}

// coordinates returns the numbers of the points lo ≤ row < hi, as long as the batch lasts.
func (b *batch) coordinates(lo, hi int) []float64 {
	raw := b.points.RawMatrix()
	if raw.Stride == raw.Cols {
		return raw.Data[lo*raw.Cols : hi*raw.Cols]
	}
	all := make([]float64, 0, (hi-lo)*raw.Cols)
	for row := lo; row < hi; row++ {
		all = append(all, b.points.RawRowView(row)...)
	}
	return all
}

// waits reports whether an order is out for a row.
func (b *batch) waits(row int) bool { return b.orders[row].of(b.numbers[row]) != nil }

// cut cuts off the next chunk of the batch, of at most so many points.
func (b *batch) cut(p *pace, procs, most int) *order {
	lo, hi := b.next, b.next+1
	end := lo + p.size(len(b.numbers)-lo, procs, most)
	for hi < end && b.numbers[hi] == b.numbers[hi-1]+1 && !b.known[hi] {
		hi++
	}
	o := b.order(lo, hi)
	b.next = hi
	b.advance()
	return o
}

// rest returns how long the values that are missing should take, at the speed of those that
// have come.
func (b *batch) rest() time.Duration {
	there := len(b.values) - b.left
	return time.Duration(float64(b.latest.Sub(b.began)) * float64(b.left) / float64(max(there, 1)))
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
