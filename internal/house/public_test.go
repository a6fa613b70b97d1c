package house

import (
	"bytes"
	"go/ast"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What users can import stays small. Who needs more raises these numbers, with a line in
// CHANGELOG.md that says for what.
const (
	mostPublic = 12
	mostNames  = 513
)

// names counts the exported functions, types, methods, constants and variables of a room.
func names(r room) (n int) {
	exported := func(id *ast.Ident) {
		if id.IsExported() {
			n++
		}
	}
	for _, f := range r.files {
		for _, decl := range f.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil || ast.IsExported(receiver(decl)) {
					exported(decl.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						exported(spec.Name)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							exported(id)
						}
					}
				}
			}
		}
	}
	return n
}

func TestTheFrontDoorIsSmall(t *testing.T) {
	public, all := 0, 0
	for _, r := range rooms(t) {
		if len(r.files) == 0 || internal(r.name) || r.files[0].syntax.Name.Name == "main" {
			continue
		}
		public++
		all += names(r)
	}
	if public > mostPublic {
		t.Errorf("%d packages are public, and %d may be", public, mostPublic)
	}
	if all > mostNames {
		t.Errorf("they export %d names, and may export %d", all, mostNames)
	}
	r := built(t, "x", "x.go", "type T struct{}; type u int; func (T) M() {}; func (u) M() {}; func F() {}; const A, b = 1, 2; var C int")
	if n := names(r); n != 5 {
		t.Errorf("%d names of 5", n)
	}
}

// What go doc says of the packages that everybody imports fits a screen.
func TestTheFrontDoorFitsAScreen(t *testing.T) {
	const most = 60
	for _, room := range []string{".", "./objective"} {
		command := exec.Command("go", "doc", room)
		command.Dir = "../.."
		out, err := command.Output()
		if n := bytes.Count(out, []byte("\n")); err != nil || n > most || n < most/4 {
			t.Errorf("go doc %s has %d lines, error %v", room, n, err)
		}
	}
}

// A visitor meets few files at the root.
func TestTheRootIsSmall(t *testing.T) {
	all, err := filepath.Glob("../../*.go")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files, error %v", len(all), err)
	}
	own := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if len(all) > 25 || len(own) > 12 {
		t.Errorf("%d Go files at the root, %d without tests: at most 25 and 12", len(all), len(own))
	}
}
