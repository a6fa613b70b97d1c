package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/needs"
)

func TestMain(m *testing.M) {
	testscript.Main(patientM{m}, map[string]func(){
		"untwist":     func() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) },
		"bench":       bench,
		"fast":        fast,
		"nats":        natsServer,
		"nats-server": configuredServer,
	})
}

// A patientM runs more tests at a time than there are cores, unless told otherwise: most of them wait.
type patientM struct{ *testing.M }

func (m patientM) Run() int {
	needs.Parallel(4 + runtime.GOMAXPROCS(0))
	return m.M.Run()
}

// The program, a script for each command.
func TestScripts(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/formula", "./testdata/several", "./testdata/worded").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts(t),
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
			"json":  checkJSON,
			"json-same": func(ts *testscript.TestScript, neg bool, args []string) {
				a, b := field(ts, args[0], args[2]), field(ts, args[1], args[2])
				if (fmt.Sprint(a) == fmt.Sprint(b)) == neg {
					ts.Fatalf("%s: %v and %v", args[2], a, b)
				}
			},
			"oneline": func(ts *testscript.TestScript, _ bool, _ []string) {
				if text := ts.ReadFile("stderr"); strings.Count(text, "\n") != 1 {
					ts.Fatalf("standard error is not one line: %q", text)
				}
			},
		},
	})
}

// scripts returns the folder of the scripts. Where tests are quick, each has only the paragraphs of its first eighth, or up to its
// first command.
func scripts(t *testing.T) string {
	t.Helper()
	if flags.Usual() {
		return "testdata"
	}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	dir := t.TempDir()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		commands, files, _ := strings.Cut(string(text), "\n-- ")
		begin := ""
		for part := range strings.SplitAfterSeq(commands, "\n\n") {
			if len(begin)+len(part) > len(commands)/8 && strings.Contains(begin, "untwist ") {
				break
			}
			begin += part
		}
		if files != "" {
			begin += "\n-- " + files
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(begin), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exits STATUS COMMAND… runs the command and demands the exit status.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	status := "0"
	if err != nil {
		status = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if status != args[0] {
		ts.Fatalf("exit status %s, want %s", status, args[0])
	}
}

// json FILE FIELD OP VALUE checks a field of the JSON object in a file: with
// ==, <= or >= as a number, with is as text, with has that it is there at all.
func checkJSON(ts *testscript.TestScript, _ bool, args []string) {
	field := field(ts, args[0], args[1])
	ok := true
	switch op := args[2]; op {
	case "has":
	case "is":
		ok = fmt.Sprint(field) == args[3]
	default:
		want, err := strconv.ParseFloat(args[3], 64)
		ts.Check(err)
		got, isNumber := field.(float64)
		ok = isNumber && (op == "==" && got == want || op == "<=" && got <= want || op == ">=" && got >= want)
	}
	if !ok {
		ts.Fatalf("%s is %v, want %s", args[1], field, strings.Join(args[2:], " "))
	}
}

// field returns a field of the JSON object in a file.
func field(ts *testscript.TestScript, file, name string) any {
	var object map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &object))
	field, present := object[name]
	if !present {
		ts.Fatalf("no field %s", name)
	}
	return field
}
