package program

import "strings"

// linesOfKeys finds the line of every key of a TOML file, and of every table. A key with
// several parts is joined with zero bytes. The TOML reader does not tell lines. The file
// need not be right, since wrong ones are refused elsewhere.
func linesOfKeys(text string) map[string]int {
	s := keyScanner{text: text, line: 1, found: map[string]int{}}
	var table []string
	for s.skipBlank(); s.at < len(s.text); s.skipBlank() {
		line := s.line
		if s.text[s.at] == '[' {
			for s.at < len(s.text) && s.text[s.at] == '[' {
				s.at++
			}
			table = s.key("]\n")
			s.found[strings.Join(table, "\x00")] = line
			s.skipValue() // the rest of the line
			continue
		}
		parts := s.key("=\n")
		for i := range parts {
			path := strings.Join(append(append([]string(nil), table...), parts[:i+1]...), "\x00")
			if _, known := s.found[path]; !known {
				s.found[path] = line
			}
		}
		s.skipValue()
	}
	return s.found
}

// A keyScanner goes through a TOML file.
type keyScanner struct {
	text  string
	at    int
	line  int
	found map[string]int
}

// next moves on by one byte.
func (s *keyScanner) next() {
	if s.text[s.at] == '\n' {
		s.line++
	}
	s.at++
}

// skipBlank skips white space and comments.
func (s *keyScanner) skipBlank() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.next()
		case '#':
			s.skipComment()
		default:
			return
		}
	}
}

func (s *keyScanner) skipComment() {
	for s.at < len(s.text) && s.text[s.at] != '\n' {
		s.at++
	}
}

// key reads a key with its parts up to one of the bytes in end, and moves behind that
// unless it is the end of the line.
func (s *keyScanner) key(end string) (parts []string) {
	var part strings.Builder
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '"' || c == '\'':
			from := s.at + 1
			s.skipText()
			part.WriteString(s.text[from:max(from, s.at-1)])
			continue
		case c == '\n':
			return append(parts, part.String())
		case strings.IndexByte(end, c) >= 0:
			s.at++
			return append(parts, part.String())
		case c == '.':
			parts = append(parts, part.String())
			part.Reset()
		case c != ' ' && c != '\t' && c != '\r':
			part.WriteByte(c)
		}
		s.at++
	}
	return append(parts, part.String())
}

// skipValue skips a value, which may go over several lines, and the end of its line.
func (s *keyScanner) skipValue() {
	for depth := 0; s.at < len(s.text); {
		switch c := s.text[s.at]; {
		case c == '"' || c == '\'':
			s.skipText()
			continue
		case c == '#':
			s.skipComment()
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '\n' && depth <= 0:
			s.next()
			return
		}
		s.next()
	}
}

// skipText skips a text in quotes of one of the four kinds.
func (s *keyScanner) skipText() {
	mark := s.text[s.at : s.at+1]
	escapes := mark == `"`
	if long := strings.Repeat(mark, 3); strings.HasPrefix(s.text[s.at:], long) {
		mark = long
	}
	for range mark {
		s.at++
	}
	for s.at < len(s.text) {
		switch {
		case strings.HasPrefix(s.text[s.at:], mark):
			s.at += len(mark)
			return
		case len(mark) == 1 && s.text[s.at] == '\n':
			return // it was not closed
		case escapes && s.text[s.at] == '\\' && s.at+1 < len(s.text):
			s.next()
		}
		s.next()
	}
}
