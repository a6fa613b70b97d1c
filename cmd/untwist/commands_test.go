package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// A printed is a command of the program and what it did.
type printed struct {
	Command string         `json:"command"`
	Status  int            `json:"status"`
	Output  map[string]any `json:"output,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// A hundred commands print the JSON that they printed when the list was made, but for the
// version and the seconds.
func TestCommands(t *testing.T) {
	t.Parallel()
	const file = "testdata/commands.jsonl"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if n := len(lines) - 1; n < 100 {
		t.Errorf("%d commands", n)
	}
	for i, want := range lines[:len(lines)-1] {
		if i%flags.Usually(10, 30) != 7 && !*flags.Whole && !*flags.Update {
			continue
		}
		var o printed
		if err := json.Unmarshal(want, &o); err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(printedBy(t, o.Command))
		if got = append(got, '\n'); *flags.Update {
			lines[i] = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("untwist %s --json\n got %s\nwant %s", o.Command, got, want)
		}
	}
	if *flags.Update {
		if err := os.WriteFile(file, bytes.Join(lines, nil), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// printedBy runs a command. Numbers are kept as they are printed.
func printedBy(t *testing.T, words string) printed {
	var stdout, stderr bytes.Buffer
	c := command(t, t.Context(), append(strings.Fields(words), "--json")...)
	c.Stdout, c.Stderr = &stdout, &stderr
	o := printed{Command: words}
	var exit *exec.ExitError
	if err := c.Run(); errors.As(err, &exit) {
		o.Status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if o.Status != 0 {
		o.Error = strings.TrimSpace(stderr.String())
	}
	decoder := json.NewDecoder(&stdout)
	decoder.UseNumber()
	if err := decoder.Decode(&o.Output); err != nil && stdout.Len() > 0 {
		t.Errorf("untwist %s --json: %v", words, err)
	}
	for _, key := range []string{"version", "seconds"} {
		delete(o.Output, key)
	}
	return o
}
