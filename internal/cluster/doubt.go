package cluster

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
)

// Which failures are believed. A worker is proven once one of its points has succeeded. A
// failure is believed if a proven worker says so; a worker that becomes proven is believed what
// it has said before. Until then failures are held: kept aside, and others are asked.
//
// So the result does not depend on who comes first. Say that a worker is either whole, and
// answers f(x) for each x, be that a value or a failure, or broken, and fails everywhere. A
// broken one is never proven, so that each answer that is told comes from a whole one: it is
// f(x), whoever has come before. And the batch goes on as soon as a whole worker has had one
// success: its failures are believed from then on.
//
// While nobody here is proven and all of the batch is held, no worker can decide it. If a
// success of the run is known, whoever is here is asked that point: this proves the worker, or
// shows that it is broken. Otherwise nothing has ever succeeded. The run then waits for others,
// for confirmWithin, and ends, and nothing of this is told. With Config.Believe it does not wait:
// the failures are told.

const (
	// confirmWithin is how long the run waits for others if no point has ever succeeded: as
	// long as workers wait for a coordinator.
	confirmWithin = defaultWait
	// mostHeard is how many workers that are not proven are asked about a point: a chunk can
	// be kept from so many.
	mostHeard = wire.MostSkips
)

// A Success is a query of a run that has succeeded.
type Success struct {
	Query int
	Point []float64
	Value float64
	By    string // the worker that has evaluated it
}

// hold keeps a failure aside that a worker has sent that is not proven.
func (d *desk) hold(m *member, row int, a objective.Answer) {
	b := d.batch
	if slices.ContainsFunc(b.held[row], func(h objective.Answer) bool { return h.By == m.name }) {
		return // it says so again
	}
	d.board.arrived(b.orders[row], b.numbers[row])
	if len(b.held[row]) < mostHeard {
		b.held[row] = append(b.held[row], a)
	}
}

// prove notes that a point of a worker has succeeded, and believes its earlier failures.
func (d *desk) prove(m *member) {
	if m.proven {
		return
	}
	d.roster.prove(m)
	d.release(func(a objective.Answer) bool { return a.By == m.name })
}

// release tells held failures: of each row the first that is to be believed.
func (d *desk) release(believed func(objective.Answer) bool) {
	b := d.batch
	if b == nil {
		return
	}
	for _, row := range slices.Sorted(maps.Keys(b.held)) {
		if i := slices.IndexFunc(b.held[row], believed); i >= 0 {
			d.board.arrived(b.orders[row], b.numbers[row])
			b.set(row, b.held[row][i])
		}
	}
}

// by returns the workers that have sent these answers.
func by(answers []objective.Answer) (names []string) {
	for _, a := range answers {
		names = append(names, a.By)
	}
	return names
}

// confirm asks others about what is held, and no one if nobody is left to ask.
func (d *desk) confirm(now time.Time) {
	b := d.batch
	if b == nil || len(b.held) == 0 {
		d.stuck, d.told = time.Time{}, false
		return
	}
	rows := slices.Sorted(maps.Keys(b.held))
	for k := 0; k < len(rows); k++ {
		row := rows[k]
		names := by(b.held[row])
		askable := d.roster.proven > 0 || len(names) < mostHeard && d.roster.anybody(names...)
		switch waits := b.waits(row); {
		case waits && !askable:
			d.board.arrived(b.orders[row], b.numbers[row])
		case !waits && askable:
			n := b.stretch(rows[k:], wire.Fits(d.board.dim))
			for i := range n {
				if !slices.Equal(by(b.held[rows[k+i]]), names) || b.waits(rows[k+i]) {
					n = i
					break
				}
			}
			o := b.order(row, row+n)
			o.skip = names
			d.board.send(o, now)
			k += n - 1
		}
	}
	d.decide(now)
}

// idle reports whether all of the batch that is missing is held, and nobody is being asked.
func (d *desk) idle() bool {
	b := d.batch
	return b != nil && 0 < b.left && b.left == len(b.held) && d.board.orders == 0 && d.roster.here.Len() > 0
}

// decide decides about a batch all of which is held, if nobody is left to ask.
func (d *desk) decide(now time.Time) {
	b := d.batch
	if !d.idle() {
		d.stuck, d.told = time.Time{}, false
		return
	}
	switch {
	case d.believe:
		d.release(func(objective.Answer) bool { return true })
		return
	case d.known != nil:
		d.try(now)
		return
	case d.stuck.IsZero():
		d.stuck = now
	}
	row := slices.Min(slices.Collect(maps.Keys(b.held)))
	why := b.held[row][0].Failure.Error()
	if now.Sub(d.stuck) >= alone && !d.told {
		d.told = true
		d.court.note(fmt.Sprintf("all points have failed so far, and nobody has shown that its machine is in order (the first: %s): waiting for another worker, for up to %v; with --keep-going the failures are believed", why, confirmWithin))
	}
	if now.Sub(d.stuck) >= confirmWithin {
		all := b.numbers[len(b.numbers)-1]
		b.fail(fmt.Errorf("%w; no worker has had a success, so nothing of this is recorded: mend the machine or start a worker on another, and run the same command again, with --keep-going if the points are what is wrong",
			&objective.FailuresError{Failed: all, Of: all, Point: slices.Clone(b.points.RawRowView(row)), Reason: why, All: true}))
	}
}

// try asks whoever is here, none of them proven, for a value that is known.
func (d *desk) try(now time.Time) {
	s := d.known
	if m := d.roster.all[s.By]; m != nil && !m.proven {
		d.prove(m)
		return
	}
	if d.court.pending[s.Query] != nil {
		return
	}
	o := &order{first: s.Query, n: 1, points: s.Point, check: true}
	d.court.open(s.Query, s.Point, s.By, s.Value).order = o
	d.board.send(o, now)
}

// know remembers a row that has succeeded.
func (d *desk) know(row int) {
	if b := d.batch; d.known == nil {
		d.known = &Success{Query: b.numbers[row], Point: slices.Clone(b.points.RawRowView(row)), Value: b.values[row], By: b.by[row]}
	}
}

// mostContradictions is how many of a worker's points may fail that succeed elsewhere, if
// none of its own succeeds.
const mostContradictions = 3

// contradict notes that a worker has failed at a point at which another has not. A worker
// that does nothing but fail is of no use.
func (d *desk) contradict(failed objective.Answer) {
	m := d.roster.all[failed.By]
	if m == nil {
		return
	}
	m.wrong++
	if !m.proven && m.wrong >= mostContradictions {
		d.exclude(m.name, "all its points fail, and others evaluate them: "+failed.Failure.Error())
	}
}

// mostBroken is how many workers may end with an error at the same query before this is
// taken for the function's fault, and ends the run as it would with one process.
const mostBroken = 3

// broke notes that a worker has ended with an error at a query. The checksum of its point shows
// that it was handed this: nobody else knows the point.
func (d *desk) broke(m *member, h wire.Hello) {
	b := d.batch
	row := b.row(h.Query)
	if row < 0 || !b.matches(row, h.Check) || len(b.enders[row]) == mostBroken || slices.Contains(b.enders[row], m.name) {
		return
	}
	d.court.note(fmt.Sprintf("%s has ended: %s", m.name, h.Broken))
	if b.enders[row] = append(b.enders[row], m.name); len(b.enders[row]) == mostBroken {
		b.fail(fmt.Errorf("query %d has ended %d workers, the last with: %s", h.Query, mostBroken, h.Broken))
	}
}
