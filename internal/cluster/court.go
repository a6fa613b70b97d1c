package cluster

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// mostPending is how many points may wait to be evaluated a second time, and mostPendingNumbers
// how many numbers they may have in all. If more would, no more are chosen until some are done.
const (
	mostPending        = 4096
	mostPendingNumbers = 4 << 20
)

// mostDifferences is how many differences are kept and told. A function that is not
// deterministic may have one at every point that is evaluated twice.
const mostDifferences = 1000

// inHand is how many points that are compared a worker should have at once, where some are.
// With more, one whose values are wrong would do much before the first is noticed.
const inHand = 20

// A court compares the values that different workers have for the same point. Where two
// differ, it asks a third.
type court struct {
	share   float64 // of the points that are evaluated twice
	pending map[int]*dispute
	// Differences are those that were found, in the order in which they were.
	differences []*Difference
	found       int // how many there were, also those that are not kept
	note        func(string)
}

// A dispute is a point that is evaluated again, and what was said about it so far.
type dispute struct {
	point  []float64
	check  uint32
	said   []statement
	order  *order      // the last that was sent for it; nil: none was
	differ *Difference // nil: nobody disagrees yet
}

// A statement is what a worker says about a point.
type statement struct {
	worker string
	value  float64
}

// A Difference is a point for which workers have different values. The first value that
// came was used.
type Difference struct {
	Query  int
	Point  []float64
	Values []float64 // what each worker said; the first was used
	Worker []string
	Wrong  string // the worker that was outvoted; "": nobody was
}

func (d *Difference) String() string {
	text := fmt.Sprintf("query %d:", d.Query)
	for i, w := range d.Worker {
		text += fmt.Sprintf(" %s says %v,", w, d.Values[i])
	}
	if d.Wrong == "" {
		return text + " and it is not settled who is right"
	}
	return text + " so " + d.Wrong + " is wrong"
}

// check chooses some of a worker's new values to be evaluated by another one: a stretch of
// as many as the share says, on average.
func (d *desk) check(m *member, rows []int, now time.Time) {
	c, b := &d.court, d.batch
	if c.share <= 0 || len(rows) == 0 || !c.room(d.board.dim) || !d.roster.anybody(m.name) {
		return
	}
	draw := rng.Seed(uint64(b.numbers[rows[0]])).Stream("check")
	n := min(int(c.share*float64(len(rows))+draw.Float64()), len(rows))
	if n == 0 {
		return
	}
	lo := draw.IntN(len(rows) - n + 1)
	for rows := rows[lo : lo+n]; len(rows) > 0; {
		n := b.stretch(rows, wire.Fits(d.board.dim))
		o := &order{
			first: b.numbers[rows[0]], n: n, points: slices.Clone(b.coordinates(rows[0], rows[0]+n)),
			skip: []string{m.name}, check: true,
		}
		for i, row := range rows[:n] {
			b.judged[row] = true
			c.open(b.numbers[row], o.points[i*d.board.dim:(i+1)*d.board.dim], m.name, b.values[row]).order = o
		}
		d.board.send(o, now)
		rows = rows[n:]
	}
}

// most returns how many points a chunk may have if a worker has so many processes, each of
// which has one chunk and another ready.
func (c *court) most(procs int) int {
	return max(int(inHand/(c.share*float64((1+ready)*procs))), 1)
}

// room reports whether more points of d numbers may wait to be evaluated a second time.
func (c *court) room(d int) bool {
	return len(c.pending) < mostPending && len(c.pending)*d < mostPendingNumbers
}

// open opens a case about a query, for which a worker has a value. The point is not one of a
// batch, which does not last.
func (c *court) open(number int, point []float64, worker string, value float64) *dispute {
	if c.pending == nil {
		c.pending = map[int]*dispute{}
	}
	p := &dispute{point: point, check: wire.CheckOf(point), said: []statement{{worker, value}}}
	c.pending[number] = p
	return p
}

