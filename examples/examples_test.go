// Package examples has no code, only the tests that run the examples.
//
// The comment at the top of an example says how to run it and what it prints. The tests run
// these commands and compare. Those in Go run by go test ./...; the others need sh, awk, xargs
// or python3, and run by go test ./examples -whole.
package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// An example is a folder. The comment in its file says how to run it and what it prints.
type example struct {
	folder, file string
	tools        string   // that it needs besides Go
	sure         []string // regular expressions for what it prints on every machine
}

var all = []example{
	{"gofunc", "main.go", "", []string{
		`(?m)^blur +0\.000000 after \d+ measurements, converged$`,
		`moved +\[-0\.710 0\.610 0\.430 -1\.510 -0\.960 0\.120 -0\.810 -1\.180 0\.430 -0\.820\] µm`,
		`learnt  separable in 10 rotated coordinates`, `\[7 8\]`,
	}},
	{"gonum", "main.go", "", []string{
		`\*untwist\.Method +-0\.010 kJ/mol after +\d+ evaluations, MethodConverge`, `learnt: separable in 10 rotated coordinates`,
	}},
	{"own", "main.go", "", []string{`0\.000 after \d+ queries`}},
	{"network", "main.go", "", []string{`20000  0\.02[12]`, `(?m)^[0-9] of 1000 new points`}},
	{"microring", "main.go", "", []string{`light +2\.158880 after \d+ measurements, converged; the least possible is 2\.158880`}},
	{"awk", "run.sh", "sh awk", []string{`best value +0\.07210738`, `drop 69\.768`, `tau +17\.285`, `room 21\.892`}},
	{"asktell", "run.sh", "sh awk xargs", []string{
		`status +converged`, `learnt +separable in 3 rotated coordinates, a quadratic`,
		`back +135\.685483`, `middle 143\.548387`, `front +148\.185483`,
	}},
	{"calibration", "reaction.toml", "sh python3", []string{
		`same twice  yes`, `best value  10\.86203739`, `A1 3\.52157.*e\+08 1/s`, `E1 71\.4583`, `A2 9\.4001.*e\+10 1/s`, `E2 92\.4712`,
		`query,A1,E1,A2,E2,value,seconds,failure,by`,
	}},
	{"crashes", "tune.py", "sh python3", []string{
		`cost 1\.5124 after 2000 simulations`, `kp 1\.208`, `ki 0\.660`, `kd 1\.233`, `failed: [1-9]`, `the first: Unstable: runs away after`,
		`the same call again: cost 1\.5124, with 2000 values from the journal and 0 simulations`,
	}},
}

// slow are the examples that compute for many seconds.
var slow = []string{"network", "microring"}

// Each example runs as its comment says, finds what is to be found, and prints what its comment
// says. Where tests are quick, slow ones are only compiled.
func TestExamples(t *testing.T) {
	for _, e := range all {
		t.Run(e.folder, func(t *testing.T) {
			commands, prints := e.comment(t)
			if slices.Contains(slow, e.folder) && !flags.Usual() {
				goes(t, "..", nil, "vet", "./examples/"+e.folder)
				return
			}
			out, err := e.run(t, commands, workspace(t, e))
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, s := range e.sure {
				if !regexp.MustCompile(s).MatchString(out) {
					t.Errorf("it does not print %s", s)
				}
			}
			if missing := notPrinted(prints, out); missing != "" && plain() {
				t.Errorf("the comment says that it prints\n%s", missing)
			}
			if t.Failed() {
				t.Logf("it prints\n%s", out)
			}
		})
	}
}

// A script that asks and tells can be killed between any two of its steps. Run again, it goes on.
func TestAskTellGoesOn(t *testing.T) {
	e := all[slices.IndexFunc(all, func(e example) bool { return e.folder == "asktell" })]
	commands, _ := e.comment(t)
	folder := workspace(t, e)
	// A program of the name untwist counts its calls and kills the script at some of them. One of
	// the name awk counts the jobs.
	wrapped := t.TempDir()
	killer := fmt.Sprintf(`#!/bin/sh
calls=$(cat %[1]s/calls) && echo $((calls + 1)) >%[1]s/calls
case $calls in 5 | 30 | 31) kill -9 $PPID; exit ;; esac
exec %[2]s "$@"
`, wrapped, filepath.Join(program(t), "untwist"))
	awk, err := exec.LookPath("awk")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(wrapped, "untwist"), killer, 0o755)
	write(t, filepath.Join(wrapped, "awk"), fmt.Sprintf("#!/bin/sh\necho >>%s/jobs\nexec %s \"$@\"\n", wrapped, awk), 0o755)
	write(t, filepath.Join(wrapped, "calls"), "0", 0o644)
	t.Setenv("WRAPPED", wrapped)

	kills, out := 0, ""
	for {
		var err error
		if out, err = e.run(t, `PATH="$WRAPPED:$PATH" && exec `+commands, folder); err == nil {
			break
		}
		if kills++; kills > 3 {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if kills != 3 {
		t.Errorf("the script was killed %d times, want 3", kills)
	}
	for _, s := range e.sure {
		if !regexp.MustCompile(s).MatchString(out) {
			t.Errorf("killed and run again, it does not print %s\n%s", s, out)
		}
	}
	jobs, err := os.ReadFile(filepath.Join(wrapped, "jobs"))
	queries := regexp.MustCompile(`queries +(\d+) of 2,000`).FindStringSubmatch(out)
	if err != nil || queries == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, _ := strconv.Atoi(queries[1])
	if n := len(jobs); n < want || n > want+3*8 {
		t.Errorf("%d jobs were run; want %d, and at most 8 more each time that the script was killed", n, want)
	}
	// Once more: everything is known.
	if again, err := e.run(t, commands, folder); err != nil || notPrinted(strings.Split(out, "\n")[:5], again) != "" {
		t.Errorf("run once more, it prints\n%s, %v", again, err)
	}
}

// README.md has a line for each example, with its first command, and each folder is an example.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, e := range all {
		commands, prints := e.comment(t)
		if len(prints) == 0 {
			t.Errorf("%s does not say what it prints", e.folder)
		}
		folders[e.folder] = true
		line := regexp.MustCompile(`(?m)^\| \[` + e.folder + `\]\(` + e.folder + `/` + e.file + `\).*$`).FindString(string(readme))
		command, _, _ := strings.Cut(strings.TrimPrefix(commands, "cd examples/"+e.folder+"\n"), "\n")
		if !strings.Contains(line, "`"+command+"`") {
			t.Errorf("README.md has no line for %s with the command %q: %q", e.folder, command, line)
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() && !folders[entry.Name()] {
			t.Errorf("%s is not tested", entry.Name())
		}
	}
}

// comment reads how to run an example, and what it then prints: the indented lines after "Run
// it" and "It prints".
func (e example) comment(t *testing.T) (commands string, prints []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.folder, e.file))
	if err != nil {
		t.Fatal(err)
	}
	var run []string
	var into *[]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(line, "//"), "#"), "\n")
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "Run it") && run == nil:
			into = &run
		case strings.HasPrefix(strings.TrimSpace(line), "It prints") && prints == nil:
			into = &prints
		case indented && into != nil:
			*into = append(*into, strings.TrimSpace(line))
		case strings.TrimSpace(line) != "" && into != nil && len(*into) > 0:
			into = nil
		}
	}
	if len(run) == 0 {
		t.Fatalf("%s does not say how to run it", e.folder)
	}
	return strings.Join(run, "\n"), prints
}
