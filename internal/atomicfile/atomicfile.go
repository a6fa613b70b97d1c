// Package atomicfile writes files as a whole: a reader finds either what was there
// before or all of what was written, even if the program is killed in between.
//
// Start with Write. Check says in advance whether Write is likely to succeed.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// temporary is the pattern for the names of temporary files.
const temporary = ".untwist-*"

// tried is the file that Folder makes.
const tried = ".untwist-try"

// Write writes data to the file at path. A new file gets the permissions 0644, and one
// that is replaced keeps its own. If Write fails, the file stays as it was and no
// temporary file is left behind.
//
// The data goes to a temporary file in the same folder, which is synchronised with the
// disk and then renamed. A symbolic link stays, and the file it points to is replaced, or
// made if there is none. A file that may not be written to is not replaced. A path that
// exists and is not a regular file, a terminal for example, is simply written to, and so
// is a file in a folder in which no other can be made.
func Write(path string, data []byte) error {
	target, mode, err := resolve(path)
	if err != nil {
		return err
	}
	if target == "" {
		return os.WriteFile(path, data, mode)
	}
	file, err := os.CreateTemp(filepath.Dir(target), temporary)
	if errors.Is(err, fs.ErrPermission) && writable(target) {
		return os.WriteFile(path, data, mode)
	}
	if err != nil {
		return naming(path, err)
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		os.Remove(file.Name())
		return naming(path, err)
	}
	return nil
}

// Check returns the error that Write would give if there is no folder, or no permission to
// write there. It leaves nothing behind and changes no file.
func Check(path string) error {
	target, _, err := resolve(path)
	if err != nil || target == "" {
		return err
	}
	if err := Folder(filepath.Dir(target)); err != nil && !(errors.Is(err, fs.ErrPermission) && writable(target)) {
		return naming(path, err)
	}
	return nil
}

// Folder returns an error if no file can be written to a folder. What a program that is killed meanwhile
// leaves behind the next one removes: the file that is tried always has the same name.
func Folder(dir string) error {
	name := filepath.Join(dir, tried)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return naming(dir, err)
	}
	err = file.Close()
	if removed := os.Remove(name); err == nil && !errors.Is(removed, fs.ErrNotExist) { // another program may have been faster
		err = removed
	}
	return naming(dir, err)
}

// mostLinks is how many symbolic links are followed.
const mostLinks = 40

// resolve returns the regular file that path stands for once symbolic links are followed,
// which may not exist yet, and the permissions it has or will have. If path is something
// else that can be written to, target is empty. A file that exists and may not be written
// to is an error.
func resolve(path string) (target string, mode fs.FileMode, err error) {
	target = path
	for range mostLinks {
		to, err := os.Readlink(target)
		if err != nil { // not a link
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(target), to)
		}
		target = to
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return target, 0o644, nil
	}
	if err != nil {
		return "", 0, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return "", 0, err
	}
	if err := file.Close(); err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		target = ""
	}
	return target, info.Mode().Perm(), nil
}

// writable reports whether a file exists and can be written to.
func writable(path string) bool {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	return err == nil && file.Close() == nil
}

// naming makes an error name path, which the caller knows, instead of a temporary file.
func naming(path string, err error) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		return &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}
