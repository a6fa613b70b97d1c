package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/needs"
)

// Every command of the manual, which is README.md and docs and what belongs to them, is run: as it
// is written, or as the list manners says. With -whole it is really every command, which takes
// minutes, and a tool that is missing is an error. Otherwise only those of a few documents
// are run that neither compile nor start Python. In any case all flags have to exist, all programs
// in Go have to compile, and the list must have nothing that no document needs. Where
// tests are quick, these are only the commands of one document, and the programs of README.md.
func TestManual(t *testing.T) {
	t.Parallel()
	needsBash(t)
	m := newManual(t, "../..", manners)
	for _, name := range documents(t, m.root) {
		text, err := os.ReadFile(filepath.Join(m.root, name))
		if err != nil {
			t.Fatal(err)
		}
		parts := readManual(string(text), m.exists)
		for _, complaint := range m.look(name, parts) {
			t.Error(complaint)
		}
		if !*flags.Whole && (flags.Usual() || name == "README.md") {
			for _, complaint := range m.vet(t, name, parts) {
				t.Error(complaint)
			}
		}
		if *flags.Whole || slices.Contains(flags.Sample(few, 1), name) {
			t.Run(strings.ReplaceAll(name, "/", ":"), func(t *testing.T) {
				needs.Tools(t, "awk")
				for _, complaint := range m.run(t, name, parts) {
					t.Error(complaint)
				}
			})
		}
	}
	for _, complaint := range m.unused() {
		t.Error(complaint)
	}
}

// The test of the manual finds commands that cannot be run.
func TestManualNotices(t *testing.T) {
	t.Parallel()
	needsBash(t)
	for text, want := range map[string]string{
		"```sh\nuntwist problems --json\n```":                            "",
		"`untwist probe`, `untwist --help`":                              "",
		"```sh\nuntwist minimize --problem sphere --dmi 3\n```":          "here.md:2: untwist minimize has no flag --dmi",
		"For this there is `--dmi N`.":                                   "here.md:1: untwist has no flag --dmi",
		"`untwist brobe`":                                                "here.md:1: untwist has no command brobe",
		"Two lines:\n\n    untwist problems\n    untwist brobe --help":   "here.md:4: untwist has no command brobe",
		"```sh\nuntwist problems | grep no-such-problem\n```":            "here.md:2: this does not run",
		"```sh\ncat sim.txt\n```\n```\n# sim.txt\n```":                   "",
		"```sh\ncat sim.txt\n```":                                        "here.md:2: this does not run",
		"```sh\nmkdir -p a/b; cd a; x=1\n```\n\n```sh\ncd b\n```":        "",
		"```sh\nexport A=1\n```\n\n```sh\ntest $A = 1\n```":              "",
		"```sh\nuntwist minimize --problem rastrigin --dim 100\n```":     "", // runs with --dim 2
		"```sh\nuntwist minimize --problem rastrigin --dim 2\n```":       `here.md:2: what it prints does not match "zzz"`,
		"```sh\nuntwist minimize --problem rastrigin --dim 3\n```":       "here.md:2: this does not run: untwist minimize --problem rastrigin --dim 3 && false",
		"```sh\nif true; then\n```":                                      "here.md:2: a shell cannot read this",
		"```console\n$ untwist problems\n```":                            "here.md:2: a block of console",
		"`untwist minimize --caller`, `--exec 'python3 sim.py --dmi 3'`": "here.md:1: this does not run",
	} {
		m := newManual(t, "testdata", map[string]manner{
			"untwist minimize --problem rastrigin --dim 100": {instead: "untwist minimize --problem rastrigin --dim 2", why: "shorter"},
			"untwist minimize --problem rastrigin --dim 2":   {prints: "zzz"},
			"untwist minimize --problem rastrigin --dim 3":   {then: "false"},
		})
		parts := readManual(text, m.exists)
		got := strings.Join(append(m.look("here.md", parts), m.run(t, "here.md", parts)...), "\n")
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s\n\nit says %q, want %q", text, got, want)
		}
		if unused := m.unused(); len(unused) < 2 || !strings.Contains(unused[0], "is in no document") {
			t.Errorf("unused are %q", unused)
		}
	}
}

// A manual is run document by document, each in a fresh copy of the repository.
type manual struct {
	root    string // of the repository
	folder  string
	environ []string
	manners map[string]manner
	used    map[string]bool
	python  bool // is ready
}

