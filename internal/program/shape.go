package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// A shape says what numbers an answer has. The zero value is a value alone.
type shape struct {
	outputs []Output
	reading query.Reading
	width   int // how many numbers; 0: a value alone
}

// shapeOf returns the shape of the answers of a program.
func shapeOf(c Config) (s shape) {
	if c.Residuals == 0 && len(c.Outputs) == 0 {
		return s
	}
	s.outputs, s.reading.Residuals = c.Outputs, c.Residuals
	for _, o := range c.Outputs {
		for _, name := range o.Names() {
			s.reading.Outputs = append(s.reading.Outputs, objective.Output{Name: name})
		}
	}
	s.width = s.reading.Numbers()
	return s
}

// checkOutputs checks what an answer has besides its value.
func (r *recipe) checkOutputs() error {
	if r.Residuals < 0 {
		return objective.BadOption("Residuals", "is %d, and must not be negative", r.Residuals)
	}
	r.shape = shapeOf(r.Config)
	var names []string
	for _, o := range r.Config.Outputs {
		switch {
		case o.Count < 0:
			return objective.BadOption("Outputs", "%s: count is %d, and must be at least 1", o.Name, o.Count)
		case o.Result != nil && o.Result.NumSubexp() < 1:
			return objective.BadOption("Outputs", "%s: %s has no group: put parentheses around what matches the number", o.Name, o.Result)
		case o.Result != nil && r.Protocol != Once:
			return objective.BadOption("Outputs", "%s: a pattern is for the protocol once; a program that is kept running answers with numbers in order", o.Name)
		case o.Result != nil && o.Count > 0:
			return objective.BadOption("Outputs", "%s: a pattern finds one number, and there are %d", o.Name, o.Count)
		}
		names = append(names, o.Names()...)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) || slices.Contains([]string{"", "value", "residuals", "query", "seconds", "failure", "by"}, name) {
			return objective.BadOption("Outputs", "%q cannot be the name of an output: it is taken, or there are two of it", name)
		}
	}
	return nil
}

// Numbers returns how many numbers an answer has; 0: a value alone.
func (o *Objective) Numbers() int { return o.recipe.shape.width }

// inOrder says what an answer should have.
func (s shape) inOrder() string {
	front := "the value"
	if n := s.reading.Residuals; n > 0 {
		front = fmt.Sprintf("%d residuals", n)
	}
	if n := len(s.reading.Outputs); n > 0 {
		front += fmt.Sprintf(" and %d outputs", n)
	}
	return fmt.Sprintf("%d numbers, %s", s.width, front)
}

// row reads a line with all numbers of an answer. A line that says nan alone is a point that has
// failed.
func (s shape) row(line []byte, ended bool) reply {
	words := bytes.Fields(bytes.TrimPrefix(line, []byte("\ufeff")))
	if !ended {
		failure := noNumber("the program ended within the line %s", quoted(line))
		return reply{failure: failure, breach: half, start: fmt.Errorf("%s: it should print the end of the line after each point", failure.Detail)}
	}
	numbers := make([]float64, len(words))
	for i, word := range words {
		v, ok := parseNumber(string(word))
		if !ok {
			return reply{failure: noNumber("%s in the line %s is no number", quoted(word), quoted(line)), breach: disorder}
		}
		numbers[i] = v
	}
	if len(words) == 1 && numbers[0]-numbers[0] != 0 {
		return reply{failure: notANumber(numbers[0])}
	}
	if len(words) != s.width {
		return reply{failure: noNumber("the line %s has %d numbers, not %d", quoted(line), len(words), s.width), breach: disorder,
			start: fmt.Errorf("the program answered with %d numbers on a line, %s: it should print one line for each point, with %s",
				len(words), quoted(line), s.inOrder())}
	}
	return s.several(0, numbers)
}

// members reads the numbers of an answer from the members of a JSON object: a value or residuals,
// and outputs by their names, in the object itself or in a member "outputs".
func (s shape) members(fields map[string]json.RawMessage) (numbers []float64, failure *objective.Failure) {
	list := func(key string, value []byte, n int) *objective.Failure {
		items := []json.RawMessage{value}
		if n > 0 {
			if err := json.Unmarshal(value, &items); err != nil || len(items) != n {
				return noNumber("%s is not a list of %d numbers", key, n)
			}
		}
		for _, item := range items {
			v, ok := jsonNumber(bytes.TrimSpace(item))
			switch {
			case string(item) == "null":
				return &objective.Failure{Kind: objective.NotANumber, Detail: key + " is null"}
			case !ok:
				return noNumber("%s is no number", key)
			}
			numbers = append(numbers, v)
		}
		return nil
	}
	key := "value"
	if s.reading.Residuals > 0 {
		key = "residuals"
	}
	value, given := fields[key]
	if !given {
		return nil, noNumber("the answer has no %s", key)
	}
	if failure = list(key, value, s.reading.Residuals); failure != nil {
		return nil, failure
	}
	if inner := map[string]json.RawMessage(nil); json.Unmarshal(fields["outputs"], &inner) == nil {
		for name, v := range inner {
			fields[name] = v
		}
	}
	for _, o := range s.outputs {
		if value, given := fields[o.Name]; given && o.Count > 0 {
			failure = list(o.Name, value, o.Count)
		} else {
			for _, name := range o.Names() {
				value, given := fields[name]
				if !given {
					return nil, noNumber("the answer has no output %s", name)
				}
				if failure = list(name, value, 0); failure != nil {
					break
				}
			}
		}
		if failure != nil {
			return nil, failure
		}
	}
	return numbers, nil
}

// found finds the numbers of an answer where a result is: in one JSON object, or by patterns.
// Residuals may also be the numbers of the last line. empty says that there was nothing at all.
func (s shape) found(r result, printed []byte) (_ reply, empty bool) {
	text := printed
	if r.file != "" {
		var err error
		if text, err = readFront(r.file); err != nil {
			return reply{failure: noNumber("%s %v", r.name, err)}, true
		}
	}
	if fields := object(text); fields != nil {
		numbers, failure := s.members(fields)
		if failure != nil {
			return reply{failure: failure}, false
		}
		return s.several(0, numbers), false
	}
	if s.reading.Residuals > 0 {
		return s.row([]byte(lastLine(text)), true), len(text) == 0
	}
	v, failure, empty := r.read(printed)
	if failure != nil {
		return reply{failure: failure}, empty
	}
	numbers := []float64{v}
	for _, o := range s.outputs {
		if o.Result == nil {
			return reply{failure: noNumber("the output %s has no pattern, and what the program prints is no JSON object that has it", o.Name)}, false
		}
		if v, failure = matched(o.Result, text); failure != nil {
			return reply{failure: noNumber("the output %s: %s", o.Name, failure.Detail)}, false
		}
		numbers = append(numbers, v)
	}
	return s.several(0, numbers), false
}

// object returns the members of the JSON object that a text is, or that its last line is; nil: it
// is none.
func object(text []byte) (fields map[string]json.RawMessage) {
	for _, part := range [][]byte{bytes.TrimSpace(text), []byte(lastLine(text))} {
		if bytes.HasPrefix(part, []byte("{")) && (json.Unmarshal(part, &fields) == nil || json.Unmarshal(quoteNaN(part), &fields) == nil) {
			return fields
		}
	}
	return nil
}
