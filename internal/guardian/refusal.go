package guardian

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// unfit says why a command cannot be passed on at all.
func unfit(c Command) error {
	switch {
	case c.Path == "":
		return errors.New("guardian: Command.Path is empty")
	case len(c.Args) == 0:
		return errors.New("guardian: Command.Args is empty; its first is the name of the program")
	}
	for _, list := range [][]string{{c.Path, c.Dir}, c.Args, c.Env} {
		for _, s := range list {
			if strings.ContainsRune(s, 0) {
				return &fs.PathError{Op: "start", Path: c.Path, Err: reason{
					fmt.Sprintf("%.40q has a zero byte in it, which no argument may have", s), syscall.EINVAL}}
			}
		}
	}
	return nil
}

// A reason is an error number in plain words.
type reason struct {
	text  string
	errno syscall.Errno
}

func (r reason) Error() string { return r.text }
func (r reason) Unwrap() error { return r.errno }

// refusal is the error of a command that the system did not start. The system gives one
// number for several causes, so it looks which one it was.
func refusal(c Command, errno syscall.Errno) error {
	if info, err := os.Stat(c.Dir); err != nil {
		return &fs.PathError{Op: "run in", Path: c.Dir, Err: errors.Unwrap(err)}
	} else if !info.IsDir() {
		return &fs.PathError{Op: "run in", Path: c.Dir, Err: syscall.ENOTDIR}
	}
	path := c.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir, path)
	}
	refused := &fs.PathError{Op: "start", Path: c.Path, Err: errno}
	if text := why(path, errno); text != "" {
		refused.Err = reason{text, errno}
	}
	return refused
}

// why explains an error number, or returns "" where the system's own words will do.
func why(path string, errno syscall.Errno) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return "it is a folder, not a program"
	case !info.Mode().IsRegular():
		return "it is not a regular file"
	case errno == syscall.EACCES && info.Mode()&0o111 == 0:
		return "permission denied: it has no execute bit; chmod +x sets it"
	}
	shebang := interpreter(path)
	name, _, _ := strings.Cut(strings.TrimSuffix(shebang, "\r"), " ")
	switch errno {
	case syscall.ENOENT:
		switch {
		case strings.HasSuffix(shebang, "\r"):
			return "its first line ends with a carriage return, as on Windows, so its interpreter is not found"
		case shebang != "":
			return fmt.Sprintf("its interpreter %s, named in its first line, does not exist", name)
		}
		return "the loader that it needs does not exist; it may be for another system"
	case syscall.EACCES:
		if shebang != "" {
			return fmt.Sprintf("permission denied for it or for its interpreter %s", name)
		}
	case syscall.ENOEXEC:
		if info.Size() == 0 {
			return "it is an empty file"
		}
		if isText(path) {
			return "it is a script whose first line does not name an interpreter, such as #!/bin/sh"
		}
		return "it is not a program for this system"
	case syscall.E2BIG:
		return "its arguments and environment are too long for the system"
	case syscall.ENOMEM, syscall.EAGAIN:
		return "the system cannot start another process now: " + errno.Error()
	}
	return ""
}

// interpreter returns what follows #! in the first line of a file, or "".
func interpreter(path string) string {
	line, _ := bufio.NewReader(bytes.NewReader(head(path))).ReadString('\n')
	rest, found := strings.CutPrefix(line, "#!")
	if !found {
		return ""
	}
	return strings.TrimLeft(strings.TrimSuffix(rest, "\n"), " \t")
}

func isText(path string) bool {
	b := head(path)
	return !bytes.ContainsRune(b, 0) && !bytes.HasPrefix(b, []byte("\x7fELF"))
}

func head(path string) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	b, _ := io.ReadAll(io.LimitReader(file, 512))
	return b
}
