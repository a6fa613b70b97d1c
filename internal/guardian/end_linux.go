package guardian

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// endJobs does the next step for all jobs that are being ended. It returns when it wants
// to be called again; 0: when a child has ended.
func (k *keeper) endJobs() time.Duration {
	if !k.anySealed() {
		return 0
	}
	members := k.members()
	again := members // a process that is just moving can be missed once
	if k.orphans() {
		again = k.members()
	}
	now := time.Now()
	due := false
	var next time.Time
	for _, j := range k.jobs {
		if !j.doom.sealed {
			continue
		}
		all := append(members[j], again[j]...)
		if !j.running && len(all) == 0 || now.After(j.doom.deadline.Add(surrender)) {
			k.finished(j)
			continue
		}
		due = j.doom.press(now, members[j]) || due
		if next.IsZero() || j.doom.deadline.Before(next) {
			next = j.doom.deadline
		}
	}
	if due {
		stopAndKill(func() (victims []process) {
			for j, all := range k.members() {
				if j.doom.sealed && !now.Before(j.doom.deadline) {
					victims = append(victims, all...)
				}
			}
			return victims
		})
		return lookAgain
	}
	if next.IsZero() {
		return 0
	}
	return max(time.Until(next), time.Millisecond)
}

func (k *keeper) anySealed() bool {
	for _, j := range k.jobs {
		if j.doom.sealed {
			return true
		}
	}
	return false
}

// press sends SIGTERM once and reports whether it is time for SIGKILL.
func (d *doom) press(now time.Time, members []process) bool {
	if !now.Before(d.deadline) {
		return true
	}
	if !d.warned {
		d.warned = true
		for _, p := range members {
			p.signal(unix.SIGTERM)
			p.signal(unix.SIGCONT) // what is stopped could not hear it
		}
	}
	return false
}

// members returns the processes of all jobs. Leaders and what is below them are known by
// their parents; orphans, which are children of the guardian, by their mark, by an
// earlier look, or by their session.
func (k *keeper) members() map[*job][]process {
	all, _ := processes()
	children := familyOf(all)
	members, sessions := map[*job][]process{}, map[int]*job{}
	for _, j := range k.jobs {
		sessions[j.pid] = j
	}
	join := func(j *job, p process) {
		add := func(p process) {
			if p.dead {
				return
			}
			members[j] = append(members[j], p)
			if sessions[p.session] == nil {
				sessions[p.session] = j
			}
			if j.doom.sealed {
				j.remember(p)
			}
		}
		add(p)
		children.below(p.pid, add)
	}
	var orphans []process
	for _, p := range children[k.self] {
		if j := k.leaders[p.pid]; j != nil {
			join(j, p)
		} else if j := k.owner(p); j != nil {
			join(j, p)
		} else if !p.dead {
			orphans = append(orphans, p)
		}
	}
	for found := true; found; {
		found = false
		orphans = slices.DeleteFunc(orphans, func(p process) bool {
			j := sessions[p.session]
			if j != nil {
				join(j, p)
				found = true
			}
			return j != nil
		})
	}
	return members
}

// owner returns the job of an orphan by its mark or by an earlier look, or nil.
func (k *keeper) owner(p process) *job {
	text := p.marked()
	for tries := 0; p.unborn && text == "" && tries < 20; tries++ {
		time.Sleep(100 * time.Microsecond) // it is being loaded, for a moment
		p, _ = lookUp(p.pid)
		text = p.marked()
	}
	for _, j := range k.jobs {
		if text == markOf(k.id, j.id) || j.known[p.pid] == p.start && p.start != 0 {
			return j
		}
	}
	return nil
}

// finish ends everything below the guardian.
func (k *keeper) finish() {
	k.queue = nil // whoever asked for them learns it when the socket closes
	var d doom
	d.seal(time.Now(), k.grace)
	tick := time.NewTicker(lookAgain)
	for {
		k.reap()
		for _, j := range k.leaders {
			j.doom.killed = true
		}
		if !k.busy && k.alone() {
			break
		}
		now := time.Now()
		if now.After(d.deadline.Add(surrender)) {
			k.giveUp()
			break
		}
		if !d.warned || !now.Before(d.deadline) {
			if d.press(now, k.everything()) {
				stopAndKill(k.everything)
			}
		}
		select {
		case <-k.children:
		case r := <-k.starter.results:
			k.register(r)
			d.warned = false
		case <-tick.C:
		case r := <-k.requests:
			k.lost = k.lost || r.lost
			closeAll(r.files)
		}
	}
	for _, j := range k.jobs {
		k.finished(j)
	}
	if k.lost {
		k.tidy()
	}
}

// alone reports whether the guardian has no children, and so nothing below it.
func (k *keeper) alone() bool {
	var info unix.Siginfo
	return unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD
}

// everything returns all that lives below the guardian.
func (k *keeper) everything() (living []process) {
	all, _ := processes()
	familyOf(all).below(k.self, func(p process) {
		if !p.dead {
			living = append(living, p)
		}
	})
	return living
}

// giveUp says what could not be ended.
func (k *keeper) giveUp() {
	var left []string
	for _, p := range k.everything() {
		left = append(left, fmt.Sprint(p.pid))
	}
	k.tell(message{kind: failed, body: []byte("these processes could not be ended: " + strings.Join(left, ", "))})
}

// sweep ends what programs have left behind whose guardian was killed: processes with its
// mark, what is below them, and what shares their sessions.
func sweep(id string, leaders []int) error {
	self := os.Getpid()
	find := func() (victims []process) {
		all, _ := processes()
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
			if strings.HasPrefix(p.marked(), id+"-") {
				take(p)
				children.below(p.pid, take)
			}
		}
		for found := true; found; {
			found = false
			for _, p := range all {
				if sessions[p.session] && !taken[p.pid] && !p.dead {
					take(p)
					children.below(p.pid, take)
					found = true
				}
			}
		}
		return victims
	}
	limit := time.Now().Add(surrender)
	for clean := 0; clean < 2; {
		if stopAndKill(find) == 0 {
			clean++
			continue
		}
		clean = 0
		if time.Now().After(limit) {
			return fmt.Errorf("%d processes could not be ended", len(find()))
		}
		time.Sleep(lookAgain)
	}
	return nil
}
