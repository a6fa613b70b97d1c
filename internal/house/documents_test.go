package house

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/words"
)

// mostLines is how many lines the documents may have together, without docs/data, and README.md.
// Others than these two, and docs/auto.md, have no limit of their own.
const mostLines, mostInReadme = 2500, 100

// documents calls a function with every page, by its path from the root.
func documents(t *testing.T, visit func(path string, text []byte)) {
	t.Helper()
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/*.md", "docs/data/*.md", "identify/*.md", "internal/*.md", "internal/*/*.md", "internal/cluster/wire/*.md", "cmd/untwist/*.md", "problem/*.md", "examples/README.md", "python/README.md"} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			visit(strings.TrimPrefix(file, "../../"), text)
		}
	}
}

// The documents are short enough to be read.
func TestDocumentsAreShort(t *testing.T) {
	lines := 0
	documents(t, func(path string, text []byte) {
		n := bytes.Count(text, []byte("\n"))
		if path == "README.md" && n > mostInReadme {
			t.Errorf("README.md has %d lines", n)
		}
		if path == "docs/auto.md" && n > 150 {
			t.Errorf("%s has %d lines", path, n)
		}
		if strings.HasPrefix(path, "docs/") && !strings.HasPrefix(path, "docs/data/") {
			lines += n
		}
	})
	if lines > mostLines {
		t.Errorf("docs has %d lines, and may have %d", lines, mostLines)
	}
	t.Logf("%d lines", lines)
}

// Links within the repository lead somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s:]+)(?:#[^)\s]*)?\)`)
	documents(t, func(path string, text []byte) {
		for _, m := range link.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(path), string(m[1]))); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
}

// README's table of budgets is that of identify.Least, and of the plan beside it.
func TestBudgetsOfReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := [3]string{"| d |", "| at least |", "| plan |"}
	for _, d := range []int{5, 10, 20, 50, 100, 200, 1000} {
		for k, n := range []int{d, identify.Least(d), 10*d*d + 300*d + 1000} {
			rows[k] += " " + words.Thousands(n) + " |"
		}
	}
	for _, row := range rows {
		if !bytes.Contains(text, []byte(row+"\n")) {
			t.Errorf("README.md has no line %s", row)
		}
	}
}
