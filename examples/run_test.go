// Package examples has programs that show how Untwist is used, each in a folder of its own, and the
// test that runs them.
package examples

import (
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	// The examples are built of these: go test runs them again when one changes. (With -whole it
	// runs them each time.)
	_ "github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	_ "github.com/untwist/untwist/problem"
)

// workspace returns the folder in which the commands of an example run: the root of the module
// for those in Go, and otherwise one with a copy of the example.
func workspace(t *testing.T, e example) string {
	t.Helper()
	if e.tools == "" {
		return ".."
	}
	if !*flags.Whole {
		t.Skip("needs " + e.tools + ": -whole")
	}
	for _, tool := range strings.Fields(e.tools) {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: install it, or leave out -whole", err)
		}
	}
	folder := t.TempDir()
	err := filepath.WalkDir(e.folder, func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(folder, "examples", name)
		if err != nil || entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if filepath.Ext(name) == ".journal" { // of someone who has run it here
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// run runs commands and returns what they print. Only examples in Go run without a shell.
func (e example) run(t *testing.T, commands, folder string) (string, error) {
	t.Helper()
	words := []string{"sh", "-e", "-c", commands}
	if e.tools == "" {
		words = strings.Fields(commands)
	}
	command := exec.Command(words[0], words[1:]...)
	command.Dir = folder
	command.Env = os.Environ()
	if e.tools != "" {
		command.Env = append(command.Env, "PATH="+program(t)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if strings.Contains(e.tools, "python3") { // as if the package were installed
		source, err := filepath.Abs("../python/src")
		if err != nil {
			t.Fatal(err)
		}
		command.Env = append(command.Env, "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1", "UNTWIST_PROGRAM="+filepath.Join(program(t), "untwist"))
	}
	out, err := command.CombinedOutput()
	return string(out), err
}

// bin is the folder with the program, built once for all tests.
var bin struct {
	once   sync.Once
	folder string
	err    error
}

// program returns the folder in which the program untwist is.
func program(t *testing.T) string {
	t.Helper()
	bin.once.Do(func() {
		if bin.folder, bin.err = os.MkdirTemp("", "untwist-examples"); bin.err == nil {
			_, bin.err = exec.Command("go", "build", "-o", bin.folder, "../cmd/untwist").Output()
		}
	})
	if bin.err != nil {
		t.Fatal(bin.err)
	}
	return bin.folder
}

func TestMain(m *testing.M) {
	status := m.Run()
	if bin.folder != "" {
		os.RemoveAll(bin.folder)
	}
	os.Exit(status)
}

func write(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// plain reports whether bits are those with which the comments were written. Elsewhere products
// are fused, and a search takes another way to the same minimum.
var plain = sync.OnceValue(func() bool {
	out, err := exec.Command("go", "env", "GOAMD64").Output()
	return err == nil && strings.TrimSpace(string(out)) == "v1"
})

// notPrinted returns the first of the lines that out does not have, in their order. A line of out
// may go on where the other ends.
func notPrinted(lines []string, out string) string {
	rest := strings.Split(out, "\n")
	for _, want := range lines {
		for {
			if len(rest) == 0 {
				return want
			}
			got := rest[0]
			rest = rest[1:]
			if begins(got, want) {
				break
			}
		}
	}
	return ""
}

var number = regexp.MustCompile(`[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?`)

// begins reports whether a line begins with another one. Spaces do not count, and numbers may
// differ a little.
func begins(line, with string) bool {
	text := func(s string) string {
		return strings.Join(strings.Fields(number.ReplaceAllString(s, "0")), " ")
	}
	got, want := number.FindAllString(line, -1), number.FindAllString(with, -1)
	if !strings.HasPrefix(text(line), text(with)) || len(got) < len(want) {
		return false
	}
	for i := range want {
		if !near(got[i], want[i]) {
			return false
		}
	}
	return true
}

// near compares numbers: to a hundredth; counts to a quarter, since they depend on the last bits
// of exp in someone else's library; and what is nearly nothing to a factor of ten.
func near(got, want string) bool {
	if got == want {
		return true
	}
	g, err1 := strconv.ParseFloat(strings.ReplaceAll(got, ",", ""), 64)
	w, err2 := strconv.ParseFloat(strings.ReplaceAll(want, ",", ""), 64)
	if err1 != nil || err2 != nil {
		return false
	}
	switch {
	case strings.Contains(want, "e-"):
		return math.Abs(math.Log10(g/w)) <= 1
	case w >= 100 && w == math.Trunc(w):
		return math.Abs(g-w) <= w/4
	}
	return math.Abs(g-w) <= math.Abs(w)/100
}

// The comparison notices what differs.
func TestBegins(t *testing.T) {
	for _, c := range []struct {
		line, with string
		want       bool
	}{
		{"best value  10.8620373", "best value  10.862", true},
		{"best value  10.9", "best value  11.862", false},
		{"  E1 71.458 kJ/mol", "E1 71.46 kJ/mol", true},
		{"  E1 71.458 kJ/mol", "E2 71.46 kJ/mol", false},
		{"queries     1,300 of 3,000", "queries     1,244 of 3,000", true},
		{"queries     244 of 3,000", "queries     1,244 of 3,000", false},
		{"same twice  yes: 113 at the start point", "same twice  yes", true},
		{"same twice  no", "same twice  yes", false},
		{"differences are 3e-15 of", "differences are 2e-15 of", true},
		{"differences are 3e-05 of", "differences are 2e-15 of", false},
		{"moved -0.710", "moved 0.710", false},
		{"blur 0.000100", "blur 0.000000", false},
		{"E2", "E2 1", false},
	} {
		if got := begins(c.line, c.with); got != c.want {
			t.Errorf("%q begins with %q: %v", c.line, c.with, got)
		}
	}
	if notPrinted([]string{"a", "c"}, "a\nb\nc\n") != "" || notPrinted([]string{"c", "a"}, "a\nb\nc\n") != "a" {
		t.Error("lines are not compared in their order")
	}
}
