package cluster

import (
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/cluster/wire"
)

// A Status says how a run is going, and a WorkerStatus how a worker is doing.
type (
	Status       = wire.Status
	WorkerStatus = wire.WorkerStatus
)

// Status returns how the run is going.
func (o *Coordinator) Status() Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.config.clock.now() // no worker is heard later than this
	d := &o.desk
	s := Status{
		Version: wire.Version, Run: o.config.Run.String(), Name: o.config.Name,
		Highest: d.highest, Out: d.board.out.Len(), Retries: d.board.retries, Differ: d.court.found,
	}
	for _, m := range d.roster.all {
		s.Workers = append(s.Workers, m.status(now))
	}
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// shownFailure is how long the words of a failure may be that a status has.
const shownFailure = 120

func (m *member) status(now time.Time) WorkerStatus {
	s := WorkerStatus{
		Name: m.name, Procs: m.procs, Working: len(m.working), Points: m.points, Failed: m.failed, Failure: m.failure, Rate: m.rate,
		Gone: now.Sub(m.heard) >= gone, Left: m.left, Excluded: m.excluded,
	}
	if !m.left {
		s.Silent = now.Sub(m.heard).Seconds()
	}
	if since := now.Sub(m.joined).Seconds(); m.counted == 0 && since > 0 { // it is new
		s.Rate = float64(m.points) / since
	}
	if s.Gone || s.Excluded != "" {
		s.Working, s.Rate = 0, 0
	}
	return s
}

// measure measures how fast a worker is, at each of its beats.
func (m *member) measure(now time.Time) {
	if m.measured.IsZero() {
		m.measured = m.joined
	}
	if took := now.Sub(m.measured).Seconds(); took >= beat.Seconds()/2 {
		m.rate = float64(m.points-m.counted) / took
		m.measured, m.counted = now, m.points
	}
}

// alone is how long a batch may be without workers before the user is told.
const alone = 2 * time.Second

// loneliness returns what to say if there is nobody to evaluate the batch.
func (o *Coordinator) loneliness(now time.Time) (line string) {
	if o.desk.batch == nil || o.desk.roster.procs > 0 {
		o.lonely, o.said = time.Time{}, false
		return ""
	}
	if o.lonely.IsZero() {
		o.lonely = now
	}
	if o.said || now.Sub(o.lonely) < alone {
		return ""
	}
	o.said = true
	line = "there are no workers, and the run waits for them"
	if o.config.Invite != "" {
		line += "; start one with: " + o.config.Invite
	}
	return line
}

// reportEvery is how often a status is made, however often somebody asks: it takes longer the
// more workers there are.
const reportEvery = 4 * tickEvery

// report answers whoever asks how the run is going. One goroutine at a time calls it.
func (o *Coordinator) report(m *nats.Msg) {
	if now := o.config.clock.now(); o.latest == nil || now.Sub(o.reported) >= reportEvery {
		s := o.Status()
		o.latest, o.reported = s.Encode(), now
		for len(o.latest) > wire.LongestMessage { // of thousands of workers not all are named
			s.Workers = s.Workers[:len(s.Workers)/2]
			o.latest = s.Encode()
		}
	}
	answer(m, o.latest)
}

// answersWithin is how long Ask waits for another coordinator.
const answersWithin = 500 * time.Millisecond

// Ask asks all coordinators on a server how they are.
func Ask(server string, a Access) (all []Status, err error) {
	nc, err := link{server, a}.connect()
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	inbox := nc.NewInbox()
	answers, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer answers.Unsubscribe()
	if err := nc.PublishRequest(subjectOfAll(status), inbox, nil); err != nil {
		return nil, err
	}
	for {
		m, err := answers.NextMsg(answersWithin)
		if err != nil { // nobody else, or nobody at all
			return all, nil
		}
		s, err := wire.DecodeStatus(m.Data)
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
}
