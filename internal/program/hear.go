package program

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/objective"
)

// hear reads what the child has written.
func (k *kept) hear(ctx context.Context, q *queue, c chunk) error {
	k.mute = false
	if err := k.early(c); err != nil {
		return err
	}
	k.heard = append(k.heard, c.data...)
	used := k.decode(false)
	if err := k.excess(used); err != nil {
		return err
	}
	k.heard = append(k.heard[:0], k.heard[used:]...)
	if len(k.replies) == 0 {
		return nil
	}
	k.waited(c.at.Sub(k.since))
	took := c.at.Sub(k.since).Seconds()
	k.pace.add(took, len(k.replies))
	k.since = c.at
	return k.take(ctx, q, took/float64(len(k.replies)))
}

// decode fills replies with what was heard, up to the first that breaks the protocol, and
// returns how many bytes they are.
func (k *kept) decode(end bool) (used int) {
	k.replies = k.replies[:0]
	for used < len(k.heard) {
		r, n := k.dialect.decode(k.heard[used:], end)
		if n == 0 {
			break
		}
		r.offset = used
		used += n
		if err := k.ids.contradicted(r); err != nil {
			r = reply{query: r.query, breach: stray, stop: err}
		} else if k.ids.hear(r) || r.breach == blank {
			continue
		}
		k.replies = append(k.replies, r)
		if r.breach != noBreach {
			break
		}
	}
	return used
}

// excess returns an error if there is more in what was heard than there are points. It
// has been used for replies up to here.
func (k *kept) excess(used int) error {
	room := len(k.sent) - k.unread
	for _, r := range k.replies {
		if r.query > 0 || r.breach == stray {
			continue
		}
		if room--; room < 0 {
			return k.surplus(k.heard[r.offset:])
		}
	}
	if n := len(k.replies); room > 0 || n > 0 && k.replies[n-1].breach != noBreach {
		return nil
	}
	return k.surplus(k.heard[used:])
}

// excessAtFirst returns an error if there is anything in what was heard although all points
// were answered.
func (k *kept) excessAtFirst() error {
	if err := k.surplus(k.heard); err != nil {
		return err
	}
	if r, n := k.dialect.decode(k.heard, false); n > 0 && r.breach != blank && k.naive() {
		if _, again := k.ids.of(r.query); again {
			return k.ids.contradicted(r)
		}
		return r.wrong()
	}
	return nil
}

// take believes the replies, each of which took so long.
func (k *kept) take(ctx context.Context, q *queue, seconds float64) error {
	if n := len(k.sent); n < len(k.replies) && k.naive() {
		return k.replies[n].wrong()
	}
	for _, r := range k.replies {
		j, known := job{}, false
		if r.breach != stray {
			if j, known = remove(&k.sent, r.query); !known {
				r = unasked(r.query)
			}
		}
		switch {
		case r.stop != nil:
			return r.stop
		case r.start != nil && k.naive():
			return r.start
		case r.breach == stray:
			k.drop()
			return k.blame(q, r.failure, nil)
		case r.breach == disorder || r.breach == half:
			if err := k.dismiss(); err != nil {
				return err
			}
			if k.held = append(k.held, held{j, r, seconds}); len(k.held) == 1 {
				k.believe(q) // it is the first that was sent
			}
			k.suspect()
			return nil
		}
		if err := k.doubt(ctx, seconds); err != nil {
			return err
		}
		if r.query > 0 {
			k.answer(q, j, r, seconds, k.stderr)
			continue
		}
		if k.held = append(k.held, held{j, r, seconds}); len(k.sent) == 0 {
			k.believe(q)
		}
	}
	return nil
}

func (k *kept) believe(q *queue) {
	for _, h := range k.held {
		k.answer(q, h.job, h.reply, h.seconds, k.stderr)
		k.told(h.job.query)
	}
	k.held = k.held[:0]
}

// unasked is the reply of a program that has answered what it was not asked.
func unasked(id int) reply {
	failure := noNumber("the program answered with the id %d, which it was not asked, or not any more", id)
	return reply{failure: failure, breach: stray, start: fmt.Errorf("%s: it should answer each id once", failure.Detail)}
}

