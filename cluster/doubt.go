package cluster

import (
	"fmt"
	"slices"
	"time"

	"github.com/untwist/untwist/cluster/wire"
	"github.com/untwist/untwist/objective"
)

// doubtful reports whether a failure may be the fault of the worker: none of its points has
// ever succeeded. Somebody else is asked, if there is anybody.
func (d *desk) doubtful(m *member, now time.Time) bool {
	return m.good == 0 && d.roster.anybody(now, m.name)
}

// hold asks others for rows at which a doubtful worker has failed.
func (d *desk) hold(m *member, rows []int, now time.Time) {
	b := d.batch
	for k := 0; k < len(rows); {
		o := b.order(rows[k], rows[k]+b.stretch(rows[k:], wire.Fits(d.board.dim)))
		o.skip = []string{m.name}
		d.board.send(o, now)
		k += o.n
	}
}

// release believes failures after all, if nobody else is left to ask.
func (d *desk) release(now time.Time) {
	if d.batch == nil {
		return
	}
	for row, a := range d.batch.held {
		if !d.roster.anybody(now, a.By) {
			d.board.arrived(d.batch.orders[row], d.batch.numbers[row])
			d.batch.set(row, a)
		}
	}
}

// mostContradictions is how many of a worker's points may fail that succeed elsewhere, if
// none of its own succeeds.
const mostContradictions = 3

// contradict notes that a worker has failed at a point at which another has not. A worker
// that does nothing but fail is of no use.
func (d *desk) contradict(held objective.Answer) {
	m := d.roster.all[held.By]
	if m == nil {
		return
	}
	m.wrong++
	if m.good == 0 && m.wrong >= mostContradictions {
		d.exclude(m.name, "all its points fail, and others evaluate them: "+held.Failure.Error())
	}
}

// mostBroken is how many workers may end with an error at the same query before this is
// taken for the function's fault, and ends the run as it would with one process.
const mostBroken = 3

// broke notes that a worker has ended with an error.
func (d *desk) broke(h wire.Hello) {
	d.court.note(fmt.Sprintf("%s has ended: %s", h.Worker, h.Broken))
	if d.batch == nil || d.batch.row(h.Query) < 0 {
		return
	}
	if d.batch.enders == nil {
		d.batch.enders = map[int][]string{}
	}
	enders := d.batch.enders[h.Query]
	if slices.Contains(enders, h.Worker) {
		return
	}
	d.batch.enders[h.Query] = append(enders, h.Worker)
	if len(enders)+1 == mostBroken {
		d.batch.fail(fmt.Errorf("query %d has ended %d workers, the last with: %s", h.Query, mostBroken, h.Broken))
	}
}
