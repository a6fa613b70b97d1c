package guardian

import (
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
	files := make([]uintptr, 3)
	rest := r.files
	for i := range files {
		files[i] = s.null.Fd()
		if r.message.files&(1<<i) != 0 && len(rest) > 0 {
			files[i], rest = uintptr(rest[0]), rest[1:]
		}
	}
	defer closeAll(r.files)
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

func closeAll(files []int) {
	for _, f := range files {
		unix.Close(f)
	}
}
