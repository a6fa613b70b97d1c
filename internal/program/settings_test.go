package program

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Settings without tables, each with its line; bad ones in one line each.
func TestReadSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	known := []string{"suite", "dim", "quiet", "methods"}
	read := func(text string) (*ProblemFile, error) {
		if err := os.WriteFile("grid.toml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return ReadSettings("grid.toml", known)
	}
	f, err := read("# a grid\nsuite = \"bbob\"\ndim = [10, 2e1]\nmethods = [\n  \"auto\",\n  \"a=exec:b, c\",\n]\nquiet = true\n")
	want := []Setting{{"suite", []string{"bbob"}, 2}, {"dim", []string{"10", "20"}, 3}, {"methods", []string{"auto", "a=exec:b, c"}, 4}, {"quiet", []string{"true"}, 8}}
	if err != nil || !cmp.Equal(f.Run, want) {
		t.Error(f, err)
	}
	for text, words := range map[string]string{
		"suites = 1":       `grid.toml:1: unknown key "suites" (did you mean "suite"?)`,
		"\n[grid]\ndim=1":  `grid.toml:2: unknown key "grid"`,
		"[dim]\nx = 1":     "grid.toml:1: dim must be text, a number, true or false, or a list of these, not a table",
		"dim = []":         "grid.toml:1: dim must not be empty",
		"dim = [[1]]":      "grid.toml:1: dim must be text,",
		"dim = 1979-05-27": "grid.toml:1: dim must be text,",
		"dim 3":            "grid.toml:1: this is not TOML: ",
		"dim = 1\ndim = 2": "grid.toml:2: this is not TOML: ",
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, words)
		}
	}
	if _, err := ReadSettings("nowhere.toml", known); err == nil || err.Error() != "nowhere.toml: no such file or directory" {
		t.Error(err)
	}
}
