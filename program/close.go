package program

import (
	"slices"
	"time"
)

// close ends the child. What it still writes after its input has ended is surplus.
func (k *kept) close() error {
	if k.child == nil {
		return nil
	}
	c := k.child
	k.child = nil
	late := time.NewTimer(k.patience.close)
	defer late.Stop()
	c.closeInput()
	for {
		select {
		case chunk, ok := <-c.chunks:
			if !ok {
				c.finish(k.patience.leave, k.patience.grace)
				return k.farewell()
			}
			if len(k.heard) <= longestReply {
				k.heard = append(k.heard, chunk.data...)
			}
		case <-late.C:
			c.end(k.patience.grace)
			return k.farewell()
		}
	}
}

// farewell looks for answers in what a program has written at its end. Other words are
// fine there.
func (k *kept) farewell() error {
	for rest := k.heard; len(rest) > 0; {
		r, n := k.dialect.decode(rest, true)
		if n == 0 {
			break
		}
		if r.breach == noBreach {
			if err := k.dialect.surplus(append(slices.Clip(rest[:n]), '\n')); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	return nil
}
