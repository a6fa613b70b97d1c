package program

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

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
func Quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// quote writes a word for a shell.
func quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// plain is a word that means itself to any shell.
var plain = regexp.MustCompile(`^[a-zA-Z0-9_+./:,@%-]+$`)
