package program

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/objective"
)

// A File is a file that decides what the program computes.
type File struct {
	Path   string // absolute
	Digest string // SHA-256 of its content
}

// findProgram makes the first word of Exec the absolute path of a program that can be
// started.
func (r *recipe) findProgram() (err error) {
	if r.Exec[0], err = findProgram(string(r.words[0].fill(nil, nil)), r.Dir); err != nil {
		return err
	}
	for i, f := range r.words[1:] {
		if r.Protocol != Once && r.Protocol != Batch {
			r.Exec[i+1] = string(f.fill(nil, nil)) // no placeholders, but {{ is a brace
		}
	}
	return nil
}

// findProgram returns the absolute path of the program that the first word of a command
// names, and checks that it can be started. A word with a slash is relative to a folder.
func findProgram(word, folder string) (path string, err error) {
	bad := func(format string, args ...any) (string, error) {
		return "", objective.BadOption("Exec", format, args...)
	}
	if path = Absolute(folder, word); !strings.ContainsRune(word, '/') {
		found, err := exec.LookPath(word)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			if info, err := os.Stat(filepath.Join(folder, word)); err == nil && !info.IsDir() {
				return bad("%s is not found in PATH, but is a file in %s: write ./%s", word, folder, word)
			}
			return bad("%s is not found in PATH: check its spelling, or write its whole path", word)
		}
		if path, err = filepath.Abs(found); err != nil {
			return bad("%s: %v", word, err)
		}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && !filepath.IsAbs(word):
		return bad("%s does not exist in %s", word, folder)
	case errors.Is(err, os.ErrNotExist):
		return bad("%s does not exist", word)
	case err != nil:
		return bad("%s: %v", word, pathless(err))
	case info.IsDir():
		return bad("%s is a folder, not a program", word)
	case !info.Mode().IsRegular():
		return bad("%s is not an ordinary file", word)
	case info.Mode()&0o111 == 0:
		return bad("%s has no execute bit: run chmod +x %s", word, quote(path))
	}
	return path, checkInterpreter(word, path)
}

// checkInterpreter checks the first line of a script, without which the system would say
// no more than that a file is not found.
func checkInterpreter(word, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return nil // a program may be executable and not readable
	}
	defer file.Close()
	line, _ := bufio.NewReader(io.LimitReader(file, 256)).ReadBytes('\n')
	if !bytes.HasPrefix(line, []byte("#!")) {
		return nil
	}
	words := strings.Fields(string(line[2:]))
	if len(words) == 0 {
		return objective.BadOption("Exec", "%s: its first line, #!, names no program", word)
	}
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return objective.BadOption("Exec", "%s: its lines end with CR LF, as on Windows, and cannot be run here: run sed -i 's/\\r$//' %s", word, quote(path))
	}
	if _, err := os.Stat(words[0]); filepath.IsAbs(words[0]) && errors.Is(err, os.ErrNotExist) {
		return objective.BadOption("Exec", "%s: its first line names %s, which does not exist", word, words[0])
	}
	return nil
}

// digest takes the digests of the program and of the files that are words of the command,
// such as sim.py in python3 sim.py.
func (r *recipe) digest() (err error) {
	words := []string{r.Exec[0]}
	for _, f := range r.words[1:] {
		if len(f.placeholders()) > 0 {
			continue
		}
		word := string(f.fill(nil, nil))
		if word == "" || r.inFolder() && !filepath.IsAbs(word) {
			r.warnOfFolder(word)
			continue
		}
		words = append(words, word)
	}
	r.executable, err = digests(r.Dir, words)
	return err
}

// Absolute returns a path that may be relative to a folder.
func Absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// isFile reports whether there is an ordinary file.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// digests takes the digests of a program, the first word of a command, and of the other words
// that are files, relative to a folder. The program itself need not be readable.
func digests(folder string, words []string) (all []File, err error) {
	for i, word := range words {
		path := Absolute(folder, word)
		if i > 0 && !isFile(path) {
			continue
		}
		sum, err := digestOf(path)
		if err != nil && i > 0 {
			return nil, objective.BadOption("Exec", "%s cannot be read: %v", path, pathless(err))
		}
		if file := (File{path, sum}); !slices.Contains(all, file) {
			all = append(all, file)
		}
	}
	return all, nil
}

