package cluster

import "context"

// A clerk thanks workers for their values once these are in the journal. What comes while
// the journal is being written is written together, next time.
type clerk struct {
	flush  func() error
	thanks chan func(kept bool)
}

// mostThanks is how many workers may wait to be thanked before the next has to wait.
const mostThanks = 1 << 12

func newClerk(flush func() error) *clerk {
	return &clerk{flush, make(chan func(bool), mostThanks)}
}

// thank calls this once what was told so far is in the journal, or cannot be brought there.
func (c *clerk) thank(ctx context.Context, reply func(kept bool)) {
	select {
	case c.thanks <- reply:
	case <-ctx.Done():
	}
}

// run works until the context ends.
func (c *clerk) run(ctx context.Context) {
	var all []func(bool)
	for {
		select {
		case <-ctx.Done():
			return
		case reply := <-c.thanks:
			all = append(all[:0], reply)
		}
	more:
		for {
			select {
			case reply := <-c.thanks:
				all = append(all, reply)
			default:
				break more
			}
		}
		kept := c.flush() == nil
		for _, reply := range all {
			reply(kept)
		}
	}
}
