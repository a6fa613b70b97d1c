package guardian

import (
	"fmt"
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
	now := time.Now()
	k.killJobs(now)
	members, sure := k.look()
	var wait time.Duration
	for _, j := range k.jobs {
		if !j.doom.sealed {
			continue
		}
		if j.over(sure) || now.After(j.doom.deadline.Add(surrender)) {
			k.finished(j)
			continue
		}
		next := lookAgain
		if !j.doom.press(now, members[j]) && sure {
			next = max(j.doom.deadline.Sub(now), time.Millisecond)
		}
		if wait == 0 || next < wait {
			wait = next
		}
	}
	return wait
}

func (k *keeper) anySealed() bool {
	for _, j := range k.jobs {
		if j.doom.sealed {
			return true
		}
	}
	return false
}

// look returns the processes of all jobs, and whether it is sure that there are no others.
// What starts another process and ends while we look can be missed, and so can the other.
// But then one of them, or what is above them, was a child of ours that has ended, or is
// just ending.
func (k *keeper) look() (members map[*job][]process, sure bool) {
	k.reap()
	k.unsure = false
	for range 3 {
		all, _ := processes(func(process) {})
		members = k.members(all)
		k.count(members)
		if sure = k.sure(); sure {
			break
		}
	}
	return members, sure
}

// count counts a look at all processes.
func (k *keeper) count(members map[*job][]process) {
	for _, j := range k.jobs {
		if len(members[j]) > 0 {
			j.unseen = 0
		} else if !k.unsure {
			j.unseen++
		}
	}
}

// sure reports whether nothing can have been missed since it was called last.
func (k *keeper) sure() bool {
	sure := !k.unsure && !k.orphanEnded()
	k.unsure = false
	k.reap()
	return sure
}

// over reports whether nothing is left of the job: we are sure, or have looked so often
// that it can only be something else that comes and goes. A look does not count while we do
// not know whose an orphan is: it may be one of the job, and takes long on a busy machine.
func (j *job) over(sure bool) bool {
	return !j.running && (sure && j.unseen > 0 || j.unseen > 50)
}

// press sends SIGTERM once and reports whether it is time for SIGKILL.
func (d *doom) press(now time.Time, members []process) bool {
	if d.due(now) {
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

// due reports whether it is time for SIGKILL.
func (d *doom) due(now time.Time) bool { return d.sealed && !now.Before(d.deadline) }

// killJobs kills the jobs whose time has come.
func (k *keeper) killJobs(now time.Time) {
	due := false
	for _, j := range k.jobs {
		due = due || j.doom.due(now)
	}
	if !due {
		return
	}
	doomed := func(p process) bool {
		if p.parent != k.self || p.dead || k.leaders[p.pid] != nil {
			return false
		}
		j := k.owner(p)
		return j != nil && j.doom.due(now)
	}
	victims := func(all []process) (victims []process) {
		for j, members := range k.members(all) {
			if j.doom.due(now) {
				victims = append(victims, members...)
			}
		}
		return victims
	}
	hunt{doomed, victims, k.sure}.run()
}

// members returns those of all processes that belong to a job. Leaders and what is below
// them are known by their parents; orphans, which are children of the guardian, by their
// mark, by an earlier look, or by their session.
func (k *keeper) members(all []process) map[*job][]process {
	children := familyOf(all)
	members, sessions := map[*job][]process{}, map[int]*job{}
	for _, j := range k.jobs {
		for s := range j.sessions {
			sessions[s] = j
		}
	}
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
	text, changing := p.marked()
	if job, found := strings.CutPrefix(text, k.id+"-"); found {
		return k.jobs[number(job)]
	}
	for _, j := range k.jobs {
		if start, found := j.known[p.pid]; found && start == p.start {
			return j
		}
	}
	k.unsure = k.unsure || changing
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
		if d.due(now) {
			hunt{func(p process) bool { return p.parent == k.self && !p.dead }, k.below, k.sure}.run()
		} else if !d.warned {
			d.press(now, k.everything())
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
func (k *keeper) everything() []process {
	all, _ := processes(func(process) {})
	return k.below(all)
}

// below returns those of all processes that live below the guardian.
func (k *keeper) below(all []process) (living []process) {
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
	k.tell(message{kind: failed, body: []byte("these processes of the programs could not be ended: " + strings.Join(left, ", "))})
}
