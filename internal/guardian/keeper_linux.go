package guardian

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	if len(os.Args) == 3 && os.Args[0] == name {
		if id := os.Getenv(variable); id != "" {
			keep(id, os.Args[1], os.Args[2])
			os.Exit(0)
		}
	}
}

// keep is what the guardian does, from its start to its end. It runs on the first thread
// of the process, since an orphan becomes a child of that thread.
func keep(id, folder, grace string) {
	runtime.LockOSThread()
	emptyMask()
	unix.SetNonblock(3, true) // before NewFile, which then uses the poller
	k := &keeper{
		link: os.NewFile(3, "link"), id: id, folder: folder,
		self:     os.Getpid(),
		jobs:     map[uint64]*job{},
		leaders:  map[int]*job{},
		requests: make(chan request, 100),
		children: make(chan os.Signal, 1),
	}
	var err error
	if k.grace, err = time.ParseDuration(grace); err == nil {
		err = k.prepare()
	}
	if err != nil {
		k.tell(message{kind: failed, body: []byte(err.Error())})
		return
	}
	defer func() {
		if r := recover(); r != nil {
			k.tell(message{kind: failed, body: fmt.Appendf(nil, "%s failed: %v", name, r)})
			os.Exit(2)
		}
	}()
	k.tell(message{kind: ready})
	k.run()
}

// emptyMask starts the executable once more if signals are blocked. Otherwise they would
// be blocked in all programs, since Go gives them the mask that it was started with.
func emptyMask() {
	var blocked, none unix.Sigset_t
	if unix.PthreadSigmask(unix.SIG_SETMASK, nil, &blocked) != nil || blocked == none {
		return
	}
	unix.PthreadSigmask(unix.SIG_SETMASK, &none, nil)
	unix.FcntlInt(3, unix.F_SETFD, 0)
	syscall.Exec("/proc/self/exe", os.Args, os.Environ())
}

// prepare makes a guardian of the process.
func (k *keeper) prepare() error {
	debug.SetGCPercent(50)
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), 4))
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if err := closeInherited(); err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	// What is caught here has its default in programs; what is ignored would be ignored there.
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGPIPE,
		unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGCONT)
	signal.Notify(k.children, unix.SIGCHLD)
	k.starter = newStarter(k.id, null)
	go k.receive()
	return nil
}

// closeInherited closes files that we have from whoever started us. They are those
// without the flag that Go sets on all files of its own.
func closeInherited() error {
	unix.CloseOnExec(3)
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		var fd int
		if _, err := fmt.Sscan(n.Name(), &fd); err != nil || fd <= 3 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
	return nil
}

// A request is a message to the guardian with its files, or that nobody is there any more.
type request struct {
	message
	files []int
	lost  bool
}

// receive passes on the messages from the socket.
func (k *keeper) receive() {
	in := &inbox{link: k.link}
	for {
		m, err := readMessage(in)
		if err != nil {
			k.requests <- request{lost: true}
			return
		}
		k.requests <- request{message: m, files: in.files}
		in.files = nil
	}
}

// tell sends a message to whom the guardian works for. An error means that nobody is
// there, which receive finds out.
func (k *keeper) tell(m message) { k.link.Write(m.bytes()) }

// tidy removes the work folders that were in use, and the folder that they were in if
// nothing else is in it.
func (k *keeper) tidy() {
	if k.folder == "" {
		return
	}
	entries, _ := os.ReadDir(k.folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "run-") {
			os.RemoveAll(filepath.Join(k.folder, e.Name()))
		}
	}
	os.Remove(k.folder)
}
