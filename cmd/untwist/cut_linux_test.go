package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// simulator writes a shell script that answers its first points and then waits, and
// returns its path. It is so slow that it gets its points one by one.
func simulator(t *testing.T, answers string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sim")
	script := "#!/bin/sh\nn=0\nwhile read -r a b; do\n n=$((n+1))\n if [ $n -gt " + answers + " ]; then exec tail -f /dev/null; fi\n sleep 0.02\n echo $n.25\ndone\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A slow program in a terminal: what was answered within a batch is shown. An interrupt
// prints the best so far and, with a journal, the command that goes on.
func TestCutProgram(t *testing.T) {
	sim := simulator(t, "30")
	run := filepath.Join(t.TempDir(), "a run.journal")
	args := []string{"minimize", "--exec", sim, "--dim", "2", "--bounds", "0:1", "--budget", "5000", "--strategy", "cbo", "--particles", "12"}
	status, stdout, shown := signalAt(t, syscall.SIGINT, 300, `30 of 5,000 queries  best 1.25`, append(args, "--journal", run)...)
	if status != 130 || !strings.Contains(stdout, "best value  1.25\n") {
		t.Errorf("status %d, printed %q", status, stdout)
	}
	want := regexp.MustCompile(`untwist: 30 queries are kept in .*a run.journal; to go on, run the same command again:\r\n\S+ minimize --exec \S+ --dim 2 .* --journal '.*/a run.journal'\r\n`)
	if !want.MatchString(shown) {
		t.Errorf("there is no %v in %q", want, shown)
	}
	status, _, shown = signalAt(t, syscall.SIGTERM, 300, `30 of 5,000 queries  best 1.25`, args...)
	if want := "of this run are not kept; with --journal FILE every answer is kept, and the same command goes on\r\n"; status != 143 || !strings.Contains(shown, want) {
		t.Errorf("status %d, there is no %q in %q", status, want, shown)
	}
}
