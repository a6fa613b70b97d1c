package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/program"
)

// reference writes all flags of the program, and which keys of problem files they are.
func reference() string {
	var out strings.Builder
	out.WriteString(`# Reference

All flags of the program, from the program itself: ` + "`go test ./cmd/untwist -run TestReference -update`" + ` writes this page.
A flag is also a key of problem files ([problem-file.md](problem-file.md)) where a table is named: [objective] or [run].
"Besides" says which other commands have the flag. ` + "`untwist COMMAND --help`" + ` says the same, with examples.
`)
	commands := []*cobra.Command{minimizeCommand(), probeCommand(), checkCommand(), workerCommand(), askCommand(), workersCommand(), tellCommand(), journalCommand(), initCommand(), problemsCommand(), compareCommand()}
	objective, run := program.Keys()
	told := map[string]bool{}
	for k, cmd := range commands {
		switch k {
		case 0:
			out.WriteString("\n## minimize\n\n| flag | key | besides | what |\n|---|---|---|---|\n")
		case 1:
			out.WriteString("\n## Other commands\n\n| flag | key | command | what |\n|---|---|---|---|\n")
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || told[f.Name+f.Usage] {
				return
			}
			told[f.Name+f.Usage] = true
			var names []string
			for at, other := range commands[k:] {
				if same := other.Flags().Lookup(f.Name); same != nil && !same.Hidden && same.Usage == f.Usage && k+at > 0 {
					names = append(names, other.Name())
				}
			}
			table := ""
			switch {
			case slices.Contains(objective, f.Name):
				table = "[objective]"
			case slices.Contains(run, f.Name):
				table = "[run]"
			}
			value, usage := pflag.UnquoteUsage(f)
			if value != "" {
				value = " " + value
			}
			text := strings.ReplaceAll(strings.Join(strings.Fields(usage), " "), "|", "\\|")
			fmt.Fprintf(&out, "| `--%s%s` | %s | %s | %s |\n", f.Name, value, table, strings.Join(names, ", "), text)
		})
	}
	return out.String()
}

// docs/reference.md is what the program says of itself.
func TestReference(t *testing.T) {
	const file = "../../docs/reference.md"
	want := reference()
	if *flags.Update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what -update writes (%v)", file, err)
	}
}
