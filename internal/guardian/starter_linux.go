package guardian

import (
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A starter starts programs, one after another, on a thread of its own. The kernel kills
// a program when the thread that started it ends, so the thread lasts as long as the
// guardian. And since no other thread starts programs, children of the first thread are
// always orphans.
type starter struct {
	id      string
	null    *os.File
	orders  chan request
	results chan result
}

// A result is a program that was started, or why it was not.
type result struct {
	job   uint64
	pid   int
	errno syscall.Errno
}

func newStarter(id string, null *os.File) *starter {
	s := &starter{id: id, null: null, orders: make(chan request), results: make(chan result, 1)}
	go func() {
		runtime.LockOSThread()
		for r := range s.orders {
			pid, errno := s.start(r)
			s.results <- result{r.job, pid, errno}
		}
	}()
	return s
}

// start starts a program and closes our copies of its files.
func (s *starter) start(r request) (int, syscall.Errno) {
	defer closeAll(r.files)
	if bits.OnesCount8(r.message.files) != len(r.files) {
		return 0, syscall.EMFILE // some did not fit into our table of files
	}
	files := make([]uintptr, 3)
	for i := range files {
		files[i] = s.null.Fd()
		if r.message.files&(1<<i) != 0 {
			files[i] = uintptr(r.files[bits.OnesCount8(r.message.files&(1<<i-1))])
		}
	}
	c, err := r.command()
	if err != nil {
		return 0, syscall.EINVAL
	}
	pid, err := syscall.ForkExec(c.Path, c.Args, &syscall.ProcAttr{
		Dir:   c.Dir,
		Env:   s.environment(c.Env, r.job),
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if errno, ok := err.(syscall.Errno); ok {
		return 0, errno
	} else if err != nil {
		return 0, syscall.EINVAL
	}
	return pid, 0
}

// environment is that of the program, with its mark.
func (s *starter) environment(env []string, job uint64) []string {
	marked := make([]string, 0, len(env)+1)
	for _, e := range env {
		if !strings.HasPrefix(e, mark+"=") && !strings.HasPrefix(e, variable+"=") {
			marked = append(marked, e)
		}
	}
	return append(marked, mark+"="+markOf(s.id, job))
}

// markOf is the mark of a program and all it starts.
func markOf(id string, job uint64) string { return id + "-" + strconv.FormatUint(job, 10) }

// number is that of a job in its mark, or 0, which no job has.
func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 64)
	return n
}

func closeAll(files []int) {
	for _, f := range files {
		unix.Close(f)
	}
}
