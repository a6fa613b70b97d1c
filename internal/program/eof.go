package program

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/untwist/untwist/objective"
)

// A whole is a slot whose program answers at the end of its input: it is started anew for
// all jobs that the slot takes.
type whole struct{ base }

func (c *whole) close() error { return nil }

// serve answers the jobs of a queue. Those that a call of several has not answered are
// asked once more, one by one.
func (c *whole) serve(ctx context.Context, q *queue) error {
	for {
		jobs := q.take(math.MaxInt)
		if len(jobs) == 0 {
			return nil
		}
		answered, err := c.call(ctx, q, jobs)
		if err != nil {
			return err
		}
		for i := answered; i < len(jobs); { // none of them, or all
			n, err := c.call(ctx, q, jobs[i:i+1])
			if err != nil {
				return err
			}
			i += n
		}
	}
}

// call starts the program for some jobs and answers them, none of them before it is certain
// that the program keeps to the protocol. If there are fewer replies than jobs, none is
// answered, since it is not known which line was left out. A single job may be left without
// an answer only if the machine failed.
func (c *whole) call(ctx context.Context, q *queue, jobs []job) (answered int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	start := time.Now()
	var child *child
	for child == nil { // there are not so many retries
		if child, err = c.start(ctx, &jobs[0]); err != nil {
			return 0, err
		}
	}
	s := session{base: &c.base, child: child, jobs: jobs}
	failure, err := s.run(ctx)
	if machine := (*MachineError)(nil); err != nil && !errors.As(err, &machine) {
		return 0, err
	}
	if len(s.replies) < len(jobs) && len(jobs) > 1 {
		return 0, nil
	}
	seconds := time.Since(start).Seconds() / float64(max(len(s.replies), 1))
	for i, r := range s.replies {
		if r.breach == noBreach {
			c.experience.answered.Store(true)
		}
		c.answer(q, jobs[i], r, seconds, child.said)
	}
	answered = len(s.replies)
	switch {
	case answered == len(jobs):
		return answered, nil
	case err != nil:
		return 0, c.excuse(&jobs[0], err)
	}
	c.answer(q, jobs[0], reply{failure: failure}, seconds, child.said)
	return 1, nil
}

// A session is one run of a program that reads to the end of its input.
type session struct {
	*base
	child   *child
	jobs    []job
	written int // how many jobs were given to the writer
	text    []byte
	heard   []byte
	mute    bool
	late    bool    // it was told to end, and what it says now may count or not
	replies []reply // in the order of the jobs
}

// run talks with the program until its end. It returns why there may be fewer replies than
// jobs. The program has ended when it returns.
func (c *session) run(ctx context.Context) (failure *objective.Failure, err error) {
	var late <-chan time.Time
	if c.config.Timeout > 0 {
		ring, stop := alarm(c.config.Timeout)
		defer stop()
		late = ring
	}
	c.mute = true
	c.write()
	for {
		select {
		case chunk, ok := <-c.child.chunks:
			if !ok {
				return c.finish()
			}
			c.mute = false
			c.heard = append(c.heard, chunk.data...)
			if c.late {
				continue
			}
			if err := c.read(false); err != nil {
				c.child.end(c.patience.grace)
				return nil, err
			}
		case w := <-c.child.written:
			if w.err != nil { // it has stopped reading, but may still answer
				c.written = len(c.jobs)
			}
			c.write()
		case <-late: // unless it has ended by itself, and we were stopped
			c.late = true
			c.child.process.Kill(c.patience.grace)
		case <-ctx.Done():
			c.child.end(c.patience.grace)
			return nil, context.Cause(ctx)
		}
	}
}

// write gives the next points to the writer, and ends the input after the last.
func (c *session) write() {
	if c.written == len(c.jobs) {
		c.child.closeInput()
		return
	}
	c.text = c.text[:0]
	for c.written < len(c.jobs) && len(c.text) < mostRead {
		text, n := c.dialect.encode(c.text, c.jobs[c.written:])
		c.text, c.written = text, c.written+n
	}
	c.child.ink <- c.text
}

// read takes the replies out of what was heard.
func (c *session) read(end bool) error {
	used := 0
	for used < len(c.heard) {
		r, n := c.dialect.decode(c.heard[used:], end)
		if n == 0 {
			break
		}
		if len(c.replies) == len(c.jobs) {
			return c.dialect.surplus(append(c.heard[used:used+n:used+n], '\n'))
		}
		if r.start != nil && c.naive() {
			return r.start
		}
		c.replies = append(c.replies, r)
		used += n
	}
	c.heard = append(c.heard[:0], c.heard[used:]...)
	return nil
}

// finish finds out how the program has ended.
func (c *session) finish() (*objective.Failure, error) {
	state, ours := c.child.finish(c.patience.leave, c.patience.grace)
	if c.late && state.Killed {
		return timedOut(c.config.Timeout), nil
	}
	if err := c.read(!ours && clean(state)); err != nil { // then the last line may have no end
		return nil, err
	}
	return c.epitaph(state, ours, c.mute && len(c.jobs) == 1, c.child.said)
}
