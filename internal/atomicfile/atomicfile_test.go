package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// names are the names of all files in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// holds fails unless the file has this content and these permissions.
func holds(t *testing.T, path, want string, mode os.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != want || info.Mode().Perm() != mode {
		t.Errorf("%s holds %q with permissions %o, want %q with %o", path, data, info.Mode().Perm(), want, mode)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, text := range []string{"first", "and second", ""} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		holds(t, path, text, 0o644)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("private")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "private", 0o600)
	if all := names(t, dir); len(all) != 1 {
		t.Errorf("there are %q", all)
	}
}

// A file that someone is reading is not changed: it is replaced.
func TestReadersSeeOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	if _, err := seen.ReadFrom(reader); err != nil || seen.String() != "old" {
		t.Errorf("the reader sees %q, %v", seen.String(), err)
	}
	holds(t, path, "new", 0o644)
}

func TestLinksStay(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", 0o644)
	if to, err := os.Readlink(link); to != "a" {
		t.Errorf("the link points to %q, %v", to, err)
	}
	if err := Write(os.DevNull, []byte("lost")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is a file now: %v, %v", os.DevNull, info, err)
	}
}

// What cannot be written is an error that names the path, from Check as from Write, and
// nothing is left behind.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none", "a"), folder} {
		for name, err := range map[string]error{"Write": Write(path, []byte("x")), "Check": Check(path)} {
			if err == nil || !strings.HasPrefix(err.Error(), "open "+path+": ") {
				t.Errorf("%s of %s: %v", name, path, err)
			}
		}
	}
	if err := Check(filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
	if all := names(t, dir); len(all) != 1 {
		t.Errorf("there are %q", all)
	}
	if all := names(t, folder); len(all) != 0 {
		t.Errorf("there are %q", all)
	}
}

// A rename that fails leaves no temporary file.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("a", 300)) // too long a name, though the temporary one is not
	err := Write(path, []byte("x"))
	if err == nil || strings.Contains(err.Error(), ".untwist-") {
		t.Errorf("the error is %v", err)
	}
	if all := names(t, dir); len(all) != 0 {
		t.Errorf("there are %q", all)
	}
}

// A link to a file that is not there yet stays, and the file is made. One that leads
// nowhere is an error.
func TestLinksWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	link, round := filepath.Join(dir, "link"), filepath.Join(dir, "round")
	if err := errors.Join(os.Symlink("there", link), os.Symlink("round", round)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Check(link), Write(link, []byte("a"))); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "there" {
		t.Errorf("the link leads to %q, error %v", to, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "there")); err != nil || string(text) != "a" {
		t.Errorf("%q, error %v", text, err)
	}
	if Check(round) == nil || Write(round, nil) == nil {
		t.Error("a link to itself can be written to")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("there are %v", entries)
	}
}

// A file that a killed program has left in a folder is removed.
func TestFolderLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".untwist-try"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Folder(dir)
	if left, _ := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("error %v, left %v", err, left)
	}
}
