package untwist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Session is a search for people with a loop of their own. It is Minimize turned inside
// out: it asks for points, and is told the values.
//
//	session, err := untwist.Ask(ctx, dim, options)
//	…
//	defer session.Close()
//	for points, done := session.Ask(); !done; points, done = session.Ask() {
//		values := … // of f at every row of points
//		if err := session.Tell(values); err != nil {
//			return err
//		}
//	}
//	result, err := session.Result()
//
// With the same Options it asks for the same points as Minimize and comes to the same
// Result, to the bit. With Options.Journal, values that are told are in the file before
// they are used, and a Session that is opened again on it goes on where it stood.
//
// The methods may be called from any goroutine, one at a time; a call waits until the one
// before it has returned. They must not be called by Options.Progress.
//
// A Session that is not brought to its end should be closed. One that is forgotten is closed
// when it is garbage.
type Session struct{ session *session }

var (
	// ErrNotAsked is what Tell returns if there is nothing to tell.
	ErrNotAsked = errors.New("untwist: told without being asked: call Ask first, and Tell once for each Ask that returns points")
	// ErrEnded is what Tell returns once the search has ended. Result says how.
	ErrEnded = errors.New("untwist: the search has ended, and takes no more values")
)

// Ask begins a search for the minimum of a function of dim parameters, whose values the
// Session is told. An option that is wrong, and a journal that is refused, are errors.
//
// Options.Workers has no effect. Options.Time counts from here on; the values of points that
// were asked for in time are still taken. If ctx ends, so does the search.
func Ask(ctx context.Context, dim int, o Options) (*Session, error) {
	if dim < 1 {
		return nil, fmt.Errorf("untwist: dim is %d, must be at least 1", dim)
	}
	o.Workers = min(o.Workers, 1)
	ctx, stop := context.WithCancel(ctx)
	s := &session{stop: stop, asks: asks{dim: dim, numbers: o.numbers(), ctx: ctx, questions: make(chan question)}, ended: make(chan struct{})}
	var err error
	if s.run, err = begin(&s.asks, o); err != nil {
		stop()
		return nil, err
	}
	go s.work(ctx)
	s.advance()
	if !s.asked && s.err != nil {
		return nil, s.err
	}
	handle := &Session{s}
	runtime.AddCleanup(handle, func(stop context.CancelFunc) { stop() }, stop)
	return handle, nil
}

// Ask returns the points, one in each row, of which the search wants the values: the same
// until Tell is called. done says that the search has ended, and there are no points.
func (s *Session) Ask() (points *mat.Dense, done bool) {
	in := s.enter()
	defer s.leave()
	if in.over() {
		return nil, true
	}
	in.shown = true
	return mat.DenseCopyOf(in.now.points), false
}

// Tell answers the last Ask by a value for each of its points. NaN and +Inf say that f failed
// there. With Options.Residuals or Outputs it is told all numbers of the first point, then those of
// the next, and so on. It returns when the search has made up its mind what to ask next.
//
// ErrNotAsked, ErrEnded and a wrong number of values change nothing. Any other error is the
// one with which the search has ended, such as that of a journal that cannot be written.
func (s *Session) Tell(values []float64) error {
	in := s.enter()
	defer s.leave()
	if in.over() {
		return ErrEnded
	}
	if !in.shown {
		return ErrNotAsked
	}
	n, _ := in.now.points.Dims()
	if p := in.asks.numbers; p > 0 && len(values) != n*p {
		return fmt.Errorf("untwist: told %d numbers for %d points: give %d for each, NaN where f failed", len(values), n, p)
	} else if p == 0 && len(values) != n {
		return fmt.Errorf("untwist: told %d values for %d points: give one for each, NaN where f failed", len(values), n)
	}
	if !in.reply(reply{values: slices.Clone(values)}) {
		return ErrEnded
	}
	if in.asked {
		return nil
	}
	return in.err
}

// tellSome answers the last Ask by the values that are known, and ends the search.
func (s *Session) tellSome(values []float64, known []bool) {
	in := s.enter()
	defer s.leave()
	if !in.over() && slices.Contains(known, true) {
		in.reply(reply{values, known})
	}
}

