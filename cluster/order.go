package cluster

import (
	"slices"
	"time"

	"github.com/untwist/untwist/cluster/wire"
)

// lost is how long a chunk may be out, and claimed by nobody although somebody has nothing
// to do, before it is sent again. Whatever has happened to the queue, no chunk is lost.
const lost = 20 * time.Second

// An order is a chunk that was sent and whose values are not all there.
type order struct {
	first  int
	points []float64 // of its queries, one after another
	n      int
	skip   []string // workers that may not evaluate it
	got    []bool   // which values are there
	left   int      // how many are missing
	sent   time.Time
	again  time.Time // when it was sent last
	copies int       // how often it was sent
	check  bool      // its values are compared with others, and nobody waits for them
}

// wants reports whether the order waits for the value of a query.
func (o *order) wants(number int) bool {
	return number >= o.first && number < o.first+o.n && !o.got[number-o.first]
}

// missing returns an order for each stretch of an order whose values are missing.
func (o *order) missing(d int) (all []*order) {
	for lo := 0; lo < o.n; lo++ {
		hi := lo
		for hi < o.n && !o.got[hi] {
			hi++
		}
		if n := hi - lo; n > 0 {
			all = append(all, &order{
				first: o.first + lo, points: o.points[lo*d : hi*d], n: n, skip: o.skip, got: make([]bool, n), left: n,
				sent: o.sent, again: o.again, copies: o.copies, check: o.check,
			})
			lo = hi
		}
	}
	return all
}

// A board is the orders that are out, the oldest first.
type board struct {
	run     RunID
	dim     int
	publish func(*wire.Chunk)
	out     []*order
	retries int // orders that were sent again
}

// send sends an order for the first time.
func (b *board) send(o *order, now time.Time) {
	o.got, o.left, o.sent = make([]bool, o.n), o.n, now
	b.out = append(b.out, o)
	b.post(o, now)
}

// post puts an order on the queue. If some of its values are there, it becomes one order for
// each stretch that is missing: what is known is not sent again.
func (b *board) post(o *order, now time.Time) {
	if 0 < o.left && o.left < o.n {
		rest, i := o.missing(b.dim), slices.Index(b.out, o)
		b.out = slices.Replace(b.out, i, i+1, rest...)
		for _, part := range rest {
			b.post(part, now)
		}
		return
	}
	o.again = now
	o.copies++
	b.publish(&wire.Chunk{Run: b.run, First: o.first, Dim: b.dim, Points: o.points, Skip: o.skip})
}

// arrived notes that the value of a query is there. Orders that are complete are taken down.
func (b *board) arrived(number int, check bool) {
	complete := false
	for _, o := range b.out {
		if o.check == check && o.wants(number) {
			o.got[number-o.first] = true
			o.left--
			complete = complete || o.left == 0
		}
	}
	if complete {
		b.out = slices.DeleteFunc(b.out, func(o *order) bool { return o.left == 0 })
	}
}

// work returns how many orders are out whose values somebody waits for, and how many copies
// of orders are out in all.
func (b *board) work() (orders, copies int) {
	for _, o := range b.out {
		copies += o.copies
		if !o.check {
			orders++
		}
	}
	return orders, copies
}

// needed reports whether an order waits for the value of a query.
func (b *board) needed(number int) bool {
	return slices.ContainsFunc(b.out, func(o *order) bool { return o.wants(number) })
}

// needless reports whether nobody waits for values of a chunk that begins with a query.
func (b *board) needless(first int) bool {
	return !slices.ContainsFunc(b.out, func(o *order) bool { return o.first == first })
}

// resend sends orders again: those that are lost and, where idle processes are left and
// everything is sent, second copies of those that take twice as long as usual, the oldest
// first.
func (b *board) resend(now time.Time, r *roster, p *pace, allSent bool) {
	_, copies := b.work()
	idle := r.procs(now) - copies
	for _, o := range slices.Clone(b.out) {
		switch {
		case now.Sub(o.again) >= lost && !r.claimed(o.first, now) && r.resting(now) > 0:
			b.retries++
			b.post(o, now)
		case allSent && !o.check && idle > 0 && o.copies == 1 && p.seconds > 0 && now.Sub(o.sent) > 2*p.usual(o.n):
			idle--
			b.post(o, now)
		}
	}
}

// repost sends all orders again that nobody claims and that were sent before: the queue was
// lost.
func (b *board) repost(now time.Time, r *roster) {
	for _, o := range slices.Clone(b.out) {
		if !o.again.After(now) && !r.claimed(o.first, now) {
			b.retries++
			b.post(o, now)
		}
	}
}

// clear takes down the orders of a batch that has ended. Checks stay.
func (b *board) clear() {
	b.out = slices.DeleteFunc(b.out, func(o *order) bool { return !o.check })
}
