package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docs/data/README.md says of everything in docs/data what makes it, and whether that is of this state of the code. With -update
// this is written.
func TestMadePage(t *testing.T) {
	const root, page = "../..", "../../docs/data/README.md"
	all, err := ReadMade(root)
	sources, wrong := NewSources(root)
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	makers := map[string][]string{}
	table := "| name | files | of which state of the code | some runs again |\n|---|---|---|---|\n"
	for _, m := range all {
		today, err := sources.Sum(m.Packages)
		if err != nil {
			t.Fatal(m.Name, err)
		}
		table += fmt.Sprintf("| %s | %s | %s | %s |\n", m.Name, strings.ReplaceAll(m.Files, "*", `\*`), m.State(today), map[string]string{"yes": "the same", "": "not compared", "by hand": "no run is stored", "cmaes": "of CMA-ES the same; of `auto` nothing is claimed"}[m.Repeats])
		for pattern := range strings.FieldsSeq(m.Files) {
			files, err := filepath.Glob(filepath.Join(root, "docs/data", pattern))
			if err != nil || len(files) == 0 {
				t.Errorf("%s: %s: %d files, %v", m.Name, pattern, len(files), err)
			}
			for _, file := range files {
				makers[file] = append(makers[file], m.Name)
			}
		}
	}
	pageHas(t, page, "made", table)
	size := int64(0)
	for _, pattern := range []string{"*", "*/*"} {
		files, err := filepath.Glob(filepath.Join(root, "docs/data", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if size += info.Size(); !info.IsDir() && len(makers[file]) != 1 && !slices.Contains([]string{"README.md", "made.csv"}, filepath.Base(file)) {
				t.Errorf("%s is made by %q", file, makers[file])
			}
		}
	}
	if size > 50_000_000 {
		t.Errorf("docs/data has %d bytes", size)
	}
}

// What is compiled counts, in a package and in those that it imports; tests, comments and layout do not.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(packages string) string {
		t.Helper()
		s, err := NewSources(dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.Sum(packages)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write("go.mod", "module m\n")
	write("a/a.go", "package a\n\nimport (\n\t_ \"fmt\"\n\t_ \"m/b\"\n)\n\nvar x = 1\n")
	write("b/b.go", "package b\n")
	write("c/c.go", "package c\n")
	first, ofB := sum("./a"), sum("./b")
	if sum("./a ./b") != first || sum("./c") == ofB || sum("./a ./c") == first {
		t.Error("sums are not those of what is imported")
	}
	write("a/a.go", "// Package a.\npackage a\nimport (_ \"fmt\"; _ \"m/b\")\nvar x = 1 // one\n")
	write("a/a_test.go", "package a\n\nvar y = 2\n")
	if sum("./a") != first {
		t.Error("layout, comments or tests count")
	}
	for _, change := range [][2]string{{"a/a.go", "package a\n\nimport _ \"m/b\"\n\nvar x = 2\n"}, {"b/b.go", "package b\n\nvar z = 1\n"}, {"b/b.s", "TEXT\n"}} {
		before := sum("./a")
		write(change[0], change[1])
		if sum("./a") == before {
			t.Errorf("%s does not count", change[0])
		}
	}
	if sum("./b") == ofB {
		t.Error("b is as it was")
	}
	s, err := NewSources(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sum("./nothing"); err == nil {
		t.Error("a package that is not there has a sum")
	}
}

// What is of this state of the code is of no other.
func TestStamps(t *testing.T) {
	m := Made{Name: "a", Files: "a.md", Command: "go, \"and\" come"}
	if m.State("x") != "earlier ones" {
		t.Error(m.State("x"))
	}
	m.Stamp("x")
	if m.State("x") != "this one" || m.State("y") == "this one" {
		t.Error(m.State("x"), m.State("y"))
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "docs/data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteMade(dir, []Made{m}); err != nil {
		t.Fatal(err)
	}
	if back, err := ReadMade(dir); err != nil || len(back) != 1 || back[0] != m {
		t.Error(back, err)
	}
	m.Numerics = "0"
	if m.State("x") != "an earlier one, numerics 0" {
		t.Error(m.State("x"))
	}
}
