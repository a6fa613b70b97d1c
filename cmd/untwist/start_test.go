package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/words"
)

// started are commands of README.md and the documents whose queries these quote, for the folder examples.
var started = []string{
	"minimize --problem rastrigin --dim 100",
	"minimize --exec ./sim.py --dim 30 --bounds -5:5 --budget 20000",
	"minimize --exec ./sim.py --dim 30 --bounds -5:5 --budget 20000 --strategy cmaes",
	"probe --problem blocks-rastrigin --dim 1000 --interactions",
}

// docs/data/start.md has what these commands take. With -update it is written; where docs/data/made.csv says that they repeat, they do.
func TestStart(t *testing.T) {
	const page = "../../docs/data/start.md"
	all, err := experiment.ReadMade("../..")
	if err != nil {
		t.Fatal(err)
	}
	k := slices.IndexFunc(all, func(m experiment.Made) bool { return m.Name == "start" })
	if !*flags.Update && (all[k].Repeats == "" || !flags.Usual()) {
		return
	}
	table := "| command | queries | least value |\n|---|---:|---:|\n"
	for _, args := range started {
		cmd := command(t, t.Context(), append(strings.Fields(args), "--json")...)
		cmd.Dir = "../../examples"
		text, err := cmd.Output()
		var r struct {
			Queries int
			Value   *float64 `json:"best_value"`
		}
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		value := ""
		if r.Value != nil {
			value = fmt.Sprintf("%.2g", *r.Value)
		}
		table += fmt.Sprintf("| `%s` | %s | %s |\n", args, words.Thousands(r.Queries), value)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "| command |")
	if *flags.Update {
		if err := os.WriteFile(page, []byte(head+table), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != head+table {
		t.Errorf("docs/data/start.md does not have\n%s", table)
	}
}
