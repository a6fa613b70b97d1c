package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func supported() error { return nil }

// gripOn locks a file for as long as it is open. It returns an error if somebody else has
// locked it.
func gripOn(f *os.File) (grip, error) {
	err := holdAlone(f)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nobody, err
	}
	if err != nil {
		return nobody, nil
	}
	var where unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &where) != nil {
		return host, nil
	}
	switch uint32(where.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
		unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */ :
		return world, nil
	}
	return host, nil
}

// holdAlone locks a file for as long as it is open.
func holdAlone(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			return err
		}
	}
}

// startOf returns when a process was started, "" if there is none.
func startOf(process int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return ""
	}
	// The second field, the name, is in parentheses and may contain anything. The start is
	// the 22nd.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}

// reserve reserves room in a file, whose length does not change.
func reserve(f *os.File, at, length int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, at, length)
		if err != unix.EINTR {
			return err
		}
	}
}

// full reports whether an error says that there is no room.
func full(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}
