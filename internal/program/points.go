package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// An optimiser and we write one JSON object a line. JSON has neither NaN nor infinities:
// where f failed, or its value is not finite, the value is null.

// appendTask writes what an optimiser reads first.
func appendTask(dst []byte, box objective.Box, budget int, seed uint64) []byte {
	dst = fmt.Appendf(dst, `{"dim":%d,"lower":`, len(box.Lo))
	dst = appendList(dst, box.Lo)
	dst = append(dst, `,"upper":`...)
	dst = appendList(dst, box.Hi)
	return fmt.Appendf(dst, `,"budget":%d,"seed":%d}`+"\n", budget, seed)
}

// appendValues writes the values of points.
func appendValues(dst []byte, values []float64) []byte {
	dst = append(dst, `{"values":`...)
	dst = appendList(dst, values)
	return append(dst, "}\n"...)
}

// appendList writes numbers. Whole ones get a decimal point, so that no reader takes them
// for integers.
func appendList(dst []byte, all []float64) []byte {
	dst = append(dst, '[')
	for i, v := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v-v != 0 {
			dst = append(dst, "null"...)
			continue
		}
		start := len(dst)
		if dst = appendNumber(dst, v); !bytes.ContainsAny(dst[start:], ".e") {
			dst = append(dst, ".0"...)
		}
	}
	return append(dst, ']')
}

// readPoints reads the points of a line that an optimiser has written, one after the other
// and at least one.
func readPoints(line []byte, dim int) ([]float64, error) {
	answer := struct{ Points pointList }{pointList{dim: dim}}
	err := json.Unmarshal(line, &answer)
	if _, wrong := errors.AsType[*json.SyntaxError](err); wrong {
		// Some writers, such as Python's, write NaN and Infinity, which JSON has not. Then
		// the error says where.
		err = json.Unmarshal(quoteNaN(line), &answer)
	}
	if bad, is := errors.AsType[*pointError](err); is {
		return nil, bad
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("the optimiser wrote the line %s, which is no JSON object: %s", quoted(line), whatToWrite)
	case !answer.Points.given:
		return nil, fmt.Errorf("the optimiser wrote the line %s, which has no points: %s", quoted(line), whatToWrite)
	case len(answer.Points.all) == 0:
		return nil, errors.New("the optimiser asked for no point: a list of points must have one at least; " +
			"an optimiser that is done closes its output or ends")
	}
	return answer.Points.all, nil
}

// whatToWrite is the advice to an optimiser that writes something else.
const whatToWrite = `it should write {"points":[[…],…]}, one object a line, and nothing else to its standard output`

// A pointList is a list of points in JSON.
type pointList struct {
	dim   int // how many coordinates each has
	all   []float64
	given bool // there is such a list
}

// A pointError says what is wrong with a point.
type pointError struct{ text string }

func (e *pointError) Error() string { return e.text }

// UnmarshalJSON reads the list. The text is JSON without mistakes, and may be long: so its
// numbers are read one by one, and nothing is made of them but coordinates.
func (l *pointList) UnmarshalJSON(text []byte) error {
	*l = pointList{dim: l.dim, given: true, all: l.all[:0]}
	depth, points := 0, 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		case c == '[' && depth < 2:
			depth++
			i++
		case c == ']':
			if depth--; depth == 1 {
				points++
				if n := len(l.all) - (points-1)*l.dim; n != l.dim {
					return l.wrong("point %s of the optimiser has %s, and f has %d", words.Thousands(points),
						words.Count(n, "coordinate", "coordinates"), l.dim)
				}
			}
			i++
		case depth == 0:
			return l.wrong(`"points" is %s, and should be a list of points, such as [[0.5,1.5],[2.0,3.0]]`, shown(text, 40))
		case depth == 1:
			return l.wrong("point %s of the optimiser is %s, and should be a list of coordinates", words.Thousands(points+1), shown(text[i:], 40))
		default:
			word := firstValue(text[i:])
			v, is := numberIn(word)
			if at := len(l.all) - points*l.dim + 1; !is || v-v != 0 {
				return l.wrong("coordinate %d of point %s of the optimiser is %s, and should be a finite number", at, words.Thousands(points+1), strings.Trim(shown(word, 40), `"`))
			}
			l.all = append(l.all, v)
			i += len(word)
		}
	}
	return nil
}

func (l *pointList) wrong(format string, args ...any) error {
	return &pointError{fmt.Sprintf(format, args...)}
}

// firstValue returns the value at the start of a text: up to the end of a list or to the
// next of its values, unless it is a text, a list or an object.
func firstValue(text []byte) []byte {
	switch text[0] {
	case '"':
		return text[:textLength(text)]
	case '[', '{': // which is no coordinate
		return text
	}
	if n := bytes.IndexAny(text, ",] \t\r\n"); n >= 0 {
		return text[:n]
	}
	return text
}

// numberIn reads a number, or a text that says that it is none.
func numberIn(word []byte) (v float64, is bool) {
	switch c := word[0]; {
	case c == '"':
		return jsonNumber(word)
	case c != '-' && (c < '0' || c > '9'):
		return 0, false
	}
	v, err := strconv.ParseFloat(string(word), 64)
	return v, err == nil || math.IsInf(v, 0)
}
