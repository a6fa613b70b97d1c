package journal

import (
	"sync"
	"time"
)

// An alarm calls ring some time after it was set, once however often it was set meanwhile.
// Its methods are called under the writer's lock.
type alarm struct {
	wait  time.Duration
	ring  func()
	rang  *sync.WaitGroup
	timer *time.Timer
	on    bool
}

func (a *alarm) set() {
	if a.on {
		return
	}
	a.on = true
	a.rang.Add(1)
	a.timer = time.AfterFunc(a.wait, func() {
		defer a.rang.Done()
		a.ring()
	})
}

// heard is called by ring.
func (a *alarm) heard() { a.on = false }

// cancel stops an alarm that has not rung.
func (a *alarm) cancel() {
	if a.on && a.timer.Stop() {
		a.on = false
		a.rang.Done()
	}
}
