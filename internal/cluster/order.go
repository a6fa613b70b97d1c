package cluster

import (
	"container/list"
	"iter"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
)

// lost is how long a chunk may be out, and claimed by nobody although somebody has nothing
// to do, before it is sent again. Whatever has happened to the queue, no chunk is lost.
const lost = 20 * time.Second

// An order is a chunk that was sent and whose values are not all there.
type order struct {
	first  int
	points []float64 // of its queries, one after another; of a batch, unless it is a check
	n      int
	skip   []string // workers that may not evaluate it
	got    []bool   // which values are there
	left   int      // how many are missing
	sent   time.Time
	again  time.Time // when it was sent last
	copies int       // how often it was sent
	check  bool      // its values are compared with others, and nobody waits for them
	at     *list.Element
	parts  []*order // that have taken its place; nil: none have
}

// of returns the order, or that of its parts, which waits for the value of a query; nil: none
// does, or there is no order.
func (o *order) of(number int) *order {
	for o != nil && o.parts != nil {
		i := slices.IndexFunc(o.parts, func(part *order) bool { return number < part.first+part.n })
		if i < 0 {
			return nil
		}
		o = o.parts[i]
	}
	if o == nil || number < o.first || number >= o.first+o.n || o.got[number-o.first] {
		return nil
	}
	return o
}

// A board is the orders that are out. What is done for every value or chunk takes the same
// time however many there are.
type board struct {
	run     RunID
	dim     int
	publish func(*wire.Chunk)
	out     list.List   // of *order, the oldest first
	orders  int         // how many of these somebody waits for: not those that are checks
	copies  int         // how often these were sent
	retries int         // orders that were sent again
	firsts  map[int]int // how many orders begin with a query
}

// each returns what is in a list, from its front. What it has yielded may be taken out meanwhile.
func each[T any](l *list.List) iter.Seq[T] {
	return func(yield func(T) bool) {
		for e, next := l.Front(), (*list.Element)(nil); e != nil; e = next {
			next = e.Next()
			if !yield(e.Value.(T)) {
				return
			}
		}
	}
}

// all returns the orders that are out, the oldest first.
func (b *board) all() iter.Seq[*order] { return each[*order](&b.out) }

// send sends an order for the first time.
func (b *board) send(o *order, now time.Time) {
	o.got, o.left, o.sent = make([]bool, o.n), o.n, now
	o.at = b.out.PushBack(o)
	b.count(o, 1)
	b.post(o, now)
}

// post puts an order on the queue. If some of its values are there, it becomes one order for
// each stretch that is missing: what is known is not sent again.
func (b *board) post(o *order, now time.Time) {
	if o.left < o.n {
		for _, part := range b.split(o) {
			b.post(part, now)
		}
		return
	}
	o.again = now
	o.copies++
	if !o.check {
		b.copies++
	}
	b.publish(&wire.Chunk{Run: b.run, First: o.first, Dim: b.dim, Points: o.points, Skip: o.skip})
}

// split puts an order for each stretch that is missing in the place of an order.
func (b *board) split(o *order) []*order {
	for lo := 0; lo < o.n; lo++ {
		hi := lo
		for hi < o.n && !o.got[hi] {
			hi++
		}
		if n := hi - lo; n > 0 {
			part := &order{
				first: o.first + lo, points: o.points[lo*b.dim : hi*b.dim], n: n, skip: o.skip, got: make([]bool, n), left: n,
				sent: o.sent, copies: o.copies, check: o.check,
			}
			part.at = b.out.InsertBefore(part, o.at)
			b.count(part, 1)
			o.parts = append(o.parts, part)
			lo = hi
		}
	}
	b.remove(o)
	return o.parts
}

// remove takes an order down.
func (b *board) remove(o *order) {
	b.out.Remove(o.at)
	b.count(o, -1)
}

// count adds an order to the sums, or takes it away: by is 1 or −1.
func (b *board) count(o *order, by int) {
	if b.firsts == nil {
		b.firsts = map[int]int{}
	}
	if b.firsts[o.first] += by; b.firsts[o.first] == 0 {
		delete(b.firsts, o.first)
	}
	if !o.check {
		b.orders += by
		b.copies += by * o.copies
	}
}

// arrived notes that the value of a query of an order is there. An order that is complete is
// taken down. There need not be an order.
func (b *board) arrived(o *order, number int) {
	if o = o.of(number); o == nil {
		return
	}
	o.got[number-o.first] = true
	if o.left--; o.left == 0 {
		b.remove(o)
	}
}

// needless returns those chunks, by their first queries, whose values nobody waits for.
func (b *board) needless(chunks []int) (needless []int) {
	for _, first := range chunks {
		if b.firsts[first] == 0 {
			needless = append(needless, first)
		}
	}
	return needless
}

// needless returns those of a worker's chunks, by their first queries, whose values nobody
// waits for. One that a coordinator before us has sent may not be on the board again yet.
func (d *desk) needless(chunks []int) []int {
	return slices.DeleteFunc(d.board.needless(chunks), func(first int) bool {
		row := d.batch.row(first)
		return first > d.highest || row >= 0 && !d.batch.known[row]
	})
}

// resend sends orders again: those that are lost and, where idle processes are left, second
// copies of those that are late, the oldest first.
func (b *board) resend(now time.Time, r *roster, late func(*order) bool) {
	idle := r.procs - b.copies
	var claimed map[int]bool
	if r.resting() > 0 {
		claimed = r.claimed()
	}
	for o := range b.all() {
		switch {
		case claimed != nil && now.Sub(o.again) >= lost && !claimed[o.first]:
			b.retries++
			b.post(o, now)
		case idle > 0 && o.copies == 1 && late(o):
			idle--
			b.post(o, now)
		}
	}
}

// repost sends all orders again that nobody claims and that were sent before: the queue was
// lost.
func (b *board) repost(now time.Time, r *roster) {
	claimed := r.claimed()
	for o := range b.all() {
		if !o.again.After(now) && !claimed[o.first] {
			b.retries++
			b.post(o, now)
		}
	}
}

// clear takes down the orders of a batch that has ended. Checks stay.
func (b *board) clear() {
	for o := range b.all() {
		if !o.check {
			b.remove(o)
		}
	}
}
