package program

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
	"github.com/untwist/untwist/internal/parameter"
)

// readText reads a problem file sim.toml with this text.
func readText(t *testing.T, text string) (*ProblemFile, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("sim.toml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadFile("sim.toml")
}

// A whole file, with every kind of value.
func TestReadFile(t *testing.T) {
	f, err := readText(t, `# a comment
[objective]
exec     = "./sim --k {k}"   # no shell
template = ["a.in=a", "b.in=b"]
timeout  = "10m"
procs    = 8
eof      = true

[parameters]
k = { min = 1e-6, max = 1e-2, scale = "log", unit = "m/s", guess = 1e-4 }
d = { min = 0, max = 5 }
p = { low = -1, high = 1, scale = "linear" }
n = { fixed = 3 }
a.guess = 2.5
[parameters."größe"]
min = 1
max = 2

[run]
budget = 2e4
x0 = [[1, 2.5], [3, 4]]
target = -1
journal-points = false
`)
	if err != nil {
		t.Fatal(err)
	}
	want := &ProblemFile{Path: "sim.toml", Dir: ".",
		Objective: []Setting{{"exec", []string{"./sim --k {k}"}, 3}, {"template", []string{"a.in=a", "b.in=b"}, 4},
			{"timeout", []string{"10m"}, 5}, {"procs", []string{"8"}, 6}, {"eof", []string{"true"}, 7}},
		Run: []Setting{{"budget", []string{"20000"}, 20}, {"x0", []string{"1,2.5", "3,4"}, 21},
			{"target", []string{"-1"}, 22}, {"journal-points", []string{"false"}, 23}},
		Parameters: parameter.Space{
			{Name: "k", Min: new(1e-6), Max: new(1e-2), Guess: new(1e-4), Log: true, Unit: "m/s"},
			{Name: "d", Min: new(0.), Max: new(5.)},
			{Name: "p", Low: new(-1.), High: new(1.)},
			{Name: "n", Fixed: new(3.)},
			{Name: "a", Guess: new(2.5)},
			{Name: "größe", Min: new(1.), Max: new(2.)},
		},
	}
	if diff := cmp.Diff(want, f, cmpopts.IgnoreUnexported(ProblemFile{})); diff != "" {
		t.Error(diff)
	}
}

// A command may be a list of words, whatever is in them.
func TestWordsOfACommand(t *testing.T) {
	f, err := readText(t, "[objective]\nexec = [\"./my sim\", \"it's\", \"{k}\", \"\"]\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Objective[0].Values[0], `'./my sim' 'it'\''s' '{k}' ''`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Everything that can be wrong, with its line.
func TestWrongFiles(t *testing.T) {
	head := "[objective]\nexec = \"./sim\"\n[parameters]\n"
	for text, want := range map[string]string{
		"[objektive]\nexec = \"./sim\"\n": `sim.toml:1: unknown table or key "objektive" (did you mean "objective"?); the tables are [objective], [outputs], [parameters] and [run]`,
		"\nexec = \"./sim\"\n":            `sim.toml:2: exec belongs in the table [objective]`,
		"[objective]\nexek = \"./sim\"\n": `sim.toml:2: unknown key "exek" in [objective] (did you mean "exec"?)`,
		"[objective]\n\nbudget = 3\n":     `sim.toml:3: budget belongs in the table [run]`,
		"[run]\nbugdet = 3\n":             `sim.toml:2: unknown key "bugdet" in [run] (did you mean "budget"?)`,
		"[run]\nprocs = 3\n":              `sim.toml:2: procs belongs in the table [objective]`,
		"[run]\nzzzzzzzz = 3\n":           `sim.toml:2: unknown key "zzzzzzzz" in [run]`,
		"[run]\nbudget = \"3\"\n":         `sim.toml:2: budget must be a number, not text`,
		"[run]\nbudget = true\n":          `sim.toml:2: budget must be a number, not true`,
		"[run]\nbudget = [3]\n":           `sim.toml:2: budget must be a number, not a list`,
		"[run]\nbudget = 1979-05-27\n":    `sim.toml:2: budget must be a number, not a date or a time of day`,
		"[run.budget]\nn = 3\n":           `sim.toml:1: budget must be a number, not a table`,
		"[run]\ntime = 60\n":              `sim.toml:2: time must be text with a unit, such as "10m", not the number 60`,
		"[run]\nkeep-going = \"yes\"\n":   `sim.toml:2: keep-going must be true or false, not text`,
		"[run]\njournal = \"\"\n":         `sim.toml:2: journal must not be empty`,
		"[run]\nx0 = [1, \"two\"]\n":      `sim.toml:2: x0 must be text, or a list of numbers, not a list`,
		"[run]\nx0 = [[1, \"two\"]]\n":    `sim.toml:2: x0 must be text, or a list of numbers, not a list`,
		"[run]\nx0 = []\n":                `sim.toml:2: x0 must not be empty`,
		"[objective]\nexec = [1]\n":       `sim.toml:2: exec must be a list of texts, but item 1 is the number 1`,
		"[objective]\nexec = 1\n":         `sim.toml:2: exec must be text, or a list of words, not the number 1`,
		"run = 3\n":                       `sim.toml:1: run must be a table: write [run] on a line of its own`,
		"[[run]]\nbudget = 3\n":           `sim.toml:1: run must be a table: write [run] on a line of its own`,
		"[run]\nbudget = = 3\n":           `sim.toml:2: this is not TOML: `,
		"[run]\nbudget = 3\nbudget = 4\n": `sim.toml:3: this is not TOML: `,
		"[run]\nx0 = [1,\n":               `this is not TOML: `,

		head + "k = 3\n":                                               `sim.toml:4: parameter k: must be a table such as { min = 0, max = 1 } or { fixed = 3 }, not the number 3`,
		head + "\nk = { mim = 3 }\n":                                   `sim.toml:5: parameter k: unknown key "mim" (did you mean "min"?)`,
		head + "k = { min = 1, max = 9, type = \"int\" }":              `sim.toml:4: parameter k: unknown key "type": write integer = true`,
		head + "k = { choices = [\"a\"] }":                             `sim.toml:4: parameter k: has fewer than two choices`,
		head + "k = { choices = [\"a\", \"b\", \"a\"] }":               `sim.toml:4: parameter k: has the choice a twice`,
		head + "k = { choices = \"a\" }":                               `sim.toml:4: parameter k: choices must be a list such as ["copper", "steel"], not "a"`,
		head + "k = { choices = [\"a\", \"b\"], guess = \"c\" }":       `sim.toml:4: parameter k: guess is c, which is none of its choices`,
		head + "k = { choices = [\"a\", \"b\"], min = 1 }":             `sim.toml:4: parameter k: has choices, so it takes no limits, range or scale`,
		head + "k = { min = 0, max = 1, step = 0.3 }":                  `sim.toml:4: parameter k: step 0.3 does not divide the range from 0 to 1: it fits 3.33333 times`,
		head + "k = { min = 0.2, max = 0.9, integer = true }":          `sim.toml:4: parameter k: there are not two integers from 0.2 to 0.9`,
		head + "k = { min = 0, integer = true }":                       `sim.toml:4: parameter k: needs min and max`,
		head + "k = { min = 0, max = 9, integer = 1 }":                 `sim.toml:4: parameter k: integer must be true or false`,
		head + "k = { min = 0, max = 9, integer = true, step = 1 }":    `sim.toml:4: parameter k: is two of integer, step and choices`,
		head + "k = { min = 0, max = 9, integer = true, guess = 1.5 }": `sim.toml:4: parameter k: the guess 1.5 is no integer`,
		head + "k = { min = \"1\", max = 9 }":                          `sim.toml:4: parameter k: min must be a number, not text`,
		head + "k = { min = -inf, max = 9 }":                           `sim.toml:4: parameter k: min is -Inf, must be finite; leave it out where there is none`,
		head + "k = { min = 1, max = 9, unit = 3 }":                    `sim.toml:4: parameter k: unit must be text in quotes, not the number 3`,
		head + "k = { min = 1, max = 9, scale = \"ln\" }":              `sim.toml:4: parameter k: scale must be "log" or "linear", not "ln"`,
		head + "k = { min = 1, max = 9, scale = 10 }":                  `sim.toml:4: parameter k: scale must be "log" or "linear", not the number 10`,
		head + "k = { min = 1, max = 1 }":                              `sim.toml:4: parameter k: min is 1 and max is 1; min must be less`,
		head + "k = { min = 0, max = 1, scale = \"log\"}":              `sim.toml:4: parameter k: min is 0, must be above 0 on a logarithmic scale`,
		head + "k = { min = 0, max = 1, low = -1 }":                    `sim.toml:4: parameter k: -1:1, where to look first, is not within the limits 0:1`,
		head + "k = { min = 0, max = 1, high = 2 }":                    `sim.toml:4: parameter k: 0:2, where to look first, is not within the limits 0:1`,
		head + "k = { min = 0, max = 1, guess = 2 }":                   `sim.toml:4: parameter k: the guess 2 is not within the limits 0:1`,
		head + "k = { fixed = 2, max = 1 }":                            `sim.toml:4: parameter k: is fixed, so it takes no limits, range, guess or scale`,
		head + "k = { fixed = 2, scale = \"log\" }":                    `sim.toml:4: parameter k: is fixed, so it takes no limits, range, guess or scale`,
		head + "k = { min = 2 }":                                       `sim.toml:4: parameter k: it is not known where to look: give min and max, low and high, or a guess`,
		head + "k = { unit = \"m\" }":                                  `sim.toml:4: parameter k: it is not known where to look: give min and max, low and high, or a guess`,
		head + "\"a b\" = { guess = 1 }":                               `sim.toml:4: parameter a b: a name is made of letters, digits and _, does not begin with a digit, and is none of all, in, out`,
		head + "all = { guess = 1 }":                                   `sim.toml:4: parameter all: a name is made of letters`,
		head + "1st = { guess = 1 }":                                   `sim.toml:4: parameter 1st: a name is made of letters`,
		"x = '''\n[run]\n'''\n":                                        `sim.toml:1: unknown table or key "x"`,
	} {
		_, err := readText(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is\n%v, want\n%s", text, err, want)
		}
	}
}

// A guess may lie outside of where to look first, and a limit may be where to look.
func TestSensibleParameters(t *testing.T) {
	for _, line := range []string{
		"k = { low = 0, high = 1, guess = 2 }", "k = { min = 0, low = 0, high = 1, max = 1 }", "k = { min = 0, max = 1, guess = 1 }",
		"k = { min = 0, high = 1 }", "k = { low = 0.1, high = 1, scale = \"log\" }", "k = { fixed = 0, unit = \"kg\" }",
	} {
		if _, err := readText(t, "[parameters]\n"+line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A file that cannot be read: one line.
func TestNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := ReadFile("sim.toml"); err == nil || err.Error() != "sim.toml: no such file or directory" {
		t.Errorf("%v", err)
	}
	if _, err := ReadFile("."); err == nil || err.Error() != ".: is a directory" {
		t.Errorf("%v", err)
	}
}

// The lines of keys, in layouts that a careless reader would get wrong.
func TestLinesOfKeys(t *testing.T) {
	text := `a = """
b = 1
""" # c = 2
d = [ # [x]
  "]", '#',
  { e = 1 },
]
"f g".h = '\'
[ t . "u.v" ]
w = "\"[z]" 
[[l]]
m = 1
`
	want := map[string]int{"a": 1, "d": 4, "f g": 8, "f g\x00h": 8, "t": 9, "t\x00u.v": 9, "t\x00u.v\x00w": 10, "l": 11, "l\x00m": 12}
	if diff := cmp.Diff(want, linesOf(text)); diff != "" {
		t.Error(diff)
	}
}

// linesOf returns the lines of the keys of a text.
func linesOf(text string) map[string]int {
	f := &ProblemFile{lines: map[string]int{}}
	f.keys(text)
	return f.lines
}

// Whatever the file: if TOML can be read, every key of a table's first two parts has a line, and
// nothing panics.
func FuzzLinesOfKeys(f *testing.F) {
	f.Add("[a]\nb = 1\n")
	f.Add("a.b = \"\"\"\n\"\"\"\n[c]\nd = {e = [1,\n2]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := linesOf(text)
		var tables map[string]any
		if toml.Unmarshal([]byte(text), &tables) != nil || strings.Contains(text, "{") {
			return // inline tables have no lines of their own
		}
		for first, value := range tables {
			if lines[first] == 0 {
				t.Errorf("%q has no line in %q: %v", first, text, lines)
			}
			table, _ := value.(map[string]any)
			for second := range table {
				if lines[first+"\x00"+second] == 0 {
					t.Errorf("%q in %q has no line in %q: %v", second, first, text, lines)
				}
			}
		}
	})
}

// The name that is meant, against a naive distance.
func TestNearest(t *testing.T) {
	keys := slices.Sorted(maps.Keys(runKeys))
	for given, want := range map[string]string{"bugdet": "budget", "jurnal": "journal", "journal_points": "journal-points", "": "", "quux": "", "budgets": "budget"} {
		if want != "" {
			want = fmt.Sprintf(" (did you mean %q?)", want)
		}
		if got := nearest(given, keys); got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
	for _, a := range keys {
		for _, b := range keys {
			if got, want := distance(a[:min(5, len(a))], b[:min(5, len(b))]), naiveDistance(a[:min(5, len(a))], b[:min(5, len(b))]); got != want {
				t.Errorf("%s and %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

func naiveDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	change := naiveDistance(a[1:], b[1:])
	if a[0] != b[0] {
		change++
	}
	return min(change, naiveDistance(a[1:], b)+1, naiveDistance(a, b[1:])+1)
}
