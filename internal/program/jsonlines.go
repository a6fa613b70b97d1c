package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// jsonLines writes {"id":17,"x":{"k":0.5}} and reads {"id":17,"value":1.2} or
// {"id":17,"error":"diverged"}, one object a line.
type jsonLines struct {
	keys  [][]byte        // {"k": or ,"k":
	space parameter.Space // how values are written
	shape
}

func newJSONLines(names []string) (l jsonLines) {
	for i, name := range names {
		text, _ := json.Marshal(name) // a text can always be written
		before := byte(',')
		if i == 0 {
			before = '{'
		}
		l.keys = append(l.keys, append(append([]byte{before}, text...), ':'))
	}
	return l
}

func (l jsonLines) encode(dst []byte, jobs []job) ([]byte, int) {
	dst = append(dst, `{"id":`...)
	dst = strconv.AppendInt(dst, int64(jobs[0].query), 10)
	dst = append(dst, `,"x":`...)
	for i, v := range jobs[0].point {
		dst = append(dst, l.keys[i]...)
		if l.space != nil && l.space[i].Choices != nil {
			text, _ := json.Marshal(l.space.Word(i, v)) // a text can always be written
			dst = append(dst, text...)
		} else {
			dst = appendValue(dst, l.space, i, v)
		}
	}
	return append(dst, "}}\n"...), 1
}

func (l jsonLines) decode(text []byte, end bool) (reply, int) {
	line, n := firstLine(text, end)
	if n == 0 {
		return reply{}, 0
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return reply{breach: blank}, n
	}
	return l.readObject(line), n
}

func (jsonLines) window(float64) int { return 64 }
func (jsonLines) counted() bool      { return false }

// surplus finds nothing wrong: answers have an id.
func (jsonLines) surplus([]byte) error { return nil }

func (jsonLines) silence() error {
	return errors.New("the program ended with exit status 0 and printed nothing for its first point: " +
		`it should read one object after the other and print {"id":…,"value":…} for each`)
}

// readObject reads an answer.
func (s shape) readObject(line []byte) reply {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		// Some writers, such as Python's, write NaN and Infinity, which JSON has not.
		if json.Unmarshal(quoteNaN(line), &fields) != nil {
			return strayed("the line %s is no JSON object", line)
		}
	}
	id, err := strconv.Atoi(string(fields["id"]))
	if err != nil || id < 1 {
		return strayed("the line %s has no id that is the number of a point", line)
	}
	if text, bad := told(fields["error"]); bad {
		return reply{query: id, failure: &objective.Failure{Kind: objective.Errored, Detail: text}}
	}
	if s.width > 0 {
		numbers, failure := s.members(fields)
		if failure != nil {
			return reply{query: id, failure: failure}
		}
		return s.several(id, numbers)
	}
	value, given := fields["value"]
	switch {
	case !given:
		return reply{query: id, failure: noNumber("the line %s has neither a value nor an error", quoted(line))}
	case string(value) == "null":
		return reply{query: id, failure: &objective.Failure{Kind: objective.NotANumber, Detail: "the value is null"}}
	}
	v, isNumber := jsonNumber(value)
	if !isNumber {
		return reply{query: id, failure: noNumber("the value in the line %s is no number", quoted(line))}
	}
	return valued(id, v)
}

// jsonNumber reads a number, or a text that says that it is none: "nan", "inf".
func jsonNumber(value []byte) (v float64, ok bool) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		v, ok = parseNumber(text)
		return v, ok && v-v != 0 // a number in quotes is no number
	}
	if value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return 0, false
	}
	return parseNumber(string(value))
}

// told returns the text of an error, and whether there is one.
func told(value []byte) (text string, bad bool) {
	switch string(value) {
	case "", "null", "false", `""`:
		return "", false
	}
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	if text = shown([]byte(text), 200); text == "" {
		text = "the program says that the point failed"
	}
	return text, true
}

// strayed is the reply of a line that cannot be the answer to any point.
func strayed(format string, line []byte) reply {
	failure := noNumber(format, quoted(line))
	return reply{failure: failure, breach: stray, start: fmt.Errorf(`%s: the program should print {"id":17,"value":1.2} `+
		`or {"id":17,"error":"diverged"} for each point, and nothing else, to its standard output`, failure.Detail)}
}

// quoteNaN puts NaN, Infinity and -Infinity outside of texts into quotes.
func quoteNaN(line []byte) []byte {
	return textOrWord.ReplaceAllFunc(line, func(word []byte) []byte {
		switch string(word) {
		case "NaN", "Infinity", "-Infinity":
			return fmt.Appendf(nil, `"%s"`, word)
		}
		return word
	})
}

// textOrWord is a text in quotes, or a word or a number outside of them.
var textOrWord = regexp.MustCompile(`(?s)"([^"\\]|\\.)*"?|[a-zA-Z0-9.+-]+`)

// ids remembers the answers to the last thousands of ids of a process.
type ids struct{ now, before map[int]reply }

const mostIDs = 1 << 14

// hear notes an answer, and reports whether it was given before.
func (m *ids) hear(r reply) (again bool) {
	if _, again = m.of(r.query); again || r.query == 0 {
		return again
	}
	if len(m.now) >= mostIDs || m.now == nil {
		m.now, m.before = map[int]reply{}, m.now
	}
	m.now[r.query] = r
	return false
}

func (m *ids) of(id int) (reply, bool) {
	r, known := m.now[id]
	if !known {
		r, known = m.before[id]
	}
	return r, known
}

// contradicted returns an error if an id was answered otherwise before: nobody knows which
// answer is right.
func (m *ids) contradicted(r reply) error {
	was, again := m.of(r.query)
	if !again || r.query == 0 || was.failure == nil && r.failure == nil && was.value == r.value && slices.Equal(was.numbers, r.numbers) || was.failure != nil && r.failure != nil {
		return nil
	}
	return &objective.VoidError{First: r.query, Last: r.query, Err: errTwice(was, r)}
}

func errTwice(was, now reply) error {
	text := func(r reply) string {
		if r.failure != nil {
			return "a failure"
		}
		return string(appendNumber(nil, r.value))
	}
	return fmt.Errorf("the program answered the id %d twice, with %s and with %s: it should answer each id once", now.query, text(was), text(now))
}