// second takes a second value of a query that nobody had asked to evaluate twice. A case that
// is closed is not opened again.
func (d *desk) second(b *batch, row int, m *member, a wire.Answer, now time.Time) {
	if b.values[row] == a.Value || b.judged[row] || timedOut(a.Answer) || !d.court.room(d.board.dim) {
		return
	}
	b.judged[row] = true
	d.court.open(b.numbers[row], slices.Clone(b.points.RawRowView(row)), b.by[row], b.values[row])
	d.compare(m, b.numbers[row], a, now)
}

// compare takes a value of a query that is evaluated again, and reports whether it is one.
func (d *desk) compare(m *member, number int, a wire.Answer, now time.Time) bool {
	p := d.court.pending[number]
	if p == nil || p.check != a.Check {
		return false
	}
	failed := math.IsInf(a.Value, 1)
	if !failed {
		d.prove(m)
	}
	if timedOut(a.Answer) || failed && !m.proven {
		// How fast a machine is, or whether it has the program, says nothing about values.
		if !m.proven && !math.IsInf(p.said[0].value, 1) {
			d.contradict(a.Answer)
		}
		d.close(number)
		return true
	}
	for _, s := range p.said {
		if s.worker == m.name && s.value == a.Value {
			return true // it says so again
		}
	}
	p.said = append(p.said, statement{m.name, a.Value})
	d.board.arrived(p.order, number)
	if p.differ == nil && p.said[0].value == a.Value {
		d.close(number)
		return true
	}
	d.disagree(number, p, now)
	return true
}

// disagree goes on with a case in which there are different values.
func (d *desk) disagree(number int, p *dispute, now time.Time) {
	c := &d.court
	if p.differ == nil {
		p.differ = &Difference{Query: number, Point: slices.Clone(p.point)}
		if c.found++; c.found <= mostDifferences {
			c.differences = append(c.differences, p.differ)
		}
	}
	p.differ.Worker, p.differ.Values = nil, nil
	for _, s := range p.said {
		p.differ.Worker, p.differ.Values = append(p.differ.Worker, s.worker), append(p.differ.Values, s.value)
	}
	wrong, settled := p.outvoted()
	switch {
	case settled && wrong != "":
		p.differ.Wrong = wrong
		d.exclude(wrong, fmt.Sprintf("its value of query %d is not that of two others", number))
		d.close(number)
	case settled && c.found > mostDifferences: // it was said often enough
		d.close(number)
	case settled:
		c.note(fmt.Sprintf("%s: the function does not always return the same value", p.differ))
		d.close(number)
	default:
		p.order = &order{first: number, n: 1, points: p.differ.Point, skip: p.heard(), check: true}
		d.board.send(p.order, now)
	}
}

// heard returns the workers that have said something.
func (p *dispute) heard() (all []string) {
	for _, s := range p.said {
		if s.worker != "" { // one process has evaluated it, before there were workers
			all = append(all, s.worker)
		}
	}
	return all
}

// settle closes the cases for which no other worker is left.
func (d *desk) settle() {
	for number, p := range d.court.pending {
		if !d.roster.anybody(p.heard()...) {
			d.close(number)
		}
	}
}

// outvoted returns the worker whose value two others contradict. settled says that nobody
// else need be asked: that is so too if a worker has two values, or three workers have three.
func (p *dispute) outvoted() (wrong string, settled bool) {
	votes, values := map[float64]int{}, map[string]float64{}
	for _, s := range p.said {
		if v, before := values[s.worker]; before && v != s.value {
			return "", true
		}
		values[s.worker] = s.value
		votes[s.value]++
	}
	for _, s := range p.said {
		if votes[s.value] == 1 && len(p.said) > len(votes) {
			return s.worker, true
		}
	}
	return "", len(votes) > 2
}

func (d *desk) exclude(worker, why string) {
	if m := d.roster.all[worker]; m != nil && m.excluded == "" {
		d.roster.exclude(m, why)
		d.court.note(fmt.Sprintf("%s gets no more work: %s", worker, why))
	}
}

func (d *desk) close(number int) {
	if p := d.court.pending[number]; p != nil {
		d.board.arrived(p.order, number)
		delete(d.court.pending, number)
	}
}

// timedOut reports whether an evaluation took too long.
func timedOut(a objective.Answer) bool {
	return math.IsInf(a.Value, 1) && a.Failure != nil && a.Failure.Kind == objective.TimedOut
}
