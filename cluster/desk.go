package cluster

import (
	"math"
	"time"

	"github.com/untwist/untwist/cluster/wire"
)

// A desk is the coordinator without its network and its clock: it decides what is sent and
// what is taken. Its methods are called by one goroutine at a time.
type desk struct {
	board   board
	roster  roster
	pace    pace
	court   court
	batch   *batch // nil: none is being evaluated
	highest int    // the greatest number of a query that was asked so far
}

// A verdict is what becomes of values that a worker has sent.
type verdict byte

const (
	// taken: they are told, or were known before.
	taken verdict = iota
	// early: their queries were not asked yet. The coordinator was started again and has
	// not come so far.
	early
	// refused: the worker gets no more work.
	refused
	// strange: they are for other points.
	strange
)

// begin begins a batch.
func (d *desk) begin(b *batch, now time.Time) {
	d.batch = b
	b.began, b.latest = now, now
	if n := len(b.numbers); n > 0 {
		d.highest = max(d.highest, b.numbers[n-1])
	}
	d.fill(now)
}

// end ends the batch. If it is not complete, its queries count as not asked for: whoever has
// their values keeps them for the coordinator that goes on.
func (d *desk) end() {
	if d.batch.left > 0 {
		d.highest = d.batch.numbers[0] - 1
	}
	d.batch = nil
	d.board.clear()
}

// ready is how many chunks are ready for each process, besides the one that it works on.
const ready = 1

// fill sends chunks until every process has one and another is ready.
func (d *desk) fill(now time.Time) {
	b := d.batch
	if b == nil {
		return
	}
	procs := max(d.roster.procs(now), 1)
	most := wire.Fits(d.board.dim)
	if d.court.share > 0 {
		most = min(most, d.court.most(d.roster.widest(now)))
	}
	for d.board.orders < (1+ready)*procs && b.next < len(b.numbers) {
		d.board.send(b.cut(&d.pace, procs, most), now)
	}
}

// tick does what is due.
func (d *desk) tick(now time.Time) {
	d.fill(now)
	d.release(now)
	d.settle(now)
	d.board.resend(now, &d.roster, func(o *order) bool { return d.late(o, now) })
}

// patience is how long an order may be under way, besides its work.
const patience = 200 * time.Millisecond

// late reports whether everything is sent and an order takes twice as long as usual. One that
// comes when the rest of the batch does, at the speed so far, is not late: it may have waited
// in the queue.
func (d *desk) late(o *order, now time.Time) bool {
	b := d.batch
	return b != nil && b.next == len(b.numbers) && !o.check && d.pace.seconds > 0 &&
		now.Sub(o.sent) > 2*d.pace.usual(o.n)+b.rest()+patience
}

// take takes values.
func (d *desk) take(v *wire.Values, now time.Time) verdict {
	m := d.roster.hear(v.Worker, now)
	if m.excluded != "" {
		return refused
	}
	if v.First > d.highest {
		return early
	}
	if d.batch != nil {
		for _, a := range v.Answers {
			if row := d.batch.row(v.First + a.Offset); row >= 0 && !d.batch.matches(row, a.Check) {
				return strange
			}
		}
	}
	var fresh, held []int // rows whose values are new, and those of which others are asked
	learnt, took := 0, 0.0
	for _, a := range v.Answers {
		if d.pace.tells(a.Answer) {
			learnt++
			took += a.Seconds
		}
		switch row, fate := d.answer(m, v.First+a.Offset, a, now); fate {
		case used:
			fresh = append(fresh, row)
		case doubted:
			held = append(held, row)
		}
	}
	m.points += len(v.Answers)
	if len(fresh) > 0 {
		d.batch.latest = now
	}
	d.pace.learn(learnt, took)
	if m.excluded == "" {
		d.check(m, fresh, now)
	}
	d.hold(m, held, now)
	d.rest(v, now)
	d.fill(now)
	return taken
}

// rest sends what a worker has left of an order: it has handed in what it had, and gives the
// order up.
func (d *desk) rest(v *wire.Values, now time.Time) {
	b := d.batch
	if b == nil {
		return
	}
	row := b.row(v.First)
	if row < 0 {
		return
	}
	if o := b.orders[row]; o != nil && o.parts == nil && o.first == v.First && len(v.Answers) < o.n && 0 < o.left && o.left < o.n && o.copies == 1 {
		d.board.post(o, now)
	}
}

// A fate is what becomes of one answer.
type fate byte

const (
	// unused: it was known before, nobody has asked, or it is compared with another.
	unused fate = iota
	// used: it was the first for its query.
	used
	// doubted: it is held back, and somebody else is to be asked.
	doubted
)

// answer takes one answer. It returns the row of its query, unless it is unused.
func (d *desk) answer(m *member, number int, a wire.Answer, now time.Time) (row int, what fate) {
	failed := math.IsInf(a.Value, 1)
	if failed {
		m.failed++
		if a.Failure != nil {
			m.failure = wire.Line(a.Failure.Error(), shownFailure)
		}
	} else {
		m.good++
	}
	if d.compare(m.name, number, a, now) {
		return 0, unused
	}
	b := d.batch
	if b == nil {
		return 0, unused
	}
	row = b.row(number)
	switch {
	case row < 0:
		return 0, unused
	case b.known[row] && failed && m.good == 0: // it may not have the program
		if !math.IsInf(b.values[row], 1) {
			d.contradict(a.Answer)
		}
		return 0, unused
	case b.known[row]:
		if b.by[row] != m.name || b.values[row] != a.Value {
			d.second(b, row, m.name, a, now)
		}
		return 0, unused
	}
	held, isHeld := b.held[row]
	switch {
	case isHeld && held.By == m.name: // it says so again
		return 0, unused
	case isHeld && !failed:
		d.contradict(held)
	case failed && !isHeld && d.doubtful(m, now):
		b.held[row] = a.Answer
		d.board.arrived(b.orders[row], number)
		return row, doubted
	case isHeld: // both failed, and the first says why
		a.Answer = held
	}
	d.board.arrived(b.orders[row], number)
	b.set(row, a.Answer)
	return row, used
}
