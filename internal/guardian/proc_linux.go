package guardian

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A process of the system, as /proc shows it.
type process struct {
	pid, parent, session int
	start                uint64 // when it started; with pid it means one process for ever
	dead                 bool   // only its exit status is left
	headless             bool   // its first thread has ended, and others live
	bare                 bool   // it has no memory that we can see: it is being loaded, or ends
	environ              uint64 // where its environment is, if we can see it
	thread               int    // one that has its memory: the first, unless it is headless
}

// processes returns all processes of the system, those with the largest numbers first,
// which are the youngest as a rule. It calls seen for each as soon as it has seen it.
// Those that start or end meanwhile may be missing.
func processes(seen func(process)) ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []process
	for _, n := range slices.Backward(names) { // the kernel lists them in order
		if pid, err := strconv.Atoi(n); err == nil {
			if p, ok := lookUp(pid); ok {
				seen(p)
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// lookUp returns the process with a number, if there is one.
func lookUp(pid int) (process, bool) {
	b, err := readProc(fmt.Sprintf("%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	p, ok := parseStat(pid, string(b))
	if ok && p.headless {
		p.findThread()
	}
	return p, ok
}

// findThread looks for a thread of a headless process that has its memory.
func (p *process) findThread() {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.pid))
	for _, entry := range threads {
		thread, _ := strconv.Atoi(entry.Name())
		b, _ := readProc(fmt.Sprintf("%d/task/%d/stat", p.pid, thread))
		if t, ok := parseStat(thread, string(b)); ok && !t.dead && !t.bare {
			p.bare, p.environ, p.thread = false, t.environ, thread
			return
		}
	}
}

// readProc reads a file of /proc. It does not use os.ReadFile, which asks the poller.
func readProc(file string) ([]byte, error) {
	fd, err := unix.Open("/proc/"+file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	b := make([]byte, 0, 1024)
	for {
		n, err := unix.Read(fd, b[len(b):cap(b)])
		if err == unix.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return b, err
		}
		b = slices.Grow(b[:len(b)+n], 512)
	}
}

// parseStat reads /proc/PID/stat, see proc_pid_stat(5). The second field, the name, may
// have any bytes in it, but the last parenthesis ends it.
func parseStat(pid int, line string) (process, bool) {
	name := strings.LastIndex(line, ") ")
	f := strings.Fields(line[name+1:]) // from the third field on, behind the parenthesis
	if name < 0 || len(f) < 20 {
		return process{}, false
	}
	number := func(field int) uint64 {
		if field-3 >= len(f) {
			return 0
		}
		n, _ := strconv.ParseUint(f[field-3], 10, 64)
		return n
	}
	p := process{pid: pid, parent: int(number(4)), session: int(number(6)), start: number(22), thread: pid}
	// A process whose first thread has ended looks like a dead one, but has other threads.
	p.headless = f[0] == "Z" && number(20) > 1
	p.dead = f[0] == "X" || f[0] == "Z" && !p.headless
	p.environ = number(51)
	p.bare = !p.dead && (p.environ == 0 || number(28) == 0) // the stack's start is set last
	return p, true
}

// marked returns what the mark in the environment of a process says, or "". If changing,
// the process is being loaded or ends, and so it will soon be known.
func (p process) marked() (text string, changing bool) {
	env, err := readProc(fmt.Sprintf("%d/task/%d/environ", p.pid, p.thread))
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if value, found := bytes.CutPrefix(v, []byte(mark+"=")); found {
			return string(value), false
		}
	}
	hidden := errors.Is(err, fs.ErrPermission) && !p.ours()
	return "", !hidden && !p.dead && (p.bare || len(env) == 0 && p.changed())
}

// ours reports whether a process belongs to our user. While it is being loaded, nobody but root
// may look at its environment all the same.
func (p process) ours() bool {
	status, _ := readProc(fmt.Sprintf("%d/status", p.pid))
	_, rest, _ := strings.Cut(string(status), "\nUid:")
	line, _, found := strings.Cut(rest, "\n")
	uid := strconv.Itoa(os.Geteuid())
	return found && !slices.ContainsFunc(strings.Fields(line), func(id string) bool { return id != uid })
}

// changed reports whether a process is no longer what it was.
func (p process) changed() bool {
	now, ok := lookUp(p.pid)
	return !ok || now.dead || now.bare || now.headless || now.start != p.start
}

// signal sends a signal to the process, and never to another that has got its number.
func (p process) signal(s unix.Signal) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, ok := lookUp(p.pid); !ok || now.start != p.start {
		return unix.ESRCH
	}
	if err == nil {
		return unix.PidfdSendSignal(fd, s, nil, 0)
	}
	return unix.Kill(p.pid, s) // an old kernel, or a limit of files
}

// A family is who is whose child.
type family map[int][]process

func familyOf(all []process) family {
	f := family{}
	for _, p := range all {
		f[p.parent] = append(f[p.parent], p)
	}
	return f
}

// below calls visit for everything below a process, parents first.
func (f family) below(pid int, visit func(process)) {
	seen := map[int]bool{pid: true} // what is read one by one may be a circle
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		for _, child := range f[next[0]] {
			if !seen[child.pid] {
				seen[child.pid] = true
				visit(child)
				next = append(next, child.pid)
			}
		}
	}
}
