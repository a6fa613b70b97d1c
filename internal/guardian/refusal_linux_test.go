package guardian

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Why a program cannot be started is told in one line that says what to do.
func TestRefusals(t *testing.T) {
	s := newStage(t)
	folder := t.TempDir()
	write := func(name, text string, mode fs.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("plain", "#!/bin/sh\n", 0o644)
	write("nameless", "echo 1\n", 0o755)
	write("lost", "#!/no/such/interpreter -x\necho 1\n", 0o755)
	write("windows", "#!/bin/sh\r\necho 1\r\n", 0o755)
	write("empty", "", 0o755)
	write("noise", "\x00\x01\x02\x03", 0o755)
	write("elf", "\x7fELF\x02\x01\x01", 0o755)
	if err := syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, dir string
		is        error
		says      string
	}{
		{"./missing", "", fs.ErrNotExist, "start ./missing: no such file or directory"},
		{"/missing", "", fs.ErrNotExist, "start /missing: no such file or directory"},
		{"./plain/x", "", syscall.ENOTDIR, "start ./plain/x: not a directory"},
		{"./plain", "", fs.ErrPermission, "start ./plain: permission denied: it has no execute bit; chmod +x sets it"},
		{".", "", fs.ErrPermission, "start .: it is a folder, not a program"},
		{"./fifo", "", fs.ErrPermission, "start ./fifo: it is not a regular file"},
		{"./nameless", "", syscall.ENOEXEC, "start ./nameless: it is a script whose first line does not name an interpreter, such as #!/bin/sh"},
		{"./empty", "", syscall.ENOEXEC, "start ./empty: it is an empty file"},
		{"./noise", "", syscall.ENOEXEC, "start ./noise: it is not a program for this system"},
		{"./elf", "", nil, "start ./elf: it is not a program for this system"},
		{"./lost", "", fs.ErrNotExist, "start ./lost: its interpreter /no/such/interpreter, named in its first line, does not exist"},
		{"./windows", "", fs.ErrNotExist, "start ./windows: its first line ends with a carriage return, as on Windows, so its interpreter is not found"},
		{"/bin/sh", "/no/such/folder", fs.ErrNotExist, "run in /no/such/folder: no such file or directory"},
		{"/bin/sh", "./plain", syscall.ENOTDIR, "run in ./plain: not a directory"},
		{"", "", nil, "guardian: Command.Path is empty"},
		{"/bin/\x00", "", syscall.EINVAL, "start /bin/\x00: \"/bin/\\x00\" has a zero byte in it, which no argument may have"},
	} {
		if c.dir == "" {
			c.dir = folder
		} else if c.dir == "./plain" {
			c.dir = filepath.Join(folder, "plain")
			c.says = strings.Replace(c.says, "./plain", c.dir, 1)
		}
		p, err := s.g.Run(Command{Path: c.path, Args: []string{"x"}, Dir: c.dir})
		if err == nil {
			p.Kill(0)
			t.Errorf("%q was started", c.path)
			continue
		}
		if c.is != nil && !errors.Is(err, c.is) || err.Error() != c.says {
			t.Errorf("%q: %v\nwant %s, which is %v", c.path, err, c.says, c.is)
		}
		var path *fs.PathError
		if c.path != "" && !errors.As(err, &path) {
			t.Errorf("%q: %T", c.path, err)
		}
	}
	if _, err := s.g.Run(Command{Path: "/bin/sh"}); err == nil || !strings.Contains(err.Error(), "Command.Args is empty") {
		t.Error(err)
	}
	// The guardian has started nothing and works as before.
	p := s.run("exit", "0")
	s.wait(p.Done(), "done")
	for errno, says := range map[syscall.Errno]string{
		syscall.ENOMEM: "start /bin/sh: the system cannot start another process now: cannot allocate memory",
		syscall.EAGAIN: "start /bin/sh: the system cannot start another process now: resource temporarily unavailable",
		syscall.E2BIG:  "start /bin/sh: its arguments and environment are too long for the system",
		syscall.EIO:    "start /bin/sh: input/output error",
	} {
		if err := refusal(Command{Path: "/bin/sh", Dir: "/"}, errno); !errors.Is(err, errno) || err.Error() != says {
			t.Errorf("%v: %v", errno, err)
		}
	}
}
