package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A caller is an objective that whoever started the program evaluates: with --caller, points
// go to standard output and values come back on standard input (callerwire.go has the
// messages). The package for Python is made like this.
//
// No pipe can fill and hang. The caller reads a whole message before it evaluates, and what
// it writes is read at any time, by a goroutine of its own.
type caller struct {
	hello   hello
	known   [][]float64 // points
	in      io.Reader
	answers chan answers // what listen has read
	exit    func(int)    // os.Exit

	mu    sync.Mutex // of out and text
	out   io.Writer
	text  []byte   // the message that is being written
	shown *float64 // the first number of the best point that was written last
}

// errStopped is why a run ended if its caller wanted that, and errGone if its caller is no
// more.
var (
	errStopped = errors.New("stopped by the caller")
	errGone    = errors.New("the caller is gone: standard input has ended")
)

// newCaller reads what the caller wants.
func newCaller(in io.Reader, out io.Writer) (*caller, error) {
	c := &caller{in: in, out: out, answers: make(chan answers), exit: os.Exit}
	kind, text, err := readMessage(in)
	if err != nil || kind != kindHello {
		return nil, errors.New("--caller is for programs that start this one and evaluate its points; the package for Python is one (docs/python.md)")
	}
	if err := c.hello.read(text); err != nil {
		return nil, err
	}
	c.known, err = readKnown(in, c.hello.Known, c.hello.Dim)
	return c, err
}

// subject is the caller as a subject.
func (c *caller) subject(seed uint64) (subject, error) {
	h := c.hello
	s := subject{
		objective: c, caller: c, seed: seed, points: c.known, several: h.answered,
		words: report.Subject{Name: h.Function, Dim: h.Dim},
	}
	if len(h.Parameters) == 0 {
		s.bounds, s.start = h.Bounds.box(), h.Start.box()
		return s, nil
	}
	s.space = h.Parameters
	s.words.Dim, s.words.Parameters = s.space.Dim(), s.space
	if err := s.space.Check(); err != nil {
		return s, objective.BadOption("Parameters", "%v", err)
	}
	return s, nil
}

func (c *caller) Dim() int { return c.hello.Dim }

// Numbers returns how many numbers an answer has; 0: a value alone.
func (c *caller) Numbers() int { return c.hello.answered.numbers() }

// Description says which function it is, as far as the caller says so.
func (c *caller) Description() any {
	return struct{ Function, Arguments string }{c.hello.Function, c.hello.Arguments}
}

func (c *caller) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return c.Each(ctx, points, values, func(int, objective.Answer) {})
}

// Each has the caller evaluate a batch, and tells answers as they come.
func (c *caller) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	if len(values) == 0 {
		return nil
	}
	n, _ := points.Dims()
	parts := []any{n}
	for i := range n {
		parts = append(parts, points.RawRowView(i))
	}
	if err := c.send(kindPoints, parts...); err != nil {
		return fmt.Errorf("the points cannot be given to the caller: %w", err)
	}
	known := make([]bool, len(values))
	for left := len(values); left > 0; {
		select {
		case a := <-c.answers:
			width := max(c.Numbers(), 1)
			if len(a.values)%width != 0 {
				return fmt.Errorf("the caller has given %d numbers, not %d for each point", len(a.values), width)
			}
			for k := range len(a.values) / width {
				i := a.first + k
				if i >= len(values) || known[i] {
					return errors.New("the caller has answered what it was not asked")
				}
				v := a.values[k*width]
				known[i], values[i] = true, v
				answer := objective.Answer{Value: v, Seconds: a.seconds, Failure: a.failures[k]}
				if c.Numbers() > 0 {
					answer.Numbers = a.values[k*width : (k+1)*width]
				}
				if answer.Failure != nil {
					values[i] = math.Inf(1)
					answer.Value = values[i]
				}
				tell(i, answer)
				left--
			}
		case <-ctx.Done():
			return query.Unfinished(known, context.Cause(ctx))
		}
	}
	return nil
}

// frame returns the frame that the caller has given, nil if it has given none.
func (c *caller) frame() (*frame.Frame, [][]int, error) {
	if c == nil || c.hello.Frame == nil {
		return nil, nil, nil
	}
	rows := c.hello.Frame
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, nil, objective.BadOption("Frame", "it is empty")
	}
	w := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, nil, objective.BadOption("Frame", "its rows have different lengths")
		}
		w.SetRow(i, row)
	}
	f, err := frame.New(w)
	if err != nil {
		return nil, nil, objective.BadOption("Frame", "%s", strings.TrimPrefix(err.Error(), "frame: "))
	}
	return f, c.hello.Blocks, nil
}

// progress tells the caller how a run is going.
func (c *caller) progress(p untwist.Progress) {
	var point []float64
	if len(p.Point) > 0 && c.shown != &p.Point[0] { // only a new one: it costs more than all else
		c.shown, point = &p.Point[0], p.Point
	}
	_ = c.send(kindProgress, uint64(p.Queries), uint64(p.Budget), uint64(p.Failed), p.Best, len(point), point, p.Stage) // whoever does not read does not answer either
}

// watch returns what shows the progress of a run of a subject: the line, or the caller if it
// wants to know.
func (s subject) watch(line *progressLine) func(untwist.Progress) {
	switch {
	case s.caller == nil:
		return line.show
	case s.caller.hello.Progress:
		return s.caller.progress
	}
	return nil
}

// patience is for how long a run waits for a journal that is being written: if a caller was killed
// and comes again at once, the program that it had started before may still be about to end.
func (s subject) patience() time.Duration {
	if s.caller == nil {
		return 0
	}
	return 4 * gone
}

// until returns a context that ends with a signal or when the caller says so.
func (s subject) until() (context.Context, func()) {
	ctx, stop := untilSignal()
	if s.caller == nil {
		return ctx, stop
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go s.caller.listen(ctx, cancel)
	return ctx, func() { cancel(nil); stop() }
}