// wrong says what is wrong with a reply for which there was no point.
func (r reply) wrong() error {
	if err := cmp.Or(r.stop, r.start); err != nil {
		return err
	}
	return unasked(r.query).start
}

// doubt waits a moment for surplus output after the very first answer of the run, before
// it is believed.
func (k *kept) doubt(ctx context.Context, seconds float64) error {
	if k.experience.answered.Load() {
		return nil
	}
	if k.child != nil && len(k.sent) == 0 {
		took := time.Duration(seconds * float64(time.Second))
		// Its end is no reason for doubt, and will be noticed.
		if _, err := k.lookOut(ctx, min(max(took, k.patience.doubt), k.patience.longDoubt), k.excessAtFirst); err != nil {
			return err
		}
	}
	k.experience.answered.Store(true)
	return nil
}

// died finds out why the child has ended, and what this means for the points that it was
// asked.
func (k *kept) died(ctx context.Context, q *queue) error {
	state, ours := k.finish()
	if len(k.sent) > 0 && !ours && clean(state) { // then the last line may have no end
		if err := k.excess(k.decode(true)); err != nil {
			return err
		}
		if err := k.take(ctx, q, time.Since(k.since).Seconds()); err != nil {
			return err
		}
	}
	if len(k.sent) == 0 {
		return nil
	}
	failure, err := k.epitaph(state, ours, k.mute, k.stderr)
	return k.blame(q, failure, err)
}

// blame says why a program has ended without an answer: because of its only point, or
// because of the machine. If there were several points, they become suspects.
func (k *kept) blame(q *queue, failure *objective.Failure, err error) error {
	if len(k.sent) != 1 {
		k.suspect()
		return nil
	}
	j := &k.sent[0]
	if err != nil {
		if err := k.excuse(j, err); err != nil {
			return err
		}
	}
	if err != nil || k.asked > 1 {
		k.suspect()
		return nil
	}
	k.fail(q, failure)
	return nil
}

// fail says that the first point without an answer has failed.
func (k *kept) fail(q *queue, failure *objective.Failure) {
	j, _ := remove(&k.sent, 0)
	k.answer(q, j, reply{failure: failure}, time.Since(k.since).Seconds(), k.stderr)
}

// suspect has all points without an answer that is believed asked once more, one by one.
func (k *kept) suspect() {
	doubtful := lists.Map(k.held, func(h held) job { return h.job })
	k.suspects = slices.Concat(doubtful, k.sent, k.suspects)
	k.sent = nil
	k.held = k.held[:0]
}

// limit is how long to wait at most.
func (k *kept) limit() (d time.Duration, limited bool) {
	unusual := !k.experience.answered.Load() || len(k.held) > 0
	d, limited = k.patience.limit(k.config.Timeout, !k.noted && unusual)
	return max(d-time.Since(k.since), 0), limited
}

// late is called when nothing was heard for a while.
func (k *kept) late(ctx context.Context, q *queue) error {
	quiet := time.Since(k.since)
	over := k.config.Timeout > 0 && quiet >= k.config.Timeout
	if over { // it may be we who are late, since we were stopped: an answer may be on its way
		look := time.NewTimer(k.patience.look)
		defer look.Stop()
		select {
		case c, ok := <-k.child.chunks:
			if ok {
				return k.hear(ctx, q, c)
			}
			return k.died(ctx, q)
		case <-look.C:
		}
	}
	if !k.noted && (quiet >= k.patience.silence || over && !k.experience.answered.Load()) {
		k.noted = true
		if len(k.held) > 0 {
			k.noteMissing(quiet, len(k.held), len(k.held)+len(k.sent))
		} else {
			k.noteSilence(quiet)
		}
	}
	if !over {
		return nil
	}
	k.drop()
	k.overdue(q)
	return nil
}

// overdue gives up the point that takes too long, or suspects all if it is not known which.
func (k *kept) overdue(q *queue) {
	if len(k.sent) == 1 && len(k.held) == 0 {
		k.fail(q, timedOut(k.config.Timeout))
	}
	k.suspect()
}
