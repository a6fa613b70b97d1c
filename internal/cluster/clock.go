package cluster

import "time"

// A clock is the only source of time of a coordinator or a worker, so that tests can have
// their own. Times never leave the machine: there are none in any message.
type clock interface {
	now() time.Time
	// every returns a channel that is sent to so often, and a function that ends this.
	every(d time.Duration) (<-chan time.Time, func())
	// after returns a channel that is sent to after so long, and a function that ends this.
	after(d time.Duration) (<-chan time.Time, func())
}

// wallClock is the clock of this machine.
type wallClock struct{}

func (wallClock) now() time.Time { return time.Now() }

func (wallClock) every(d time.Duration) (<-chan time.Time, func()) {
	ticker := time.NewTicker(d)
	return ticker.C, ticker.Stop
}

func (wallClock) after(d time.Duration) (<-chan time.Time, func()) {
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}
