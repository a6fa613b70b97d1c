package guardian

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// launch starts our own executable again, as a guardian. It returns our end of the socket.
func launch(id, folder string, grace time.Duration) (*os.File, *os.Process, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "guardian"), os.NewFile(uintptr(pair[1]), "guardian")
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.Close()
		return nil, nil, err
	}
	defer null.Close()
	// The link leads to the file that runs, also if it has been replaced or removed.
	process, err := os.StartProcess("/proc/self/exe", []string{name, folder, grace.String()}, &os.ProcAttr{
		Dir:   "/",
		Env:   append(os.Environ(), variable+"="+id),
		Files: []*os.File{null, null, null, theirs},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		ours.Close()
		return nil, nil, err
	}
	return ours, process, nil
}

// send sends a message and the standard files that go with it; those that are nil are not
// sent. After an error nothing has been sent, or the guardian has gone.
func (g *Guardian) send(m message, files ...*os.File) error {
	var rights []int
	for i, f := range files {
		if f == nil {
			continue
		}
		fd := int(f.Fd()) // which also makes it block, as programs expect
		if fd < 0 {
			return fmt.Errorf("standard file %d of the program is closed", i)
		}
		m.files |= 1 << i
		rights = append(rights, fd)
	}
	defer runtime.KeepAlive(files)
	g.writing.Lock()
	defer g.writing.Unlock()
	b := m.bytes()
	if rights != nil {
		if err := sendFiles(g.link, b[:headerSize], rights); err != nil {
			return err
		}
		b = b[headerSize:]
	}
	if _, err := g.link.Write(b); err != nil && m.kind != begin {
		return err
	}
	// A program is never heard of if the guardian has gone; then listen ends it.
	return nil
}

// sendFiles sends a few bytes with files.
func sendFiles(link *os.File, b []byte, files []int) error {
	raw, err := link.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Write(func(fd uintptr) bool {
		for {
			sent = unix.Sendmsg(int(fd), b, unix.UnixRights(files...), nil, unix.MSG_NOSIGNAL)
			if sent != unix.EINTR {
				return sent != unix.EAGAIN
			}
		}
	})
	if sent == unix.EPIPE || sent == unix.ECONNRESET || err != nil {
		return ErrGone
	}
	return os.NewSyscallError("sendmsg", sent)
}

// An inbox reads from a socket and keeps the files that come with the bytes.
type inbox struct {
	link  *os.File
	files []int
}

func (in *inbox) Read(b []byte) (int, error) {
	raw, err := in.link.SyscallConn()
	if err != nil {
		return 0, err
	}
	var n, rights int
	var received error
	var space [64]byte // enough for three files
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, rights, _, _, received = unix.Recvmsg(int(fd), b, space[:], unix.MSG_CMSG_CLOEXEC)
			if received != unix.EINTR {
				return received != unix.EAGAIN
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case received != nil:
		return 0, received
	case n == 0 && len(b) > 0:
		return 0, os.ErrClosed
	}
	return n, in.keep(space[:rights])
}

// keep takes the files out of what came beside the bytes.
func (in *inbox) keep(beside []byte) error {
	if len(beside) == 0 {
		return nil
	}
	all, err := unix.ParseSocketControlMessage(beside)
	if err != nil {
		return err
	}
	for i := range all {
		files, err := unix.ParseUnixRights(&all[i])
		if err != nil {
			return err
		}
		in.files = append(in.files, files...)
	}
	return nil
}
