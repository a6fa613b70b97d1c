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
		var rows []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || told[f.Name+f.Usage] {
				return
			}
			told[f.Name+f.Usage] = true
			var besides []string
			for _, other := range commands[k+1:] {
				if same := other.Flags().Lookup(f.Name); same != nil && !same.Hidden && same.Usage == f.Usage {
					besides = append(besides, other.Name())
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
			text := strings.NewReplacer("|", "\\|", "\n", " ").Replace(strings.Join(strings.Fields(usage), " "))
			rows = append(rows, fmt.Sprintf("| `--%s%s` | %s | %s | %s |\n", f.Name, value, table, strings.Join(besides, ", "), text))
		})
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n%s.\n\n| flag | key | besides | what |\n|---|---|---|---|\n%s", cmd.Name(), cmd.Short, strings.Join(rows, ""))
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
