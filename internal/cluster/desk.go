package cluster

import (
	"math"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
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

	believe bool      // failures, although nobody has had a success
	known   *Success  // a query that has succeeded; nil: none is known
	stuck   time.Time // since when nobody can say whether points or workers are wrong; 0: somebody can
	told    bool      // the user was, that this is so
}

// A verdict is what becomes of values that a worker has sent.
type verdict byte

const (
	// taken: they are told, or were known before.
	taken verdict = iota
	// early: their queries were not asked yet, or the worker has not said hello. The
	// coordinator was started again and has not come so far.
	early
	// refused: the worker gets no more work.
	refused
	// strange: they are for other points.
	strange
)

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
	procs := max(d.roster.procs, 1)
	most := wire.Fits(d.board.dim)
	if d.court.share > 0 {
		most = min(most, d.court.most(max(d.roster.wide, 1)))
	}
	for d.board.orders < (1+ready)*procs && b.next < len(b.numbers) {
		d.board.send(b.cut(&d.pace, procs, most), now)
	}
}

// tick does what is due.
func (d *desk) tick(now time.Time) {
	d.roster.expire(now)
	d.roster.widest()
	d.fill(now)
	d.confirm(now)
	d.settle()
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

func (d *desk) take(v *wire.Values, now time.Time) verdict {
	d.roster.expire(now)
	m := d.roster.all[v.Worker]
	if m == nil {
		return early
	}
	d.roster.hear(m, now)
	if m.excluded != "" {
		return refused
	}
	if v.First > d.highest {
		return early
	}
	for _, a := range v.Answers {
		if row := d.batch.row(v.First + a.Offset); row >= 0 && !d.batch.matches(row, a.Check) {
			return strange
		}
	}
	var fresh []int // rows whose values are new
	learnt, took := 0, 0.0
	for _, a := range v.Answers {
		row, isNew := d.answer(m, v.First+a.Offset, a, now)
		if !isNew {
			continue
		}
		fresh = append(fresh, row)
		if d.pace.tells(a.Answer) {
			learnt++
			took += a.Seconds
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
	d.rest(v, now)
	d.fill(now)
	if d.idle() {
		d.confirm(now)
	}
	return taken
}

// rest sends what a worker has left of an order: it has handed in what it had, and gives the
// order up.
func (d *desk) rest(v *wire.Values, now time.Time) {
	b := d.batch
	row := b.row(v.First)
	if row < 0 {
		return
	}
	if o := b.orders[row]; o != nil && o.parts == nil && o.first == v.First && len(v.Answers) < o.n && 0 < o.left && o.left < o.n && o.copies == 1 {
		d.board.post(o, now)
	}
}

// answer takes one answer. It returns the row of its query, and whether the answer was the first
// for it that is believed.
func (d *desk) answer(m *member, number int, a wire.Answer, now time.Time) (row int, isNew bool) {
	failed := math.IsInf(a.Value, 1)
	if failed {
		m.failed++
		m.failure = wire.Line(a.Failure.Error(), shownFailure)
	}
	if d.compare(m, number, a, now) {
		return 0, false
	}
	b := d.batch
	if row = b.row(number); row < 0 {
		return 0, false
	}
	held := b.held[row]
	if !failed {
		delete(b.held, row) // whoever has failed here
		d.prove(m)
	}
	switch {
	case b.known[row] && !m.proven:
		if !math.IsInf(b.values[row], 1) {
			d.contradict(a.Answer)
		}
		return 0, false
	case b.known[row]:
		if b.by[row] != m.name || b.values[row] != a.Value {
			d.second(b, row, m, a, now)
		}
		return 0, false
	case !m.proven:
		d.hold(m, row, a.Answer)
		return 0, false
	}
	d.board.arrived(b.orders[row], number)
	b.set(row, a.Answer)
	if !failed {
		d.know(row)
		for _, h := range held {
			d.contradict(h)
		}
	}
	return row, true
}
