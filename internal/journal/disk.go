package journal

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A disk is a file as a writer sees it.
type disk interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	// Reserve reserves room from the byte at on. The length of the file does not change.
	Reserve(at, length int64) error
	// Is reports whether the file of this name is this one.
	Is(name string) bool
}

// A diskFile is a disk that is a file.
type diskFile struct{ *os.File }

// Reserve reserves room.
func (f diskFile) Reserve(at, length int64) error { return reserve(f.File, at, length) }

// syncFolder brings the names in a folder to the disk, where that is possible.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) { // one may write there and not read
		return nil
	}
	if err != nil {
		return err
	}
	err = cmp.Or(folder.Sync(), folder.Close())
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
