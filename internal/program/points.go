package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

func wrongPoint(format string, args ...any) error { return &pointError{fmt.Sprintf(format, args...)} }

// UnmarshalJSON reads the list. The text is JSON without mistakes.
func (l *pointList) UnmarshalJSON(text []byte) error {
	*l = pointList{dim: l.dim, given: true}
	var all [][]float64
	if json.Unmarshal(text, &all) != nil || bytes.Contains(text, []byte("null")) { // which counts as 0 there
		return wrongIn(text, l.dim)
	}
	for i, point := range all {
		if len(point) != l.dim {
			return wrongLength(i, len(point), l.dim)
		}
		l.all = append(l.all, point...)
	}
	return nil
}

// wrongLength says that the i-th point has n coordinates, and f has d.
func wrongLength(i, n, d int) error {
	return wrongPoint("point %s of the optimiser has %s, and f has %d", words.Thousands(i+1), words.Count(n, "coordinate", "coordinates"), d)
}

// wrongIn says what is wrong first in what should be a list of points of d finite numbers, and is not.
func wrongIn(text []byte, d int) error {
	var points, coordinates []json.RawMessage
	if text[0] != '[' || json.Unmarshal(text, &points) != nil {
		return wrongPoint(`"points" is %s, and should be a list of points, such as [[0.5,1.5],[2.0,3.0]]`, shown(text, 40))
	}
	for i, point := range points {
		if point[0] != '[' || json.Unmarshal(point, &coordinates) != nil {
			return wrongPoint("point %s of the optimiser is %s, and should be a list of coordinates", words.Thousands(i+1), shown(point, 40))
		}
		for k, c := range coordinates {
			var v *float64
			if json.Unmarshal(c, &v) != nil || v == nil {
				return wrongPoint("coordinate %d of point %s of the optimiser is %s, and should be a finite number", k+1, words.Thousands(i+1), strings.Trim(shown(c, 40), `"`))
			}
		}
		if len(coordinates) != d {
			return wrongLength(i, len(coordinates), d)
		}
	}
	return nil
}
