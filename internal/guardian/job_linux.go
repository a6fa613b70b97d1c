package guardian

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// leftoverGrace is the time between SIGTERM and SIGKILL for what a program has left
	// behind when it ended.
	leftoverGrace = 100 * time.Millisecond
	// surrender is the time after SIGKILL at which we no longer wait. Such a process is
	// stuck in the kernel, and ends when it comes out of it.
	surrender = 10 * time.Second
	// lookAgain is how often we look for what SIGKILL has left.
	lookAgain = 10 * time.Millisecond
)

// A job is a program that the guardian has started, and everything that it has started.
type job struct {
	id      uint64
	pid     int  // of the leader; also the number of its session
	running bool // the leader has not ended yet
	doom    doom
	known   map[int]uint64 // members, once it is being ended: their numbers and starts
	unseen  int            // how often no member was seen, since one was
}

// remember notes that a process belongs to the job, in case that it loses its parents.
func (j *job) remember(p process) {
	if j.known == nil {
		j.known = map[int]uint64{}
	}
	j.known[p.pid] = p.start
}

// A doom is how something is being ended.
type doom struct {
	sealed   bool // it has begun
	warned   bool // SIGTERM was sent
	killed   bool // by request
	deadline time.Time
}

// seal begins the end, or shortens the time that is left.
func (d *doom) seal(now time.Time, grace time.Duration) {
	if deadline := now.Add(grace); !d.sealed || deadline.Before(d.deadline) {
		d.deadline = deadline
	}
	d.sealed = true
}

// A keeper is the guardian's state. One goroutine has it all.
type keeper struct {
	link       *os.File
	id, folder string
	grace      time.Duration
	self       int
	starter    *starter
	requests   chan request
	children   chan os.Signal

	jobs    map[uint64]*job
	leaders map[int]*job            // of the jobs whose leader runs
	queue   []request               // programs to start
	busy    bool                    // one is being started
	early   map[int]unix.WaitStatus // children that ended while one was being started
	changed bool                    // we should look at what is being ended
	unsure  bool                    // we do not know whose an orphan is, but will soon
	lost    bool                    // nobody is at the other end of the socket
}

// run does what is asked until everything is to be ended, and ends it.
func (k *keeper) run() {
	timer := time.NewTimer(0)
	for {
		select {
		case r := <-k.requests:
			if r.lost || r.kind == finish {
				k.lost = r.lost
				k.finish()
				return
			}
			k.handle(r)
		case r := <-k.starter.results:
			k.register(r)
		case <-k.children:
			k.reap()
		case <-timer.C:
			k.changed = true
		}
		k.startNext()
		if k.changed && len(k.requests) == 0 { // what is asked for at once is done at once
			k.changed = false
			if wait := k.endJobs(); wait > 0 {
				timer.Reset(wait)
			}
		}
	}
}

func (k *keeper) handle(r request) {
	switch r.kind {
	case begin:
		k.queue = append(k.queue, r)
	case kill:
		k.reap() // so that what has ended by itself was not killed
		if j := k.jobs[r.job]; j != nil {
			j.doom.seal(time.Now(), time.Duration(r.number()))
			j.doom.killed = j.doom.killed || j.running
			k.changed = true
		}
	}
}

func (k *keeper) startNext() {
	if !k.busy && len(k.queue) > 0 {
		k.busy, k.early = true, map[int]unix.WaitStatus{}
		k.starter.orders <- k.queue[0]
		k.queue[0] = request{}
		k.queue = k.queue[1:]
	}
}

// register takes the result of a start.
func (k *keeper) register(r result) {
	k.busy = false
	if r.errno != 0 {
		k.tell(numberMessage(refused, r.job, int64(r.errno)))
		return
	}
	j := &job{id: r.job, pid: r.pid, running: true}
	k.jobs[j.id], k.leaders[j.pid] = j, j
	k.tell(numberMessage(started, j.id, int64(j.pid)))
	if status, ended := k.early[j.pid]; ended && !child(j.pid) {
		k.ended(j.pid, status)
	}
}

// child reports whether a process is a child of ours that was not reaped.
func child(pid int) bool {
	return unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != unix.ECHILD
}

// reap takes the exit status of all children that have ended.
func (k *keeper) reap() {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if pid <= 0 || err != nil {
			return
		}
		k.ended(pid, status)
	}
}

// ended notes that a child has ended: a leader or an orphan.
func (k *keeper) ended(pid int, status unix.WaitStatus) {
	j := k.leaders[pid]
	if j == nil {
		if k.busy {
			k.early[pid] = status // it may be the one that is just being started
		}
		k.changed = true
		return
	}
	delete(k.leaders, pid)
	state := State{Code: status.ExitStatus(), Killed: j.doom.killed}
	if status.Signaled() {
		state.Signal = syscall.Signal(status.Signal())
	}
	k.tell(exitedMessage(j.id, state))
	j.running = false
	if !k.orphans() {
		k.finished(j)
		return
	}
	j.doom.seal(time.Now(), max(leftoverGrace, time.Until(j.doom.deadline)))
	k.changed = true
}

// orphans reports whether we have children that we did not start: children of the first
// thread, which is the one we run on.
func (k *keeper) orphans() bool {
	return waitOrphan(&unix.Siginfo{}) != unix.ECHILD
}

// orphanEnded reports whether an orphan has ended that was not reaped yet.
func (k *keeper) orphanEnded() bool {
	var info unix.Siginfo
	return waitOrphan(&info) == nil && info.Signo != 0
}

// waitOrphan looks whether an orphan has ended, and leaves it as it is.
func waitOrphan(info *unix.Siginfo) error {
	for {
		err := unix.Waitid(unix.P_ALL, 0, info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WNOTHREAD, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// finished forgets a job of which nothing is left.
func (k *keeper) finished(j *job) {
	if j.running { // it is stuck; see surrender
		delete(k.leaders, j.pid)
		k.tell(exitedMessage(j.id, State{Code: -1, Signal: syscall.SIGKILL, Killed: true}))
	}
	delete(k.jobs, j.id)
	k.tell(message{kind: done, job: j.id})
}