// Result returns what the search has found, as Minimize does. Before its end it returns the
// best so far, with the Status objective.Running.
func (s *Session) Result() (Result, error) {
	in := s.enter()
	defer s.leave()
	if in.over() {
		return in.result, in.err
	}
	in.asks.looking.Lock()
	if in.asks.ctx.Err() == nil {
		defer in.asks.looking.Unlock()
		return in.run.soFar(), nil
	}
	in.asks.looking.Unlock()
	in.over()
	return in.result, in.err
}

// Close ends the search. Points that were asked for and not told are forgotten. Result still
// works. A Session that has ended is closed already.
func (s *Session) Close() error {
	in := s.enter()
	defer s.leave()
	if in.over() {
		return nil
	}
	in.stop()
	in.over()
	return in.err
}

// enter lets one caller in at a time.
func (s *Session) enter() *session {
	s.session.mu.Lock()
	return s.session
}

// leave lets the next one in. Until then the Session is no garbage.
func (s *Session) leave() {
	s.session.mu.Unlock()
	runtime.KeepAlive(s)
}

// soFar returns what a run has found that goes on.
func (r *run) soFar() Result {
	result := r.result()
	result.Stages = slices.Clone(result.Stages)
	result.Improvements = slices.Clone(result.Improvements)
	return result
}

// A session is what a Session stands for. The goroutine of its search knows it, and does not
// know the Session, so that this can become garbage.
//
// The search has a goroutine of its own, and is no coroutine as in package asktell: a
// coroutine ends the whole program if it is resumed by a goroutine that is locked to a
// thread, and does not see that its context ends.
type session struct {
	run  *run
	stop context.CancelFunc
	asks asks

	ended    chan struct{} // closed when what follows is known
	result   Result
	err      error
	panicked any

	mu    sync.Mutex
	now   question
	asked bool // now waits for its values
	shown bool // somebody has seen it
}

// work searches.
func (s *session) work(ctx context.Context) {
	defer close(s.ended)
	defer s.stop()
	s.result, s.err = nothing(), errExit
	defer func() {
		if cause := recover(); cause != nil {
			s.panicked, s.err = cause, fmt.Errorf("untwist: the search panicked: %v", cause)
		}
	}()
	s.result, s.err = s.run.minimize(ctx)
}

// errExit is for a strategy, or a call of Options.Progress, that ends its goroutine.
var errExit = errors.New("untwist: the search has ended its goroutine (runtime.Goexit)")

// advance waits for the next question or the end. If the search panics, so does this.
func (s *session) advance() {
	s.asked, s.shown = false, false
	select {
	case s.now = <-s.asks.questions:
		s.asked = true
	case <-s.ended:
		if s.panicked != nil {
			panic(s.panicked)
		}
	}
}

// reply answers what was asked, and waits for what comes next. It reports whether the answer was
// taken: the context may have ended at this moment.
func (s *session) reply(r reply) bool {
	select {
	case s.now.told <- r:
		s.advance()
		return true
	case <-s.ended:
		return !s.over()
	}
}

// over reports whether the search has ended, and waits for the end if it is near.
func (s *session) over() bool {
	if s.asked && s.asks.ctx.Err() != nil {
		s.asked = false
		<-s.ended
	}
	return !s.asked
}

// ask begins the search. That x0 lies outside the bounds is said here: Ask calls it a point.
func (m *Method) ask(x0 []float64) (*Session, error) {
	if b := m.Options.Bounds; b.Check(len(x0)) == nil {
		if i := b.Outside(x0); i >= 0 {
			return nil, objective.BadOption("x0", "lies outside the bounds; x[%d]: %v is not within %v:%v", i, x0[i], b.Lo[i], b.Hi[i])
		}
	}
	return Ask(context.Background(), m.dim, m.options(x0))
}

// options returns the options of a run that begins at x0.
func (m *Method) options(x0 []float64) Options {
	o := m.Options
	o.Points = append([][]float64{x0}, o.Points...)
	d := len(x0)
	if o.Parameters != nil {
		d = o.space().Dim()
	}
	o.Budget = cmp.Or(o.Budget, max(500*d*d, 20_000))
	finite := !slices.ContainsFunc(x0, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) // or it is refused
	if finite && o.Parameters == nil && o.Start.IsZero() && o.Bounds.IsZero() {
		o.Start = Box{Lo: slices.Clone(x0), Hi: slices.Clone(x0)}
		for i, v := range x0 {
			o.Start.Lo[i], o.Start.Hi[i] = parameter.Around(v)
		}
	}
	return o
}
