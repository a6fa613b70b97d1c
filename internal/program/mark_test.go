package program

import (
	"errors"
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
)

// Some editors begin a file with a byte order mark. It is skipped, and lines are counted as
// without it, from the first one on.
func TestAByteOrderMarkIsSkipped(t *testing.T) {
	f, err := readText(t, "\ufeff[objective]\nexec = \"./sim {k}\"\n[parameters]\nk = { min = 0, max = 5 }\n")
	if err != nil || len(f.Objective) != 1 || f.Objective[0].Line != 2 || len(f.Parameters) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	for text, want := range map[string]string{
		"\ufeffexec = 3\n":               "sim.toml:1: exec belongs in the table [objective]",
		"\ufeff[objectiv]\nexec = \"x\"": "sim.toml:1: unknown table or key \"objectiv\"",
		"\ufeff[objective]\nexec = ":     "sim.toml:2: this is not TOML",
	} {
		if _, err := readText(t, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// More processes than any machine has are refused: a billion of anything is no use.
func TestHowManyProcesses(t *testing.T) {
	for procs, fine := range map[int]bool{1: true, 16384: true, 16385: false, 1_000_000_000: false, -1: false} {
		o, err := New(Config{Exec: []string{"cat"}, Names: []string{"x"}, Procs: procs})
		var bad *objective.OptionError
		if fine != (err == nil) || !fine && (!errors.As(err, &bad) || bad.Option != "Procs" || !strings.Contains(bad.Reason, "must be from 1 to 16384")) {
			t.Errorf("%d: %v", procs, err)
		}
		if o != nil {
			o.Close()
		}
	}
}
