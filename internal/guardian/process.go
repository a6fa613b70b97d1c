package guardian

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// A Command is a program to start.
type Command struct {
	Path string   // the file; it is not looked for in PATH, and is relative to Dir
	Args []string // the first is the name of the program
	Dir  string   // the folder it runs in; "": the current one
	Env  []string // its whole environment

	// Its standard files; nil: /dev/null. They are passed on by Run, after which the
	// caller may close its own.
	Stdin, Stdout, Stderr *os.File
}

// A Process is a program that was started, and everything that it starts.
type Process struct {
	guardian *Guardian
	job      uint64
	command  Command
	pid      int
	killed   atomic.Bool // Kill was called
	reply    chan error  // whether it was started; one value
	exited   chan struct{}
	done     chan struct{}
	state    State // valid when exited is closed
}

// A State is how a program has ended.
type State struct {
	Code   int            // the exit status; -1 if it was ended by a signal
	Signal syscall.Signal // the signal that ended it; 0: none
	Killed bool           // it ended after Kill or Close had been called
}

// Run starts a program. It returns when the program has been started, or with an error
// that says why it cannot be. The error is an *fs.PathError whose Err is, or wraps, the
// error number of the system.
func (g *Guardian) Run(c Command) (*Process, error) {
	if c.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		c.Dir = dir
	}
	if err := unfit(c); err != nil {
		return nil, err
	}
	p := &Process{
		guardian: g,
		command:  c,
		reply:    make(chan error, 1),
		exited:   make(chan struct{}),
		done:     make(chan struct{}),
	}
	g.mutex.Lock()
	if g.over != nil {
		defer g.mutex.Unlock()
		return nil, g.over
	}
	g.last++
	p.job = g.last
	g.live[p.job] = p
	g.mutex.Unlock()

	if err := g.send(startMessage(p.job, c), c.Stdin, c.Stdout, c.Stderr); err != nil {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		delete(g.live, p.job)
		if g.closed && errors.Is(err, ErrGone) { // since it was asked above
			err = ErrClosed
		}
		return nil, err
	}
	if err := <-p.reply; err != nil {
		return nil, err
	}
	p.command = Command{} // no longer needed, and may be large
	return p, nil
}

// Pid returns the number of the process.
func (p *Process) Pid() int { return p.pid }

// Exited returns a channel that is closed when the program itself has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Done returns a channel that is closed when the program has ended and everything it
// started is gone too. It is closed after Exited.
func (p *Process) Done() <-chan struct{} { return p.done }

// State returns how the program has ended. It waits until it has.
func (p *Process) State() State {
	<-p.exited
	return p.state
}

// Kill ends the program with everything it has started: SIGTERM to all of it and, after
// grace, SIGKILL to what is left. It returns at once; Done says when it is over. A second
// call can only shorten the time.
func (p *Process) Kill(grace time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}
	p.killed.Store(true)
	p.guardian.send(killMessage(p.job, grace)) // an error means that everything is being ended
}

func (p *Process) exit(s State) {
	p.state = s
	close(p.exited)
}

// lose ends a process whose guardian is no more. Its leader was killed with the guardian.
func (p *Process) lose(why error) {
	select {
	case p.reply <- why: // nobody waits any more if it was started
	default:
	}
	select {
	case <-p.exited:
	default:
		p.exit(State{Code: -1, Signal: syscall.SIGKILL, Killed: p.killed.Load()})
	}
	close(p.done)
}
