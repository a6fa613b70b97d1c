package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A dialogue is what we and a process say to each other, in lines. We never wait for it to
// read, so that neither side can wait for the other for ever.
type dialogue struct {
	child    *child
	patience patience
	timeout  time.Duration // for a line; 0: no limit
	silent   func(time.Duration)

	heard   []byte // what the process has written
	used    int    // how much of it was returned
	looked  int    // how much of it has no end of line after used
	spoken  bool   // a line was heard
	writing bool
	unsaid  []byte // to be written afterwards
}

// longestLine is how much a process may write without the end of a line, or without
// waiting for our answer. 10,000 points of 1,000 coordinates take a fifth of it.
const longestLine = 1 << 30

// say has a text written.
func (d *dialogue) say(text []byte) {
	if d.writing {
		d.unsaid = append(d.unsaid, text...)
		return
	}
	d.writing = true
	d.child.ink <- text
}

// said is called when a text was written, or cannot be, because the process does not read
// any more. It may still write.
func (d *dialogue) said() {
	d.writing = false
	if text := d.unsaid; len(text) > 0 {
		d.unsaid = nil
		d.say(text)
	}
}

// line returns the next line that is not blank, without its end. It is valid until the next
// call. The error is io.EOF at the end of the output.
func (d *dialogue) line(ctx context.Context) ([]byte, error) {
	d.heard = append(d.heard[:0], d.heard[d.used:]...)
	d.used, d.looked = 0, 0
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for since := time.Now(); ; {
		for {
			n := bytes.IndexByte(d.heard[d.looked:], '\n')
			if n < 0 {
				d.looked = len(d.heard)
				break
			}
			line := bytes.TrimSpace(d.heard[d.used : d.looked+n])
			d.looked += n + 1
			d.used = d.looked
			if len(line) > 0 {
				d.spoken = true
				return line, nil
			}
		}
		if err := d.wait(ctx, alarm, since); err != nil {
			return nil, err
		}
	}
}

// wait waits until something was heard or written, or until it is late. We wait since then.
func (d *dialogue) wait(ctx context.Context, alarm *time.Timer, since time.Time) error {
	var late <-chan time.Time
	if limit, limited := d.patience.limit(d.timeout, d.silent != nil && !d.spoken); limited {
		alarm.Reset(limit - time.Since(since))
		late = alarm.C
	}
	select {
	case c, ok := <-d.child.chunks:
		if !ok {
			return io.EOF
		}
		if d.heard = append(d.heard, c.data...); len(d.heard)-d.used > longestLine {
			return fmt.Errorf("the optimiser wrote more than %d MiB, and neither ended its line nor read our values", longestLine>>20)
		}
	case <-d.child.written:
		d.said()
	case <-late:
		quiet := time.Since(since)
		if d.timeout > 0 && quiet >= d.timeout {
			return fmt.Errorf("the optimiser wrote no points within %v", d.timeout)
		}
		if d.silent != nil && quiet >= d.patience.silence {
			d.silent(quiet)
			d.silent = nil
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// drop ends the process at once.
func (d *dialogue) drop() { d.child.end(d.patience.grace) }

// conclude says that there is nothing more to read, and waits for the end of the process.
// What it still writes does not matter, nor does its exit status. It is ended after a while:
// ours.
func (d *dialogue) conclude() (ours bool) {
	late := time.NewTimer(d.patience.close)
	defer late.Stop()
	for {
		if !d.writing {
			d.child.closeInput()
		}
		select {
		case _, ok := <-d.child.chunks:
			if !ok {
				_, ours = d.child.finish(d.patience.leave, d.patience.grace)
				return ours
			}
		case <-d.child.written:
			d.said()
		case <-late.C:
			d.drop()
			return true
		}
	}
}

// verdict waits for the end of a process that has closed its output, and says whether it
// has ended as it should.
func (d *dialogue) verdict() error {
	state, ours := d.child.finish(d.patience.leave, d.patience.grace)
	if !ours {
		switch failure, machine := ended(state, d.child.said.bytes()); {
		case machine != nil:
			return machine
		case failure != nil && failure.Kind == objective.BadSignal:
			return fmt.Errorf("the optimiser was ended by %s", failure.Detail)
		case failure != nil:
			return fmt.Errorf("the optimiser ended with %s", failure.Detail)
		}
	}
	rest := bytes.TrimSpace(d.heard[d.used:])
	switch {
	case len(rest) > 0:
		return fmt.Errorf("the optimiser ended in the middle of a line, %s", quoted(rest))
	case !d.spoken:
		return errors.New("the optimiser ended with exit status 0 and asked for no point: " + whatToWrite)
	}
	return nil
}

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
