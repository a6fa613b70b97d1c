// Package needs lets tests say what they need beyond Go, git and sh with its small tools.
//
// A test that cannot be run says so in one line, "not run: TestX needs Y", and is skipped. The go
// command shows it for a single package, and with -v for several. If UNTWIST_NEEDS is "all" in
// the environment, as in .ci/run, such a test fails.
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Tools says that a test needs programs.
func Tools(t testing.TB, names ...string) {
	t.Helper()
	var missing []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		NotRun(t, strings.Join(missing, ", "))
	}
}

// Root says that a test needs the rights of root, for something.
func Root(t testing.TB, why string) {
	t.Helper()
	if os.Geteuid() != 0 {
		NotRun(t, "root, "+why)
	}
}

// NotRun ends a test that needs what is not there.
func NotRun(t testing.TB, what string) {
	t.Helper()
	line := fmt.Sprintf("not run: %s needs %s", t.Name(), what)
	if os.Getenv("UNTWIST_NEEDS") == "all" {
		t.Fatal(line)
	}
	fmt.Println(line)
	t.SkipNow()
}