func newManual(t *testing.T, root string, manners map[string]manner) *manual {
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &manual{root: root, folder: t.TempDir(), manners: manners, used: map[string]bool{}}
	for _, name := range []string{"bin", "tmp"} {
		if err := os.Mkdir(filepath.Join(m.folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, filepath.Join(m.folder, "bin", "untwist")); err != nil { // TestMain goes by the name
		t.Fatal(err)
	}
	m.environ = append(os.Environ(),
		"PATH="+filepath.Join(m.folder, "venv", "bin")+":"+filepath.Join(m.folder, "gobin")+":"+filepath.Join(m.folder, "bin")+":"+os.Getenv("PATH"),
		"GOBIN="+filepath.Join(m.folder, "gobin"),
		"TMPDIR="+filepath.Join(m.folder, "tmp"), // for the work folders of failed points
		"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INDEX=1",
	)
	if *flags.Whole {
		mawk, err := exec.LookPath("mawk") // the awk whose input and output are buffered
		if err == nil {
			err = os.Symlink(mawk, filepath.Join(m.folder, "bin", "awk"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// exists reports whether a path is that of a program of the repository.
func (m *manual) exists(path string) bool {
	text, err := os.ReadFile(filepath.Join(m.root, path))
	return err == nil && bytes.HasPrefix(text, []byte("#!"))
}

var (
	inQuotes = regexp.MustCompile(`'[^']*'|"(?:\\.|[^"\\])*"`)
	longFlag = regexp.MustCompile(`(?:^|\s)--([a-z][a-z0-9-]*)`)
	called   = regexp.MustCompile(`\buntwist ([a-z]+)`)
	nameOnly = regexp.MustCompile(`^untwist [a-z]+$`)
)

// look complains of flags that do not exist, and notes which manners are used.
func (m *manual) look(document string, parts []written) (complaints []string) {
	for _, p := range parts {
		plain := inQuotes.ReplaceAllString(p.text, "''")
		commands := called.FindAllStringSubmatch(plain, -1)
		switch p.kind {
		case aMistake:
			complaints = append(complaints, fmt.Sprintf("%s:%d: %s", document, p.line, p.text))
			continue
		case aCommand:
			m.used[oneLine(p.text)] = true
		case someFlags:
			commands = [][]string{{"", ""}}
		case aFile:
			if text, err := os.ReadFile(filepath.Join(m.root, p.name)); strings.HasPrefix(p.name, "examples/") && (err != nil || string(text) != p.text) {
				complaints = append(complaints, fmt.Sprintf("%s:%d: %s is not the same in the repository", document, p.line, p.name))
			}
			continue
		default:
			continue
		}
		for _, c := range commands {
			if c[1] != "" && !slices.Contains(subcommands, c[1]) {
				complaints = append(complaints, fmt.Sprintf("%s:%d: untwist has no command %s", document, p.line, c[1]))
			}
		}
		for _, flag := range longFlag.FindAllStringSubmatch(plain, -1) {
			if len(commands) > 0 && !slices.ContainsFunc(commands, func(c []string) bool { return hasFlag(c[1], flag[1]) }) {
				complaints = append(complaints, fmt.Sprintf("%s:%d: %s has no flag --%s", document, p.line, strings.TrimSpace("untwist "+commands[0][1]), flag[1]))
			}
		}
	}
	return complaints
}

var subcommands = []string{"minimize", "probe", "check", "init", "worker", "workers", "journal", "ask", "tell", "problems", "compare", "reproduce", "draw", "help"}

// hasFlag reports whether a command has a flag; "" stands for all commands.
func hasFlag(name, flag string) bool {
	either := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return hasFlag(name, flag) })
	}
	switch name {
	case "":
		return either(subcommands...)
	case "reproduce":
		return either("reproduce all", "reproduce table1", "reproduce figure1", "reproduce errors", "reproduce scaling")
	}
	var out, said bytes.Buffer
	run(append(strings.Fields(name), "--help", "--"+flag), &out, &said)
	return !strings.Contains(said.String(), "unknown flag")
}

// unused complains of manners that no document needs any more.
func (m *manual) unused() (complaints []string) {
	for text := range m.manners {
		if !m.used[text] {
			complaints = append(complaints, fmt.Sprintf("the list of manners has %q, which is in no document", text))
		}
	}
	slices.Sort(complaints)
	return complaints
}

// oneLine is a command as the list of manners has it.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\\\n", " ")), " ")
	return strings.ReplaceAll(text, "go run ./cmd/untwist ", "untwist ")
}

// vet complains of programs in Go that do not compile.
func (m *manual) vet(t *testing.T, document string, parts []written) (complaints []string) {
	for i, p := range parts {
		if p.kind == aProgram || strings.HasSuffix(p.name, ".go") {
			name := fmt.Sprintf("vet%d/main.go", i)
			m.write(t, m.folder, name, p.text)
			vet := exec.CommandContext(t.Context(), "go", "vet", filepath.Join(m.folder, name))
			vet.Dir = m.root
			if out, err := vet.CombinedOutput(); err != nil {
				complaints = append(complaints, fmt.Sprintf("%s:%d: %v\n%s", document, p.line, err, out))
			}
		}
	}
	return complaints
}

// run runs the commands of a document in a fresh copy of the repository, and complains of those
// that fail. The copy is always in the same place, so that Go compiles the packages only once.
func (m *manual) run(t *testing.T, document string, parts []written) (complaints []string) {
	if !slices.ContainsFunc(parts, func(p written) bool { return p.kind != someFlags && p.kind != aFile }) {
		return nil
	}
	place := filepath.Join(m.folder, "work")
	for _, old := range []string{"work", "gobin"} {
		if err := os.RemoveAll(filepath.Join(m.folder, old)); err != nil {
			t.Fatal(err)
		}
	}
	err := os.Mkdir(place, 0o755)
	if *flags.Whole && err == nil { // what is run otherwise needs nothing
		err = m.copy(place)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.state(), []byte("cd '"+place+"'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, p := range parts { // a command may come before its file
		if p.kind == aFile && !written[p.name] {
			written[p.name] = true
			m.write(t, place, p.name, p.text)
		}
	}
	if before[document] != "" {
		if out, err := m.bash(t, before[document]); err != nil {
			return []string{fmt.Sprintf("before %s: %v\n%s", document, err, out)}
		}
	}
	blocks, programs, installs := "", 0, strings.Contains(before[document], "pip install ./python")
	for i, p := range parts {
		script, prints := "", ""
		switch p.kind {
		case aFile:
			m.write(t, place, p.name, p.text)
		case aCommand:
			how := m.manners[oneLine(p.text)]
			switch script = p.text; {
			case how.plus != "":
				script += " " + how.plus
			case how.instead != "":
				script = how.instead
			case nameOnly.MatchString(script) && script != "untwist problems":
				script += " --help"
			}
			if prints = how.prints; how.then != "" {
				script += " && " + how.then
			}
		case aSession: // goes on with those before, which are run with the last of them
			if blocks += p.text; i+1 == len(parts) || parts[i+1].kind != aSession {
				m.write(t, m.folder, "session.py", blocks)
				script = "python3 '" + filepath.Join(m.folder, "session.py") + "'"
			}
		case aProgram:
			programs++
			m.write(t, place, fmt.Sprintf("program%d/main.go", programs), p.text)
			script = fmt.Sprintf("go run ./program%d", programs)
		}
		if script == "" || !*flags.Whole && slow.MatchString(script) {
			continue
		}
		installs = installs || strings.Contains(script, "pip install ./python")
		out, err := m.bash(t, script)
		where := fmt.Sprintf("%s:%d", document, p.line)
		switch {
		case err != nil:
			complaints = append(complaints, fmt.Sprintf("%s: this does not run: %s\n%v\n%s", where, script, err, end(out)))
		case prints != "" && !regexp.MustCompile(prints).MatchString(out):
			complaints = append(complaints, fmt.Sprintf("%s: what it prints does not match %q: %s\n%s", where, prints, script, end(out)))
		case strings.Contains(script, "go test") && (strings.Contains(out, "no tests to run") || strings.Contains(script, "-bench") && !strings.Contains(out, "\nBenchmark")):
			complaints = append(complaints, fmt.Sprintf("%s: this tests nothing: %s\n%s", where, script, end(out)))
		}
	}
	if installs {
		if out, err := m.bash(t, "pip uninstall -y untwist"); err != nil {
			t.Fatal(err, out)
		}
	}
	return complaints
}

// end is the end of a text.
func end(text string) string { return text[max(0, len(text)-4000):] }

// bash runs a script where the last one has ended, in its folder and with the variables that it
// has exported, and returns what it prints.
func (m *manual) bash(t *testing.T, script string) (string, error) {
	if err := m.prepare(script); err != nil {
		t.Fatal(err)
	}
	bash := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c",
		fmt.Sprintf("source '%[1]s'\n%[2]s\n{ export -p; printf 'cd %%q\\n' \"$PWD\"; } >'%[1]s'", m.state(), script))
	bash.Dir, bash.Env = m.folder, m.environ
	out, err := bash.CombinedOutput()
	if bash.ProcessState != nil {
		t.Logf("%.1f s of computing: %s", (bash.ProcessState.UserTime() + bash.ProcessState.SystemTime()).Seconds(), script)
	}
	return string(out), err
}

// state is the file in which scripts leave their folder and variables.
func (m *manual) state() string { return filepath.Join(m.folder, "state") }

// slow finds commands that compile, or start Python.
var slow = regexp.MustCompile(`\bgo (run|test|build|install) |` + usesPython.String())

// usesPython finds commands that need Python.
var usesPython = regexp.MustCompile(`\b(python3?|pip)\b|\.py\b|python/`)

// prepare makes an environment for Python where a script is the first that needs one.
func (m *manual) prepare(script string) error {
	if m.python || !usesPython.MatchString(script) {
		return nil
	}
	for _, python := range []string{"/usr/bin/python3", "python3"} { // the system's packages are for the first
		if exec.Command(python, "-c", "import ensurepip, numpy, scipy, venv").Run() == nil {
			out, err := exec.Command(python, "-m", "venv", "--system-site-packages", filepath.Join(m.folder, "venv")).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w\n%s", err, out)
			}
			m.python = true
			return nil
		}
	}
	return fmt.Errorf("the command %s needs Python with ensurepip, numpy, scipy and venv", script)
}

// write writes a file.
func (m *manual) write(t *testing.T, place, name, text string) {
	path := filepath.Join(place, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copy copies the repository.
func (m *manual) copy(place string) error {
	return filepath.WalkDir(m.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(m.root, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		switch to := filepath.Join(place, name); {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(to, 0o755)
		case !info.Mode().IsRegular():
			return nil
		default:
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(to, text, info.Mode().Perm())
		}
	})
}
