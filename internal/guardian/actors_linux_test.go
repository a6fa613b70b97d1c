package guardian

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// play is what a program in these tests does. Its command line is the name actor, a token
// by which the test finds it, the part it plays, and more words.
func play(part string, words []string) {
	switch part {
	case "exit":
		code, _ := strconv.Atoi(words[0])
		os.Exit(code)
	case "signal": // ends itself
		n, _ := strconv.Atoi(words[0])
		unix.Kill(os.Getpid(), syscall.Signal(n))
		hang()
	case "hang":
		up()
		hang()
	case "polite": // ends with status 7 when it is asked to
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		up()
		<-asked
		os.Exit(7)
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		up()
		hang()
	case "start": // starts another part, in a session of its own if asked, and plays a third
		start(words[0], strings.Fields(unquote(words[1])))
		play(words[2], words[3:])
	case "moving": // starts its successor and ends, again and again
		n, _ := strconv.Atoi(words[0])
		if n > 0 {
			start("session", []string{"moving", strconv.Itoa(n - 1)})
		}
	case "show":
		show()
	case "count":
		total := 0
		for _, w := range words {
			total += len(w)
		}
		fmt.Println(len(words), total)
	case "copy":
		io.Copy(os.Stdout, os.Stdin)
	case "us":
		us(words)
	case "masked":
		masked(words)
	default:
		panic("no such part: " + part)
	}
}

// unquote separates what is for the child: its words are separated by commas, and those
// for its own child by @.
func unquote(s string) string { return strings.NewReplacer(",", " ", "@", ",", "&", "@").Replace(s) }

// up says that the program is ready.
func up() { fmt.Println("up", os.Getpid()) }

func hang() {
	for {
		unix.Ppoll(nil, nil, nil)
	}
}

// start starts another part with our files. In how, "session" means a session of its own
// and "cleared" no environment.
func start(how string, words []string) {
	attr := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Env: os.Environ(), Sys: &syscall.SysProcAttr{}}
	attr.Sys.Setsid = strings.Contains(how, "session")
	if strings.Contains(how, "cleared") {
		attr.Env = []string{race}
	}
	if _, err := os.StartProcess("/proc/self/exe", append([]string{actor, os.Args[1]}, words...), attr); err != nil {
		panic(err)
	}
}

// show prints what a program finds when it starts.
func show() {
	// The poller and the listing itself have files of their own, which are not inherited:
	// those have the flag.
	for fd := range 1000 {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && (fd < 3 || flags&unix.FD_CLOEXEC == 0) {
			flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			to, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			fmt.Println("file", fd, flags&unix.O_NONBLOCK, to)
		}
	}
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "SigBlk") || strings.HasPrefix(line, "SigIgn") {
			fmt.Println(strings.Fields(line)[0], strings.Fields(line)[1])
		}
	}
	session, _ := unix.Getsid(0)
	group, _ := unix.Getpgid(0)
	fmt.Println("leads", session == os.Getpid() && group == os.Getpid())
	for _, e := range os.Environ() {
		fmt.Println("env", e)
	}
}

// us uses the package as another program would: it starts a guardian with a folder and
// runs parts, separated by a comma, with our own standard output.
func us(words []string) {
	g, err := open(words[0])
	if err != nil {
		panic(err)
	}
	fmt.Println("guardian", g.process.Pid)
	for _, part := range words[1:] {
		_, err := g.Run(Command{
			Path: "/proc/self/exe", Args: append([]string{actor, os.Args[1]}, strings.Fields(unquote(part))...),
			Env: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr,
		})
		if err != nil {
			panic(err)
		}
	}
	hang()
}

func open(folder string) (*Guardian, error) {
	if folder == "-" {
		folder = ""
	}
	return startIn(folder, 20*time.Millisecond)
}

// masked blocks and ignores all signals, opens a file that is inherited, and then becomes
// another part.
func masked(words []string) {
	runtime.LockOSThread()
	for n := syscall.Signal(1); n < 32; n++ {
		if n != syscall.SIGCHLD {
			signal.Ignore(n)
		}
	}
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil)
	if _, err := unix.Open("/dev/zero", unix.O_RDONLY, 0); err != nil {
		panic(err)
	}
	panic(syscall.Exec("/proc/self/exe", append([]string{actor, os.Args[1]}, words...), os.Environ()))
}
