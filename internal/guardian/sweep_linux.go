package guardian

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A hunt is for the processes that choose returns. For those that live but for a moment
// and start others, quick says as soon as a process is seen whether it is one of them.
// After a look at all processes, sure says whether nothing can have been missed.
type hunt struct {
	quick  func(process) bool
	choose func(all []process) []process
	sure   func() bool
}

// run stops the processes, until no new ones are found, since what is stopped cannot start
// others. Then it kills them. It returns how many there were that we may kill, and does
// not wait until they have ended.
func (h hunt) run() int {
	stopped := map[int]uint64{} // numbers and starts
	fresh := false
	self, _ := lookUp(os.Getpid())
	stop := func(p process) {
		// What has our memory is just being started, and we could go no further until it is.
		if p.environ != 0 && p.environ == self.environ {
			return
		}
		if start, found := stopped[p.pid]; found && start == p.start {
			return
		}
		stopped[p.pid], fresh = p.start, true
		p.signal(unix.SIGSTOP)
	}
	var victims []process
	for looks, vain := 0, 0; looks < 100 && vain < 5; looks++ {
		fresh = false
		all, _ := processes(func(p process) {
			if h.quick(p) {
				stop(p)
			}
		})
		victims = h.choose(all)
		for _, p := range victims {
			stop(p)
		}
		vain++
		if sure := h.sure(); sure && !fresh {
			break
		} else if fresh {
			vain = 0
		}
	}
	ours := 0
	for _, p := range victims {
		if err := p.signal(unix.SIGKILL); !errors.Is(err, unix.EPERM) {
			ours++
		}
	}
	return ours
}

// sweep ends what programs have left behind whose guardian was killed: processes with its
// mark, what is below them, and what shares their sessions.
func sweep(id string, leaders []int) error {
	self := os.Getpid()
	marked := func(p process) bool {
		text, _ := p.marked()
		return p.pid != self && !p.dead && strings.HasPrefix(text, id+"-")
	}
	choose := func(all []process) (victims []process) {
		children := familyOf(all)
		sessions, taken := map[int]bool{}, map[int]bool{self: true, 1: true}
		for _, l := range leaders {
			sessions[l] = true
		}
		take := func(p process) {
			if !taken[p.pid] && !p.dead {
				taken[p.pid] = true
				sessions[p.session] = true
				victims = append(victims, p)
			}
		}
		for _, p := range all {
			if marked(p) {
				take(p)
				children.below(p.pid, take)
			}
		}
		for count := -1; count != len(victims); {
			count = len(victims)
			for _, p := range all {
				if sessions[p.session] && !taken[p.pid] {
					take(p)
					children.below(p.pid, take)
				}
			}
		}
		return victims
	}
	limit := time.Now().Add(surrender)
	for clean := 0; clean < 5; {
		left := hunt{marked, choose, func() bool { return true }}.run()
		if left == 0 {
			clean++
			continue
		}
		clean = 0
		if time.Now().After(limit) {
			return fmt.Errorf("%d processes of programs could not be ended", left)
		}
		time.Sleep(lookAgain)
	}
	return nil
}
