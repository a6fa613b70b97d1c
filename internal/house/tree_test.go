package house

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/untwist/untwist"

// A room is a package: one folder of the module with Go files in it.
type room struct {
	name  string // the import path within the module; "." is the root
	files []file // for every system and processor
	tests []file // those that end in _test.go
}

// A file is a Go file, parsed.
type file struct {
	name   string // within the room
	set    *token.FileSet
	syntax *ast.File
}

// parse parses a file; source is nil for what is on the disk at place.
func parse(place string, source any) (file, error) {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, place, source, parser.ParseComments)
	return file{filepath.Base(place), set, syntax}, err
}

// lines is the number of lines between two positions, both included.
func (f file) lines(from, to token.Pos) int {
	return f.set.Position(to).Line - f.set.Position(from).Line + 1
}

// An imported package has a name in the file that imports it, which may be "_"
// or ".".
type imported struct{ name, path string }

// imports returns what the file imports. An import that is given no name has
// the last part of its path.
func (f file) imports() (all []imported) {
	for _, spec := range f.syntax.Imports {
		where, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(where)
		if path.Dir(where) != "." && strings.HasPrefix(name, "v") && strings.Trim(name, "v0123456789") == "" {
			name = path.Base(path.Dir(where)) // math/rand/v2
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all = append(all, imported{name, where})
	}
	return all
}

// within returns the import path within the module, "." for the root, and
// whether the package is of the module at all.
func within(where string) (string, bool) {
	if where == module {
		return ".", true
	}
	return strings.CutPrefix(where, module+"/")
}

// moduleRoot is the folder with go.mod, at or above the one we are in.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for !isModule(dir) {
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod at or above the working folder")
		}
		dir = filepath.Dir(dir)
	}
	return dir, nil
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// ignored reports whether the go command does not look into a file or folder
// of this name.
func ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") && name != "." || strings.HasPrefix(name, "_")
}

// read reads all rooms of the module at root. It leaves out what the go
// command leaves out, and modules within the module.
func read(root string) ([]room, error) {
	var rooms []room
	err := filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if dir != root && (ignored(entry.Name()) || isModule(dir)) {
			return fs.SkipDir
		}
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		r, err := readRoom(filepath.ToSlash(name), dir)
		if len(r.files)+len(r.tests) > 0 {
			rooms = append(rooms, r)
		}
		return err
	})
	return rooms, err
}

// readRoom reads the Go files in a folder.
func readRoom(name, dir string) (room, error) {
	r := room{name: name}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return r, err
	}
	for _, entry := range entries {
		if entry.IsDir() || ignored(entry.Name()) || filepath.Ext(entry.Name()) != ".go" {
			continue
		}
		f, err := parse(filepath.Join(dir, entry.Name()), nil)
		if err != nil {
			return r, err
		}
		r.add(f)
	}
	return r, nil
}

func (r *room) add(f file) {
	if strings.HasSuffix(f.name, "_test.go") {
		r.tests = append(r.tests, f)
	} else {
		r.files = append(r.files, f)
	}
}

// theHouse is the module that this test belongs to, read once.
var theHouse = sync.OnceValues(func() ([]room, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	return read(root)
})

func rooms(t *testing.T) []room {
	t.Helper()
	all, err := theHouse()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 8 {
		t.Fatalf("there are %d packages only", len(all))
	}
	return all
}

// built makes a room of the text of its files, without their package clause:
// file, text, file, text, …
func built(t *testing.T, name string, texts ...string) room {
	t.Helper()
	r := room{name: name}
	for i := 0; i < len(texts); i += 2 {
		f, err := parse(texts[i], "package x; "+texts[i+1])
		if err != nil {
			t.Fatal(err)
		}
		r.add(f)
	}
	return r
}

// The walk sees files for other systems and files in new folders, and leaves
// out test data, hidden folders and modules within the module.
func TestTheWholeTreeIsRead(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{
		"go.mod", "a.go", "a_test.go", "new/b.go", "new/deep/c_windows.go", "new/notes.txt", "empty/notes.txt",
		"testdata/d.go", ".hidden/e.go", "_old/f.go", "other/go.mod", "other/g.go", "other/deep/h.go",
	} {
		place := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, []byte("//go:build never\n\npackage x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range all {
		for _, f := range append(r.files, r.tests...) {
			got = append(got, r.name+":"+f.name)
		}
	}
	if want := ".:a.go .:a_test.go new:b.go new/deep:c_windows.go"; strings.Join(got, " ") != want {
		t.Errorf("read %q, want %q", got, want)
	}
}