// warnOfFolder says that a file is not where the program runs.
func (r *recipe) warnOfFolder(word string) {
	if slices.ContainsFunc(r.templates, func(t template) bool { return t.name == filepath.Clean(word) }) || word == r.ResultFile {
		return
	}
	if word != "" && isFile(filepath.Join(r.Dir, word)) {
		r.Note("the program runs in a work folder of its own, and does not find " + word + " there; if it is to read " + filepath.Join(r.Dir, word) + ", write this whole path")
	}
}

// digestOf returns the digest of a file, "" if it may not be read.
func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Split splits a command into words as a POSIX shell does, with single and double quotes
// and backslashes. Nothing is expanded, and # starts no comment. A word that only a shell
// understands, such as | or &&, is an error unless it is quoted.
func Split(command string) (words []string, err error) {
	var word strings.Builder
	inside, quoted := false, false // there is a word, although it may be empty; part of it was quoted
	add := func(part string, quotes bool) {
		word.WriteString(part)
		inside, quoted = true, quoted || quotes
	}
	end := func() error {
		text := word.String()
		switch {
		case !inside:
			return nil
		case !quoted && variable.MatchString(text):
			return fmt.Errorf("%s means something only to a shell, and no shell is started; {name} is the value of the parameter called name, and '%s' is what it says", text, text)
		case !quoted && slices.Contains(operators, text):
			return fmt.Errorf("%s means something only to a shell, and no shell is started; write sh -c '…' if you need one, or '%s' if the program should get it", text, text)
		}
		words = append(words, text)
		word.Reset()
		inside, quoted = false, false
		return nil
	}
	for err == nil && command != "" {
		part := commandPart.FindString(command)
		if part == "" {
			return nil, errors.New(unfinished[command[0]])
		}
		command = command[len(part):]
		switch part[0] {
		case ' ', '\t', '\r', '\n':
			err = end()
		case '\'':
			add(part[1:len(part)-1], true)
		case '"':
			add(escaped.ReplaceAllStringFunc(part[1:len(part)-1], func(two string) string { return strings.Trim(two[1:], "\n") }), true)
		case '\\':
			if part[1] != '\n' { // otherwise the line goes on in the next
				add(part[1:], true)
			}
		default:
			add(part, false)
		}
	}
	return words, cmp.Or(err, end())
}

var (
	// commandPart is what a command begins with: white space, a quotation, a backslash and what
	// follows it, or other characters.
	commandPart = regexp.MustCompile(`(?s)^([ \t\r\n]+|'[^']*'|"([^"\\]|\\.)*"|\\.|[^ \t\r\n'"\\]+)`)
	// escaped is what a backslash makes of another character in double quotes. Before others it
	// is not special.
	escaped = regexp.MustCompile("\\\\[$`\"\\\\\n]")
	// unfinished says what is wrong with a command that ends within such a part.
	unfinished = map[byte]string{'\'': "a single quote (') is not closed", '"': `a double quote (") is not closed`, '\\': `the command ends with a backslash (\)`}
)

// operators are words that a shell does not pass on to a program.
var operators = []string{"|", "||", "|&", "&", "&&", ";", ";;", "<", "<<", "<<<", ">", ">>", ">|", "2>", "2>>", "1>", "&>", ">&", "2>&1", "1>&2"}

// variable is a word that a shell would replace.
var variable = regexp.MustCompile(`^\$([A-Za-z_]|\{)`)

// Quote writes words as a command that can be pasted into a shell. Split is its inverse.
func Quote(words []string) string { return strings.Join(lists.Map(words, quote), " ") }

// quote writes a word for a shell.
func quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// plain is a word that means itself to any shell.
var plain = regexp.MustCompile(`^[a-zA-Z0-9_+./:,@%-]+$`)
