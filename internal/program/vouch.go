package program

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/untwist/untwist/objective"
)

// Answers without an id are shifted by a line too many, and nobody sees it: the line is taken
// for the answer to a point, the answer for that to the next point, and so on. But then there
// is always one answer more to come than we wait for. So when the program has answered all
// points and says nothing for longer than any answer took, all that it has said was right:
// this is a certain point. When it says too much, all answers since the last certain point
// are void.
//
// We wait for a certain point from time to time, and at the end of the run. While the other
// processes finish a batch it costs nothing.

// listenShare is which share of its time a program is listened to.
const listenShare = 1. / 50

// A vouching is what is known of how far answers can be trusted.
type vouching struct {
	first, last int           // the queries that were answered since the last certain point; 0: none
	since       time.Time     // when that was
	slowest     time.Duration // answer since then, but for a process's first, which has to start
	starting    bool          // there was no answer yet
	before      time.Duration // likewise, before that
}

// started notes that a process was started.
func (v *vouching) started() { v.since, v.starting = time.Now(), true }

// waited notes how long an answer took.
func (v *vouching) waited(d time.Duration) {
	if !v.starting {
		v.slowest = max(v.slowest, d)
	}
	v.starting = false
}

// told notes that a query was answered.
func (v *vouching) told(query int) {
	if v.first == 0 {
		v.first, v.last = query, query
	}
	v.first, v.last = min(v.first, query), max(v.last, query)
}

// certain notes that all answers so far were right.
func (v *vouching) certain() { *v = vouching{since: time.Now(), before: v.slowest} }

// quiet is how long a program that has nothing to do must say nothing.
func (k *kept) quiet() time.Duration {
	slowest := max(k.slowest, k.before)
	return max(k.patience.quiet, slowest+slowest/2)
}

// void returns an error that says which answers cannot be trusted, if there are any.
func (v *vouching) void(err error) error {
	if err == nil || v.first == 0 {
		return err
	}
	return &objective.VoidError{First: v.first, Last: v.last, Err: err}
}

// surplus says what is wrong with output for which there was no point.
func (k *kept) surplus(text []byte) error { return k.vouching.void(k.dialect.surplus(text)) }

// early returns an error if a part of the output was there before the points were sent whose
// answer it should be.
func (k *kept) early(c chunk) error {
	if !k.dialect.counted() || !c.at.Before(k.began) || len(bytes.TrimSpace(c.data)) == 0 {
		return nil
	}
	return k.surplus(append(bytes.TrimSpace(c.data), '\n'))
}

// listen waits for a certain point, if it is time for one. The program has nothing to do.
func (k *kept) listen(ctx context.Context) error {
	if k.child == nil || len(k.sent) > 0 || k.vouching.first == 0 {
		return nil
	}
	quiet := k.quiet()
	left := quiet - time.Since(k.since)
	if due := float64(time.Since(k.vouching.since))*listenShare >= float64(quiet); left > 0 && !due {
		return nil
	}
	gone, err := k.lookOut(ctx, max(left, 0), func() error { return k.surplus(k.heard) })
	switch rest := bytes.TrimSpace(k.heard); {
	case err != nil:
		return err
	case gone:
		return k.left()
	case len(rest) > 0:
		return k.surplus(append(rest, '\n'))
	}
	k.certain()
	return nil
}

// lookOut hears the child for so long, and reports whether it has ended by then. Whenever
// something was heard, check says what is wrong with it.
func (k *kept) lookOut(ctx context.Context, d time.Duration, check func() error) (ended bool, err error) {
	end := time.NewTimer(d)
	defer end.Stop()
	for {
		select {
		case c, ok := <-k.child.chunks:
			if !ok {
				return true, nil
			}
			k.heard = append(k.heard, c.data...)
			if err := check(); err != nil {
				return false, err
			}
		case <-end.C:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// left is called when a child without work has ended.
func (k *kept) left() error {
	state, ours := k.finish()
	if err := k.farewell(0); err != nil {
		return err
	}
	if !ours && clean(state) {
		k.certain()
	}
	return nil
}

// dismiss ends a child that has broken the protocol, or that is not needed any more. If it ends
// soon it is heard to its end, since its answers may have been shifted before.
func (k *kept) dismiss() error {
	if k.child == nil || k.vouching.first == 0 {
		k.drop()
		return nil
	}
	k.hearOut(min(2*k.quiet(), k.patience.close))
	return k.farewell(len(k.sent))
}

// hearOut ends the child's input, and hears it to its end, for so long at most.
func (k *kept) hearOut(wait time.Duration) {
	c := k.child
	late := time.NewTimer(wait)
	defer late.Stop()
	c.closeInput()
	for {
		select {
		case chunk, ok := <-c.chunks:
			if !ok {
				k.finish()
				return
			}
			if len(k.heard) <= longestReply {
				k.heard = append(k.heard, chunk.data...)
			}
		case <-late.C:
			k.drop()
			return
		}
	}
}

// farewell looks for more answers than so many in what a program has written at its end.
// Other words are fine there.
func (k *kept) farewell(most int) error {
	none := most == 0 // then NaN is one too many
	for rest := k.heard; len(rest) > 0; {
		r, n := k.dialect.decode(rest, true)
		if n == 0 {
			break
		}
		err := k.ids.contradicted(r)
		if r.breach == half || r.breach == noBreach && (none || r.failure == nil) {
			most--
		}
		if err == nil && most < 0 {
			err = k.surplus(append(slices.Clip(rest[:n]), '\n'))
		}
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// close ends the child. What it still writes after its input has ended is surplus.
func (k *kept) close() error {
	if k.child == nil {
		return nil
	}
	k.hearOut(max(k.patience.close, min(k.quiet(), k.patience.longClose)))
	if err := k.farewell(0); err != nil {
		return err
	}
	k.certain()
	return nil
}

// Vouch ends the program, and returns an *objective.VoidError if it has printed more than it
// was asked for: then it is not known which of its last answers belong to which points. The
// next batch starts it again.
func (o *Objective) Vouch() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.widened(errors.Join(closeSlots(o.slots)...)); err != nil {
		return err
	}
	if o.void != nil { // nobody may have listened to it
		return o.void
	}
	return nil
}

// widened has an error of one process speak of the answers of all: they run the same program.
func (o *Objective) widened(err error) error {
	void, ok := errors.AsType[*objective.VoidError](err)
	if !ok {
		return err
	}
	all := *void
	for _, s := range o.slots {
		if k, ok := s.(*kept); ok && k.vouching.first > 0 {
			all.First, all.Last = min(all.First, k.vouching.first), max(all.Last, k.vouching.last)
			k.vouching = vouching{}
		}
	}
	o.void = &all
	return o.void
}
