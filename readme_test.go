package untwist_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program in README.md runs as it is written, and finds the minimum.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("README.md has no Go program")
	}
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	minimum, rest, _ := strings.Cut(string(out), "\n")
	learnt, probe, _ := strings.Cut(rest, "\n")
	// (Except on plain amd64, gonum's last bits may differ, and there may be one query more.)
	if want := regexp.MustCompile(`^f = 0\.000 at \[1\.00 -2\.00\], (19|2[0-9])[0-9] queries, converged, error <nil>$`); !want.MatchString(minimum) {
		t.Errorf("it prints %q, want %q", minimum, want)
	}
	if want := "separable in the coordinates given (mixed differences are "; !strings.HasPrefix(learnt, want) {
		t.Errorf("it has learnt %q, want %q", learnt, want)
	}
	if !strings.HasPrefix(probe, "separable in the coordinates given (mixed") || !strings.HasSuffix(probe, " queries, error <nil>\n") {
		t.Errorf("it prints %q", probe)
	}
}
