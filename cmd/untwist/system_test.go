package main

import (
	"bytes"
	"strings"
	"testing"
)

// On Windows built-in problems can be minimised; other commands say in one line what they need.
func TestOnWindows(t *testing.T) {
	before := system
	system = "windows"
	defer func() { system = before }()
	for _, c := range []struct {
		words  string
		status int
	}{
		{"minimize --problem levy --dim 2 --budget 50 --quiet", exitDone},
		{"problems", exitDone},
		{"--version", exitDone},
		{"minimize --exec sim --dim 2 --bounds 0:1 --budget 5", exitUsage},
		{"minimize sim.toml", exitUsage},
		{"probe --problem levy", exitUsage},
		{"ask run.journal", exitUsage},
		{"journal run.journal", exitUsage},
		{"init ./sim", exitUsage},
		{"worker --problem levy --server nats://127.0.0.1:1", exitUsage},
	} {
		var out, errors bytes.Buffer
		status := run(strings.Fields(c.words), &out, &errors)
		said := errors.String()
		one := strings.HasSuffix(said, " needs Linux, macOS or WSL; on Windows there are minimize --problem and problems\n") && strings.Count(said, "\n") == 1
		if status != c.status || one != (c.status == exitUsage) {
			t.Errorf("%s: status %d\n%s", c.words, status, said)
		}
	}
}
