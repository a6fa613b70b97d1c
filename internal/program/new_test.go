package program

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/canon"
	"github.com/untwist/untwist/objective"
)

// put writes files into a folder. A name that ends with * is executable.
func put(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, "*") {
			name, mode = strings.TrimSuffix(name, "*"), 0o755
		}
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string]string{
		"sim*": "#!/bin/sh\n", "plain": "x", "crlf*": "#!/bin/sh\r\necho 1\r\n", "lost*": "#!/no/such/thing -x\n", "bang*": "#!\n",
		"dir/x": "", "good.tpl": "k={k} d={d}\n", "bad.tpl": "k={k}\n\nd={dd}\n", "in.tpl": "{k} {d} {in}", "format.tpl": "{d}\n{k:%d}",
	})
	minus := -1
	kd := []string{"./sim", "{k}", "{d}"}
	for _, c := range []struct {
		field, words string // of the error
		config       Config
	}{
		{"Exec", "no command", Config{}},
		{"Exec", "no command", Config{Exec: []string{""}}},
		{"Exec", "zero byte", Config{Exec: []string{"./sim", "a\x00"}}},
		{"Names", "no parameters", Config{Exec: []string{"./sim"}, Names: []string{}}},
		{"Names", "two parameters are called k", Config{Exec: []string{"./sim"}, Names: []string{"k", "k"}}},
		{"Names", "parameter 2 has no name", Config{Exec: []string{"./sim"}, Names: []string{"k", ""}}},
		{"Names", "rename", Config{Exec: []string{"./sim", "{in}"}, Names: []string{"k", "in"}}},
		{"Exec", "./nosim does not exist in " + folder, Config{Exec: []string{"./nosim"}}},
		{"Exec", "/no/such/sim does not exist", Config{Exec: []string{"/no/such/sim"}}},
		{"Exec", "write ./sim", Config{Exec: []string{"sim"}}},
		{"Exec", "not found in PATH", Config{Exec: []string{"no-such-program-anywhere"}}},
		{"Exec", "is a folder", Config{Exec: []string{"./dir"}}},
		{"Exec", "chmod +x " + folder + "/plain", Config{Exec: []string{"./plain"}}},
		{"Exec", "CR LF", Config{Exec: []string{"./crlf"}}},
		{"Exec", "names /no/such/thing, which does not exist", Config{Exec: []string{"./lost"}}},
		{"Exec", "names no program", Config{Exec: []string{"./bang"}}},
		{"Protocol", "once, lines, json, binary or batch", Config{Exec: []string{"./sim"}, Protocol: "pipe"}},
		{"EOF", "lines", Config{Exec: kd, EOF: true}},
		{"EOF", "lines", Config{Exec: []string{"./sim"}, Protocol: JSON, EOF: true}},
		{"Procs", "from 1 to 16384", Config{Exec: kd, Procs: -1}},
		{"Timeout", "negative", Config{Exec: kd, Timeout: -1}},
		{"Retries", "negative", Config{Exec: kd, Retries: &minus}},
		{"KeepFailed", "negative", Config{Exec: kd, KeepFailed: &minus}},
		{"Exec", "{x} is not a parameter", Config{Exec: append(kd, "{x}")}},
		{"Exec", "write ${{HOME}}", Config{Exec: append(kd, "${HOME}")}},
		{"Exec", "write {k}", Config{Exec: append(kd, "a${k}")}},
		{"Exec", "no placeholder uses the parameter d", Config{Exec: []string{"./sim", "{k}"}}},
		{"Exec", "needs {k}", Config{Exec: []string{"./sim"}, Protocol: Once}},
		{"Exec", "word of its own", Config{Exec: []string{"./sim", "--x={all}"}}},
		{"Exec", "templates only", Config{Exec: []string{"./sim", "{k:%.3f}", "{d}"}}},
		{"Exec", "a format is", Config{Exec: []string{"./sim", "{k:%d}", "{d}"}}},
		{"Exec", "first word", Config{Exec: []string{"./{k}", "{d}"}}},
		{"Exec", "protocol lines", Config{Exec: []string{"./sim", "{out}"}, Protocol: Lines}},
		{"Exec", "protocol json", Config{Exec: kd, Protocol: JSON}},
		{"Exec", "needs {in}", Config{Exec: []string{"./sim", "{in}"}, Protocol: Batch}},
		{"Exec", "many points", Config{Exec: []string{"./sim", "{in}", "{out}", "{k}"}, Protocol: Batch}},
		{"Exec", "many points", Config{Exec: []string{"./sim", "{in}", "{out}", "{all}"}, Protocol: Batch}},
		{"Procs", "one call gets a whole batch", Config{Exec: []string{"./sim", "{in}", "{out}"}, Protocol: Batch, Procs: 2}},
		{"Templates", "protocol is batch", Config{Exec: []string{"./sim", "{in}", "{out}"}, Protocol: Batch, Templates: []Template{{"good.tpl", "a"}}}},
		{"Templates", "bad.tpl, line 3: {dd} is not a parameter", Config{Exec: []string{"./sim"}, Templates: []Template{{"bad.tpl", "a"}}}},
		{"Templates", "in.tpl, line 1: {in} can be in the command only", Config{Exec: []string{"./sim"}, Templates: []Template{{"in.tpl", "a"}}}},
		{"Templates", "format.tpl, line 2: {k:%d}", Config{Exec: []string{"./sim"}, Templates: []Template{{"format.tpl", "a"}}}},
		{"Templates", "no.tpl cannot be read: no such file", Config{Exec: []string{"./sim"}, Templates: []Template{{"no.tpl", "a"}}}},
		{"Templates", "dir cannot be read", Config{Exec: []string{"./sim"}, Templates: []Template{{"dir", "a"}}}},
		{"Templates", "two templates write a", Config{Exec: []string{"./sim"}, Templates: []Template{{"good.tpl", "a"}, {"good.tpl", "./a"}}}},
		{"Templates", "not in the work folder", Config{Exec: []string{"./sim"}, Templates: []Template{{"good.tpl", "../a"}}}},
		{"Templates", "not in the work folder", Config{Exec: []string{"./sim"}, Templates: []Template{{"good.tpl", "/a"}}}},
		{"Templates", "no name", Config{Exec: []string{"./sim"}, Templates: []Template{{"good.tpl", ""}}}},
		{"Templates", "no source", Config{Exec: []string{"./sim"}, Templates: []Template{{"", "a"}}}},
		{"ResultFile", "one place", Config{Exec: append(kd, "{out}"), ResultFile: "r"}},
		{"Result", "one place", Config{Exec: append(kd, "{out}"), Result: regexp.MustCompile(`(x)`)}},
		{"Result", "parentheses", Config{Exec: kd, Result: regexp.MustCompile(`x`)}},
		{"Result", "protocol once", Config{Exec: []string{"./sim"}, Result: regexp.MustCompile(`(x)`)}},
		{"ResultFile", "protocol once", Config{Exec: []string{"./sim"}, ResultFile: "r"}},
		{"ResultFile", "work folder", Config{Exec: kd, ResultFile: "/r"}},
	} {
		c.config.Dir = folder
		if c.config.Names == nil {
			c.config.Names = []string{"k", "d"}
		}
		_, err := New(c.config)
		var option *objective.OptionError
		if !errors.As(err, &option) || option.Option != c.field || !strings.Contains(option.Reason, c.words) {
			t.Errorf("%q %+v: %v, want %s: … %s", c.config.Exec, c.config.Templates, err, c.field, c.words)
		}
		if err != nil && strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("more than one line: %v", err)
		}
	}
}

