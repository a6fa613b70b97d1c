package program

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Split splits a command into words as a POSIX shell does, with single and double quotes
// and backslashes. Nothing is expanded, and # starts no comment. A word that only a shell
// understands, such as | or &&, is an error unless it is quoted.
func Split(command string) ([]string, error) {
	s := splitter{rest: command}
	for s.rest != "" {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return s.words, nil
}

// operators are words that a shell does not pass on to a program.
var operators = []string{"|", "||", "|&", "&", "&&", ";", ";;", "<", "<<", "<<<", ">", ">>", ">|", "2>", "2>>", "1>", "&>", ">&", "2>&1", "1>&2"}

// A splitter splits a command. Its state is what it has read of the present word.
type splitter struct {
	rest   string // what is still to be read
	words  []string
	word   strings.Builder
	inside bool // there is a present word, although it may be empty
	quoted bool // part of the present word was quoted
}

// next reads a character outside quotes, or a whole quotation.
func (s *splitter) next() error {
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case ' ', '\t', '\n', '\r':
		return s.end()
	case '\\':
		return s.backslash()
	case '\'':
		end := strings.IndexByte(s.rest, '\'')
		if end < 0 {
			return errors.New("a single quote (') is not closed")
		}
		s.add(s.rest[:end], true)
		s.rest = s.rest[end+1:]
	case '"':
		return s.double()
	default:
		s.add(string([]byte{c}), false)
	}
	return nil
}

// backslash reads what follows a backslash outside quotes.
func (s *splitter) backslash() error {
	switch {
	case s.rest == "":
		return errors.New(`the command ends with a backslash (\)`)
	case s.rest[0] != '\n': // otherwise the line goes on in the next
		s.add(s.rest[:1], true)
	}
	s.rest = s.rest[1:]
	return nil
}

// double reads up to the end of a quotation in double quotes. In it a backslash is special
// only before a few characters.
func (s *splitter) double() error {
	s.add("", true)
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			s.rest = s.rest[i+1:]
			return nil
		case c == '\\' && i+1 < len(s.rest) && strings.IndexByte("$`\"\\\n", s.rest[i+1]) >= 0:
			i++
			if s.rest[i] != '\n' {
				s.word.WriteByte(s.rest[i])
			}
		default:
			s.word.WriteByte(c)
		}
	}
	return errors.New(`a double quote (") is not closed`)
}

func (s *splitter) add(part string, quoted bool) {
	s.word.WriteString(part)
	s.inside = true
	s.quoted = s.quoted || quoted
}

// end ends the present word, if there is one.
func (s *splitter) end() error {
	if !s.inside {
		return nil
	}
	word := s.word.String()
	if !s.quoted && variable.MatchString(word) {
		return fmt.Errorf("%s means something only to a shell, and no shell is started; {name} is the value of the parameter called name, and '%s' is what it says", word, word)
	}
	if !s.quoted && slices.Contains(operators, word) {
		return fmt.Errorf("%s means something only to a shell, and no shell is started; write sh -c '…' if you need one, or '%s' if the program should get it", word, word)
	}
	s.words = append(s.words, word)
	s.word.Reset()
	s.inside, s.quoted = false, false
	return nil
}

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
