//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock reports whether the file is ours alone from now on.
func lock(f *os.File) (bool, error) {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return true, nil
		case unix.EWOULDBLOCK:
			return false, nil
		case unix.EINTR:
		default:
			return false, os.NewSyscallError("flock", err)
		}
	}
}

func unlock(f *os.File) { unix.Flock(int(f.Fd()), unix.LOCK_UN) }
