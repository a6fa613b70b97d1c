package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/program"
)

// Every flag of minimize and probe is a key of problem files, or is known not to be one;
// and every key is a flag.
func TestKeysAreFlags(t *testing.T) {
	notKeys := slices.Concat([]string{"problem", "param", "workers", "accept-program", "caller", "listen", "server", "live", "output", "limit", "interactions"}, crewOnly, serverOnly, builtInOnly)
	objective, run := program.Keys()
	keys := slices.Concat(objective, run, notKeys)
	slices.Sort(keys)
	var flags []string
	for _, cmd := range []*cobra.Command{minimizeCommand(), probeCommand(), checkCommand()} {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	}
	slices.Sort(flags)
	flags = slices.Compact(flags)
	if !slices.Equal(keys, flags) {
		t.Errorf("the keys are\n%q, the flags are\n%q", keys, flags)
	}
	for _, key := range objective {
		if key != "exec" && !slices.Contains(programOnly, key) {
			t.Errorf("%s is not known to be for programs only", key)
		}
	}
}

// A value that is a path is looked for beside the file, and any other stays as it is.
func TestBesideFile(t *testing.T) {
	for _, c := range [][3]string{
		{"journal", "run.journal", "dir/run.journal"}, {"journal", "/a/b", "/a/b"}, {"plot", ".", "dir"},
		{"bounds", "0:1", "0:1"}, {"bounds", "b.txt", "dir/b.txt"}, {"start", "s", "dir/s"},
		{"x0", "1,2", "1,2"}, {"x0", "points", "dir/points"}, {"strategy", "cbo", "cbo"}, {"template", "a=b", "a=b"}, {"result-file", "r", "r"},
	} {
		got := c[1]
		if isPath(c[0], got) {
			got = program.Absolute("dir", got)
		}
		if got != filepath.FromSlash(c[2]) {
			t.Errorf("%s = %s becomes %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// The command that goes on can be pasted into a shell.
func TestCommandLine(t *testing.T) {
	args := []string{"minimize", "--exec", "awk '{print $1}'", "--journal", "a b"}
	cmd := &cobra.Command{Annotations: map[string]string{arguments: program.Quote(args)}}
	line := commandLine(cmd)
	if !strings.HasSuffix(line, ` minimize --exec 'awk '\''{print $1}'\''' --journal 'a b'`) {
		t.Errorf("%s", line)
	}
	words, err := program.Split(line)
	if err != nil || !slices.Equal(words[len(words)-len(args):], args) {
		t.Errorf("%q, %v", words, err)
	}
}
