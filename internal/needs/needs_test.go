package needs

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMissing needs what nobody has. It runs only for the test below.
func TestMissing(t *testing.T) {
	if os.Getenv("NEEDS_MISSING") == "" {
		return
	}
	Tools(t, "sh", "no-such-tool", "nor-this")
	t.Error("it goes on")
}

// What is missing is said in a line of its own, and fails the test if it must not be missing.
func TestNotRun(t *testing.T) {
	for set, fails := range map[string]bool{"": false, "all": true} {
		c := exec.Command(os.Args[0], "-test.run=^TestMissing$")
		c.Env = append(os.Environ(), "NEEDS_MISSING=1", "UNTWIST_NEEDS="+set)
		out, err := c.CombinedOutput()
		if (err != nil) != fails || !strings.Contains(string(out), "not run: TestMissing needs no-such-tool, nor-this\n") {
			t.Errorf("UNTWIST_NEEDS=%q: %v\n%s", set, err, out)
		}
	}
	Tools(t, "sh")
}
