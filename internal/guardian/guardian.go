// Package guardian starts programs and ends them, with everything they have started,
// however the process that asked for them ends.
//
// The guardian is a process of its own: our own executable, started again. It starts all
// programs on request. It is a child subreaper, so whatever a program starts stays below
// it, also what has left its session, and can be found in /proc. It holds one end of a
// socket. When the other end closes, because Close was called or because we were killed,
// it ends everything below it and then itself.
//
// Begin with Start. A program is started with Run and is a Process. It leads its own
// session, so signals of the terminal do not reach it. When the program has ended, what it
// has left behind is ended too.
//
// What a program has started is known by its parents, by its session, and by a mark in
// its environment, the variable UNTWIST_JOB. A process that has left its parents and its
// session and has cleared its environment is ended by Close.
//
// The guardian is for Linux. Elsewhere Start returns an error.
package guardian

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrGone is the error of Run when the guardian has been killed by someone.
var ErrGone = errors.New("the process that starts and ends programs (untwist-guardian) was killed; start the run again")

// ErrClosed is the error of Run after Close.
var ErrClosed = errors.New("the process that starts and ends programs (untwist-guardian) was closed")

const (
	// name is the first word of the guardian's command line.
	name = "untwist-guardian"
	// variable tells the guardian that it is one. Programs do not see it.
	variable = "UNTWIST_GUARDIAN"
	// mark is the variable by which a process is known to belong to a program.
	mark = "UNTWIST_JOB"

	// closeGrace is the time between SIGTERM and SIGKILL when everything is ended.
	closeGrace = time.Second
	// patience is the time after which a guardian that does not start, or does not end,
	// is killed.
	patience = time.Minute
)

// A Guardian starts programs and ends them. All methods may be called from several
// goroutines.
type Guardian struct {
	id      string // begins the marks of all programs
	link    *os.File
	process *os.Process

	writing sync.Mutex // held while a message is written

	mutex  sync.Mutex
	last   uint64
	live   map[uint64]*Process // those that are not done
	closed bool                // Close was called
	over   error               // why no program can be started any more

	gone   chan struct{}
	ended  chan struct{} // closed when the guardian is no more, and nothing that it started
	result error         // of Close; valid when ended is closed
}

// Start starts a guardian.
//
// If we die without Close, the guardian ends all programs and then removes what is in
// folder and has a name that begins with "run-", and folder if it is empty then. If folder
// is "", it removes nothing.
func Start(folder string) (*Guardian, error) {
	return startIn(folder, closeGrace)
}

func startIn(folder string, grace time.Duration) (*Guardian, error) {
	if folder != "" {
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		folder = absolute
	}
	g := &Guardian{
		id:    rand.Text(),
		live:  map[uint64]*Process{},
		gone:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	if err := g.launch(folder, grace); err != nil {
		return nil, fmt.Errorf("cannot start the process that starts and ends programs (%s): %w", name, err)
	}
	go g.listen()
	return g, nil
}

// launch starts the process and waits until it is ready.
func (g *Guardian) launch(folder string, grace time.Duration) error {
	var err error
	g.link, g.process, err = launch(g.id, folder, grace)
	if err != nil {
		return err
	}
	g.link.SetReadDeadline(time.Now().Add(patience))
	m, err := readMessage(g.link)
	if err == nil && m.kind == ready {
		return g.link.SetReadDeadline(time.Time{})
	}
	g.process.Kill()
	state, _ := g.process.Wait()
	g.link.Close()
	switch {
	case err == nil:
		return errors.New(string(m.body))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("it does not answer")
	}
	return fmt.Errorf("it ended at once: %v", state)
}

// Gone returns a channel that is closed if the guardian dies although nobody has called
// Close. Then all processes are ended, and Run returns ErrGone.
func (g *Guardian) Gone() <-chan struct{} { return g.gone }

// Close ends all programs, with everything they have started: SIGTERM first and, a second
// later, SIGKILL to what is left. It returns when nothing is left and the guardian has
// gone. The error says what could not be ended. All calls return the same error.
func (g *Guardian) Close() error {
	g.mutex.Lock()
	first := !g.closed
	g.closed = true
	if g.over == nil {
		g.over = ErrClosed
	}
	g.mutex.Unlock()
	if first {
		late := time.AfterFunc(patience, func() { g.process.Kill() })
		defer late.Stop()
		g.send(message{kind: finish}) // an error means that the guardian has ended already
	}
	<-g.ended
	return g.result
}

// listen takes the guardian's messages until the guardian has gone.
func (g *Guardian) listen() {
	var trouble string
	for {
		m, err := readMessage(g.link)
		if err != nil {
			break
		}
		if m.kind == failed {
			trouble = string(m.body)
			continue
		}
		g.take(m)
	}
	g.link.Close()
	g.process.Kill() // it has closed its end of the socket, so it ends, or is stuck
	g.process.Wait()
	g.bury(trouble)
}

// take lets a process know what has become of it.
func (g *Guardian) take(m message) {
	g.mutex.Lock()
	p := g.live[m.job]
	if m.kind == done || m.kind == refused {
		delete(g.live, m.job)
	}
	g.mutex.Unlock()
	if p == nil {
		return
	}
	switch m.kind {
	case started:
		p.pid = int(m.number())
		p.reply <- nil
	case refused:
		p.reply <- refusal(p.command, m.errno())
	case exited:
		p.exit(m.state())
	case done:
		close(p.done)
	}
}

// bury ends what is left after the guardian has gone, and tells everyone.
func (g *Guardian) bury(trouble string) {
	g.mutex.Lock()
	orderly := g.closed
	switch {
	case orderly && trouble != "":
		g.result = errors.New(trouble)
	case !orderly && trouble != "":
		g.over = fmt.Errorf("%w (%s)", ErrGone, trouble)
	case !orderly:
		g.over = ErrGone
	}
	left := g.live
	g.live = nil
	g.mutex.Unlock()

	var leaders []int
	for _, p := range left {
		if p.pid > 0 {
			leaders = append(leaders, p.pid)
		}
	}
	if !orderly || len(leaders) > 0 {
		if err := sweep(g.id, leaders); err != nil {
			g.result = err
		}
	}
	for _, p := range left {
		p.lose(g.over)
	}
	if !orderly {
		if g.result == nil {
			g.result = g.over
		}
		close(g.gone)
	}
	close(g.ended)
}
