package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/needs"
)

// A written part of a document is something that its reader runs or writes to a file.
type written struct {
	line int
	kind kind
	name string // of a file
	text string
}

type kind string

const (
	aCommand  kind = "command" // a command of the shell
	aFile     kind = "file"    // a block that the text, or its first lines, give the name of a file
	aSession  kind = "python"  // a block of Python without a name: it goes on where the last one ended
	aProgram  kind = "go"      // a whole program in Go without a name
	someFlags kind = "flags"   // flags without a command, in inline code
	aMistake  kind = "wrong"   // what cannot be read
)

var (
	fence     = regexp.MustCompile("^( {0,3})```\\s*(\\S*)\\s*$")
	inline    = regexp.MustCompile("`([^`]+)`")
	setting   = regexp.MustCompile(`^[A-Z_]+=\S* `)
	bareName  = regexp.MustCompile(`^(untwist|(go|pip|bash|git) [a-z]+)$|^(go|pip|python3?|bash|chmod|truncate)$`)
	named     = regexp.MustCompile(`^(?:#|//|/\*)\s*([\w-]+\.\w+)\b`)
	fileName  = regexp.MustCompile(`^\w[\w/-]*\.\w+$`)
	extension = map[string]string{"python": ".py", "sh": ".sh", "c": ".c", "toml": ".toml", "go": ".go", "json": ".json"}
	starters  = regexp.MustCompile(`^(untwist|go|pip3?|python3?|bash|chmod|truncate|git|apt-get|curl|openssl|nats-server) `)
)

// readManual returns the parts of a document in Markdown, in their order:
//
//   - Blocks of sh, and indented blocks that begin with a command, are commands. A command may
//     have several lines.
//   - Inline code is a command if it begins with the name of one and has arguments. Code with …
//     in it is an abbreviation, and none.
//   - A block is a file if its first or second line is a comment with its name, or if it is of
//     another language than sh and the paragraph before it has a name with the ending of that
//     language in inline code. The last such name counts.
//
// exists says whether there is a program of this path in the repository.
func readManual(text string, exists func(path string) bool) (parts []written) {
	r := manualReader{exists: exists}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if m := fence.FindStringSubmatch(line); m != nil {
			r.prose()
			begin, end := i+1, i+1
			for end < len(lines) && !fence.MatchString(lines[end]) {
				end++
			}
			r.block(begin+1, m[2], without(m[1], lines[begin:min(end, len(lines))]))
			i = end
			continue
		}
		if strings.HasPrefix(line, "    ") && len(r.paragraph) == 0 {
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], "    ") {
				end++
			}
			block := without("    ", lines[i:end])
			if r.runs(block[0]) {
				r.commands(i+1, block)
			}
			i = end - 1
			continue
		}
		if strings.TrimSpace(line) == "" {
			r.prose()
			continue
		}
		if len(r.paragraph) == 0 {
			r.begin, r.last = i+1, nil
		}
		r.paragraph = append(r.paragraph, line)
	}
	r.prose()
	return r.parts
}

// without takes an indentation away.
func without(indent string, lines []string) (all []string) {
	for _, line := range lines {
		all = append(all, strings.TrimPrefix(line, indent))
	}
	return all
}

// A manualReader is in the middle of a document.
type manualReader struct {
	exists    func(path string) bool
	parts     []written
	paragraph []string // which is being read
	begin     int      // its first line
	last      []string // the inline code of the last paragraph
}

func (r *manualReader) add(line int, k kind, name, text string) {
	r.parts = append(r.parts, written{line, k, name, text})
}

// runs reports whether a text begins like a command with arguments.
func (r *manualReader) runs(text string) bool {
	for setting.MatchString(text) {
		text = setting.ReplaceAllString(text, "")
	}
	word, _, arguments := strings.Cut(text, " ")
	if strings.Contains(word, "/") && r.exists(word) {
		return arguments || path.Ext(word) == "" // a script by its name alone is only named
	}
	text = path.Base(word) + strings.TrimPrefix(text, word) // env/bin/python is Python
	return starters.MatchString(text) && !bareName.MatchString(text)
}

