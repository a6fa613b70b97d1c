package guardian

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// stopAndKill ends all processes that choose returns. It stops them first, until no new
// ones are found, since what is stopped cannot start others. For those that live but for a
// moment and start others, quick says as soon as a process is seen whether it is one of
// them. stopAndKill returns how many there were that we may kill, and does not wait until
// they have ended.
func stopAndKill(quick func(process) bool, choose func(all []process) []process) int {
	stopped := map[int]uint64{} // numbers and starts
	stop := func(p process) bool {
		if start, found := stopped[p.pid]; found && start == p.start {
			return false
		}
		stopped[p.pid] = p.start
		p.signal(unix.SIGSTOP)
		return true
	}
	var victims []process
	for range 100 {
		all, _ := processes(func(p process) {
			if quick(p) {
				stop(p)
			}
		})
		fresh := false
		victims = choose(all)
		for _, p := range victims {
			fresh = stop(p) || fresh
		}
		if !fresh {
			break
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
		left := stopAndKill(marked, choose)
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
