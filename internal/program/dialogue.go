package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/untwist/untwist/objective"
)

// A dialogue is what we and a process say to each other, in lines. We never wait for it to
// read, so that neither side can wait for the other for ever.
type dialogue struct {
	child    *child
	patience patience
	timeout  time.Duration // for a line; 0: no limit
	silent   func(time.Duration)

	heard   []byte // what the process has written
	used    int    // how much of it was returned
	looked  int    // how much of it has no end of line after used
	spoken  bool   // a line was heard
	writing bool
	unsaid  []byte // to be written afterwards
}

// longestLine is how much a process may write without the end of a line, or without
// waiting for our answer. 10,000 points of 1,000 coordinates take a fifth of it.
const longestLine = 1 << 30

// say has a text written.
func (d *dialogue) say(text []byte) {
	if d.writing {
		d.unsaid = append(d.unsaid, text...)
		return
	}
	d.writing = true
	d.child.ink <- text
}

// said is called when a text was written, or cannot be, because the process does not read
// any more. It may still write.
func (d *dialogue) said() {
	d.writing = false
	if text := d.unsaid; len(text) > 0 {
		d.unsaid = nil
		d.say(text)
	}
}

// line returns the next line that is not blank, without its end. It is valid until the next
// call. The error is io.EOF at the end of the output.
func (d *dialogue) line(ctx context.Context) ([]byte, error) {
	d.heard = append(d.heard[:0], d.heard[d.used:]...)
	d.used, d.looked = 0, 0
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for since := time.Now(); ; {
		for {
			n := bytes.IndexByte(d.heard[d.looked:], '\n')
			if n < 0 {
				d.looked = len(d.heard)
				break
			}
			line := bytes.TrimSpace(d.heard[d.used : d.looked+n])
			d.looked += n + 1
			d.used = d.looked
			if len(line) > 0 {
				d.spoken = true
				return line, nil
			}
		}
		if err := d.wait(ctx, alarm, since); err != nil {
			return nil, err
		}
	}
}

// wait waits until something was heard or written, or until it is late. We wait since then.
func (d *dialogue) wait(ctx context.Context, alarm *time.Timer, since time.Time) error {
	var late <-chan time.Time
	if limit, limited := d.patience.limit(d.timeout, d.silent != nil && !d.spoken); limited {
		alarm.Reset(limit - time.Since(since))
		late = alarm.C
	}
	select {
	case c, ok := <-d.child.chunks:
		if !ok {
			return io.EOF
		}
		if d.heard = append(d.heard, c.data...); len(d.heard)-d.used > longestLine {
			return fmt.Errorf("the optimiser wrote more than %d MiB, and neither ended its line nor read our values", longestLine>>20)
		}
	case <-d.child.written:
		d.said()
	case <-late:
		quiet := time.Since(since)
		if d.timeout > 0 && quiet >= d.timeout {
			return fmt.Errorf("the optimiser wrote no points within %v", d.timeout)
		}
		if d.silent != nil && quiet >= d.patience.silence {
			d.silent(quiet)
			d.silent = nil
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// drop ends the process at once.
func (d *dialogue) drop() { d.child.end(d.patience.grace) }

// conclude says that there is nothing more to read, and waits for the end of the process.
// What it still writes does not matter, nor does its exit status. It is ended after a while:
// ours.
func (d *dialogue) conclude() (ours bool) {
	late := time.NewTimer(d.patience.close)
	defer late.Stop()
	for {
		if !d.writing {
			d.child.closeInput()
		}
		select {
		case _, ok := <-d.child.chunks:
			if !ok {
				_, ours = d.child.finish(d.patience.leave, d.patience.grace)
				return ours
			}
		case <-d.child.written:
			d.said()
		case <-late.C:
			d.drop()
			return true
		}
	}
}

// verdict waits for the end of a process that has closed its output, and says whether it
// has ended as it should.
func (d *dialogue) verdict() error {
	state, ours := d.child.finish(d.patience.leave, d.patience.grace)
	if !ours {
		switch failure, machine := ended(state, d.child.said.bytes()); {
		case machine != nil:
			return machine
		case failure != nil && failure.Kind == objective.BadSignal:
			return fmt.Errorf("the optimiser was ended by %s", failure.Detail)
		case failure != nil:
			return fmt.Errorf("the optimiser ended with %s", failure.Detail)
		}
	}
	rest := bytes.TrimSpace(d.heard[d.used:])
	switch {
	case len(rest) > 0:
		return fmt.Errorf("the optimiser ended in the middle of a line, %s", quoted(rest))
	case !d.spoken:
		return errors.New("the optimiser ended with exit status 0 and asked for no point: " + whatToWrite)
	}
	return nil
}