// prose ends a paragraph.
func (r *manualReader) prose() {
	text := strings.Join(r.paragraph, "\n")
	for _, at := range inline.FindAllStringSubmatchIndex(text, -1) {
		code := strings.Join(strings.Fields(text[at[2]:at[3]]), " ")
		r.last = append(r.last, code)
		line := r.begin + strings.Count(text[:at[2]], "\n")
		switch {
		case strings.Contains(code, "…"):
		case r.runs(code):
			r.add(line, aCommand, "", code)
		case strings.HasPrefix(code, "--"):
			r.add(line, someFlags, "", code)
		}
	}
	r.paragraph = nil
}

// block is a fenced block.
func (r *manualReader) block(line int, language string, lines []string) {
	text := strings.Join(lines, "\n") + "\n"
	name := r.nameOf(language, lines)
	switch {
	case name != "":
		r.add(line, aFile, name, text)
	case language == "sh" || language == "" && r.runs(lines[0]):
		r.commands(line, lines)
	case language == "python":
		r.add(line, aSession, "", text)
	case language == "go" && strings.HasPrefix(text, "package main\n"):
		r.add(line, aProgram, "", text)
	case slices.Contains([]string{"bash", "shell", "console", "zsh", "sh-session"}, language):
		r.add(line, aMistake, "", "a block of "+language+": the language of commands is called sh here")
	}
}

// nameOf returns the name of the file that a block is, or "".
func (r *manualReader) nameOf(language string, lines []string) string {
	ending := extension[language]
	for _, line := range lines[:min(2, len(lines))] {
		if m := named.FindStringSubmatch(line); m != nil && strings.HasSuffix(m[1], ending) {
			return m[1]
		}
	}
	if ending == "" || language == "sh" {
		return ""
	}
	name := ""
	for _, code := range r.last {
		for _, word := range strings.Fields(code) {
			if fileName.MatchString(word) && strings.HasSuffix(word, ending) {
				name = word
			}
		}
	}
	return name
}

// commands are lines for a shell. A command may have several of them.
func (r *manualReader) commands(line int, lines []string) {
	begin, text := 0, ""
	for i, l := range lines {
		if text == "" {
			if trimmed := strings.TrimSpace(l); trimmed == "" || strings.HasPrefix(trimmed, "#") {
				continue
			}
			begin = i
		}
		text += l + "\n"
		if !strings.HasSuffix(l, "\\") && bashReads(text) {
			r.add(line+begin, aCommand, "", strings.TrimSuffix(text, "\n"))
			text = ""
		}
	}
	if text != "" {
		r.add(line+begin, aMistake, "", "a shell cannot read this: "+text)
	}
}

// bashReads reports whether a text is one or several whole commands.
func bashReads(text string) bool {
	var said bytes.Buffer
	bash := exec.Command("bash", "-n", "-c", text)
	bash.Stderr = &said
	return bash.Run() == nil && said.Len() == 0 // it only warns of a here-document that does not end
}

// README's first block is what someone who has just cloned the repository types.
func TestFirstBlockOfTheReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n```")
	block, _, _ := strings.Cut(rest, "\n```")
	if want := "sh\ngo run ./cmd/untwist minimize --problem rastrigin --dim 100\ngo test ./..."; block != want {
		t.Errorf("README's first block is %q, want %q", block, want)
	}
}

// The reader of the manual finds what a human reader would run.
func TestReadManual(t *testing.T) {
	t.Parallel()
	needsBash(t)
	text, err := os.ReadFile("testdata/manual.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := readManual(string(text), func(path string) bool { return path == "tools/measure" || path == "tools/other.py" })
	got := ""
	for _, p := range parts {
		got += fmt.Sprintf("%d %s %s: %s\n", p.line, p.kind, p.name, strings.ReplaceAll(strings.TrimSpace(p.text), "\n", "|"))
	}
	want, err := os.ReadFile("testdata/manual.golden")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("it reads\n%s\nwant\n%s", got, want)
	}
}

// needsBash ends a test where there is no bash: only it can say where a command ends.
func needsBash(t *testing.T) { t.Helper(); needs.Tools(t, "bash") }

// documents are the manual, from the root of the repository.
func documents(t *testing.T, root string) (all []string) {
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "python/README.md", "examples/README.md", "examples/*/README.md", "docs/*.md", "docs/data/*.md", "identify/*.md", "internal/*.md", "internal/*/*.md", "internal/cluster/wire/*.md", "cmd/untwist/*.md", "problem/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, filepath.ToSlash(name))
		}
	}
	return all
}