func TestProtocolsByDefault(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string]string{"sim*": "#!/bin/sh\n", "t": "{k}{d}"})
	for _, c := range []struct {
		config Config
		want   Protocol
	}{
		{Config{Exec: []string{"./sim"}}, Lines},
		{Config{Exec: []string{"sh", "{for(i=1;i<=NF;i++){s+=$i*$i}}"}}, Lines},
		{Config{Exec: []string{"./sim", "{k}", "{d}"}}, Once},
		{Config{Exec: []string{"./sim", "{all}"}}, Once},
		{Config{Exec: []string{"./sim"}, Templates: []Template{{"t", "t"}}}, Once},
		{Config{Exec: []string{"./sim", "{{k}}"}}, Lines},
		{Config{Exec: []string{"./sim"}, Protocol: JSON}, JSON},
	} {
		c.config.Dir, c.config.Names = folder, []string{"k", "d"}
		o, err := New(c.config)
		if err != nil || o.recipe.Protocol != c.want {
			t.Errorf("%q: %v", c.config.Exec, err)
			continue
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	o, err := New(Config{Exec: []string{"./sim", "{{k}}"}, Dir: folder, Names: []string{"k"}})
	if want := []string{filepath.Join(folder, "sim"), "{k}"}; err != nil || !slices.Equal(o.recipe.Exec, want) {
		t.Errorf("the command is %q (%v)", o.recipe.Exec, err)
	}
}

func TestDescriptions(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	files := map[string]string{"sim*": "#!/bin/sh\necho 1\n", "lib.sh": "x", "t": "{k}", "u": "{k} "}
	put(t, folder, files)
	put(t, other, files)
	describe := func(c Config) string {
		t.Helper()
		o, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		text, err := canon.Marshal(o.Description())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	base := func() Config {
		return Config{Exec: []string{"./sim", "lib.sh", "{k}"}, Dir: folder, Names: []string{"k"}}
	}
	first := describe(base())
	for about, change := range map[string]func(*Config){
		"procs": func(c *Config) { c.Procs = 7 }, "timeout": func(c *Config) { c.Timeout = 5 },
		"retries": func(c *Config) { c.Retries = new(int) }, "keep": func(c *Config) { c.KeepFailed = new(int) },
		"protocol that is the default": func(c *Config) { c.Protocol = Once }, "keep going": func(c *Config) { c.KeepGoing = true },
	} {
		c := base()
		change(&c)
		if got := describe(c); got != first {
			t.Errorf("%s changes the description to %s", about, got)
		}
	}
	seen := map[string]string{first: "nothing"}
	// In this order, since some change the files.
	for _, c := range []struct {
		about  string
		change func(*Config)
	}{
		{"a word", func(c *Config) { c.Exec = append(c.Exec, "-v") }},
		{"a name", func(c *Config) { c.Names = []string{"q"}; c.Exec[2] = "{q}" }},
		{"an extra name", func(c *Config) { c.Names = []string{"k", "q"}; c.Exec[2] = "{all}" }},
		{"the protocol", func(c *Config) { c.Exec = c.Exec[:2]; c.Protocol = JSON }},
		{"lines", func(c *Config) { c.Exec = c.Exec[:2] }},
		{"eof", func(c *Config) { c.Exec = c.Exec[:2]; c.EOF = true }},
		{"a template", func(c *Config) { c.Templates = []Template{{"t", "t"}} }},
		{"another template", func(c *Config) { c.Templates = []Template{{"u", "t"}} }},
		{"its name", func(c *Config) { c.Templates = []Template{{"t", "v"}} }},
		{"the result", func(c *Config) { c.Result = regexp.MustCompile(`(x)`) }},
		{"the result file", func(c *Config) { c.ResultFile = "r" }},
		{"the folder", func(c *Config) { c.Dir = other }},
		{"the program", func(c *Config) {
			put(t, other, map[string]string{"sim*": "#!/bin/sh\necho 2\n"})
			c.Dir = other
		}},
		{"a file of the command", func(c *Config) {
			put(t, other, map[string]string{"sim*": "#!/bin/sh\necho 3\n", "lib.sh": "y"})
			c.Dir = other
		}},
	} {
		config := base()
		c.change(&config)
		got := describe(config)
		if before, twice := seen[got]; twice {
			t.Errorf("%s and %s have the same description %s", c.about, before, got)
		}
		seen[got] = c.about
	}
	if !strings.Contains(first, `"Executable":[{"Path":"`+folder+`/sim","Digest":"`) || !strings.Contains(first, folder+"/lib.sh") {
		t.Errorf("the executables are not in %s", first)
	}
}

func TestAFileThatTheProgramWillNotFindIsNamed(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string]string{"sim.py": "", "t": "{k}"})
	var notes []string
	c := Config{
		Exec: []string{"sh", "sim.py", "t"}, Dir: folder, Names: []string{"k"}, Templates: []Template{{"t", "t"}},
		Note: func(line string) { notes = append(notes, line) },
	}
	if _, err := New(c); err != nil || len(notes) != 1 || !strings.Contains(notes[0], folder+"/sim.py") {
		t.Errorf("the notes are %q (%v)", notes, err)
	}
}
