package examples

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/needs"
)

// The module can be imported from an empty module, by what a module proxy would serve of this tree.
func TestImported(t *testing.T) {
	t.Parallel()
	needs.Tools(t, "go", "git")
	const module, version = "github.com/untwist/untwist", "v0.1.0"
	folder := t.TempDir()
	serve(t, filepath.Join(folder, "proxy", module, "@v"), module, version)

	own := filepath.Join(folder, "own")
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(own, "main.go"), `package main

import (
	"context"
	"fmt"

	"github.com/untwist/untwist"
)

func main() {
	f := untwist.Func(2, func(x []float64) float64 { return (x[0]-1)*(x[0]-1) + (x[1]+2)*(x[1]+2) })
	r, err := untwist.Minimize(context.Background(), f, untwist.Options{Bounds: untwist.Cube(2, -5, 5), Budget: 500})
	fmt.Printf("%.3f %.3f %v\n", r.Point[0], r.Point[1], err)
}
`, 0o644)
	cache := strings.TrimSpace(goes(t, ".", nil, "env", "GOMODCACHE"))
	environment := []string{
		"GOMODCACHE=" + filepath.Join(folder, "cache"), "GOFLAGS=-modcacherw", "GOWORK=off", "GOSUMDB=off",
		"GOPROXY=file://" + filepath.Join(folder, "proxy") + ",file://" + filepath.Join(cache, "cache", "download"),
	}
	goes(t, own, environment, "mod", "init", "example.org/own")
	goes(t, own, environment, "get", module+"@"+version)
	if got := goes(t, own, environment, "run", "-trimpath", "."); got != "1.000 -2.000 <nil>\n" {
		t.Errorf("it prints %q", got)
	}
}

// serve writes what a proxy serves of a version of this module: the files that git knows, or would
// take, without those of other modules in it.
func serve(t *testing.T, folder, module, version string) {
	t.Helper()
	git := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	git.Dir = ".."
	out, err := git.Output()
	if err != nil {
		needs.NotRun(t, "a git repository")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "list"), version+"\n", 0o644)
	write(t, filepath.Join(folder, version+".info"), `{"Version":"`+version+`"}`, 0o644)
	write(t, filepath.Join(folder, version+".mod"), string(text), 0o644)
	archive, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	packed := zip.NewWriter(archive)
	for _, name := range files {
		foreign := func(other string) bool {
			dir, found := strings.CutSuffix(other, "/go.mod")
			return found && strings.HasPrefix(name, dir+"/")
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || slices.ContainsFunc(files, foreign) { // a file may be gone that is not committed yet
			continue
		}
		w, err := packed.Create(module + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
}

// goes runs the go command in a folder and returns what it prints.
func goes(t *testing.T, dir string, environment []string, words ...string) string {
	t.Helper()
	command := exec.Command("go", words...)
	command.Dir, command.Env = dir, append(os.Environ(), environment...)
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(words, " "), err, said.String())
	}
	return string(out)
}
