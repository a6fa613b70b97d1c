package program

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A starter starts programs.
type starter interface {
	Run(guardian.Command) (*guardian.Process, error)
}

// An experience is what the slots of one run have learnt of the program together.
type experience struct {
	answered atomic.Bool // the program has given an answer in the right form
	silent   sync.Once   // for the note that it does not answer
	missing  sync.Once   // for the note that it has left out answers
}

// A MachineError says that the machine failed, not the program, and that trying again did
// not help. Nothing is known of the point.
type MachineError struct {
	Query  int    // the query at which the machine failed, counted from 1; 0: not known
	Tries  int    // how often it was tried; 0: not known
	Reason string // in words: "the program was killed by SIGKILL"
	Advice string // what the user can do about it
	Err    error  // the error of the operating system, if there is one
}

// Error says what failed and what to do.
func (e *MachineError) Error() string {
	text := e.Reason
	if e.Query > 0 {
		text = "query " + words.Thousands(e.Query) + ": " + text
	}
	if e.Tries > 1 {
		text += fmt.Sprintf(" (tried %s times)", words.Thousands(e.Tries))
	}
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

func (e *MachineError) Unwrap() error { return e.Err }

// statusMachine is the exit status with which a program says that the machine failed:
// EX_TEMPFAIL of sysexits.h.
const statusMachine = 75

// ended says what the end of a process means for the one point that it was asked: the
// point failed, or the machine did (a *MachineError without Query and Tries). Both are nil
// for exit status 0. It is not for processes that we have ended ourselves, whose end says
// nothing. stderr is what the program wrote there.
func ended(s guardian.State, stderr []byte) (failure *objective.Failure, machine error) {
	switch {
	case s.Signal == syscall.SIGKILL || s.Signal == syscall.SIGTERM:
		return nil, &MachineError{
			Reason: "the program was killed by " + signalName(s.Signal) + ", which we did not send",
			Advice: "the machine may be out of memory: run fewer processes at the same time, then start the run again",
		}
	case s.Signal != 0:
		return &objective.Failure{Kind: objective.BadSignal, Detail: withReason(signalName(s.Signal), stderr)}, nil
	case s.Code == statusMachine:
		return nil, &MachineError{
			Reason: withReason("the program ended with exit status 75, which says that the machine failed", stderr),
			Advice: "put the machine right, then start the run again",
		}
	case s.Code != 0:
		return &objective.Failure{Kind: objective.BadExit, Detail: withReason(fmt.Sprintf("exit status %d", s.Code), stderr)}, nil
	}
	return nil, nil
}

// clean reports whether a process has ended as a good program does.
func clean(s guardian.State) bool { return s.Code == 0 && s.Signal == 0 }

// timedOut is the failure of a point that took longer than the limit.
func timedOut(limit time.Duration) *objective.Failure {
	return &objective.Failure{Kind: objective.TimedOut, Detail: fmt.Sprintf("no answer within %v", limit)}
}

// notStarted says what it means that a program could not be started: a *MachineError
// (without Query and Tries) for want of memory, processes or open files, and otherwise an error that
// stops the run.
func notStarted(name string, err error) error {
	if slices.ContainsFunc(scarce, func(e syscall.Errno) bool { return errors.Is(err, e) }) {
		return &MachineError{
			Reason: fmt.Sprintf("%s could not be started: %v", name, err),
			Advice: "the machine lacks memory, processes or open files: run fewer processes at the same time, then start the run again",
			Err:    err,
		}
	}
	return fmt.Errorf("%s could not be started: %w", name, err)
}

// scarce are the errors of a machine that lacks something.
var scarce = []syscall.Errno{syscall.ENOMEM, syscall.EAGAIN, syscall.EMFILE, syscall.ENFILE}

// retries is how often a point is tried again after the machine failed.
func (c *Config) retries() int {
	if c.Retries == nil {
		return 1
	}
	return *c.Retries
}

// environment is the environment of a program that is started for a query by the slot of
// this number. All three count from 1.
func environment(slot, query, attempt int) []string {
	return surroundings(
		"UNTWIST_PROC="+strconv.Itoa(slot),
		"UNTWIST_QUERY="+strconv.Itoa(query),
		"UNTWIST_ATTEMPT="+strconv.Itoa(attempt),
	)
}

// surroundings are our own environment and more. Python shall not buffer its output.
func surroundings(own ...string) []string {
	own = append(own, "PYTHONUNBUFFERED=1")
	inherited := slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	})
	return append(inherited, own...)
}

// signalName is the name of a signal: "SIGSEGV".
func signalName(s syscall.Signal) string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGALRM: "SIGALRM", syscall.SIGFPE: "SIGFPE", syscall.SIGHUP: "SIGHUP",
	syscall.SIGILL: "SIGILL", syscall.SIGINT: "SIGINT", syscall.SIGKILL: "SIGKILL", syscall.SIGPIPE: "SIGPIPE",
	syscall.SIGQUIT: "SIGQUIT", syscall.SIGSEGV: "SIGSEGV", syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP",
}

// longestStderr is how much of the end of stderr is kept.
const longestStderr = 64 << 10

// A tail keeps the end of what is written to it. Its methods may be called at the same time.
type tail struct {
	mu   sync.Mutex
	most int // how many bytes are kept
	kept []byte
	copy []byte // of the end of kept; nil if something was written since
}

func newTail(most int) *tail { return &tail{most: most} }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.copy = nil
	t.kept = append(t.kept, p[max(len(p)-t.most, 0):]...)
	if len(t.kept) > 2*t.most { // each byte is moved once
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.most:]...)
	}
	return len(p), nil
}

// bytes returns the end of what was written. It must not be changed.
func (t *tail) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.copy == nil {
		t.copy = bytes.Clone(t.kept[max(len(t.kept)-t.most, 0):])
	}
	return t.copy
}

// withReason adds the last line of stderr to a text, if there is one.
func withReason(text string, stderr []byte) string {
	if line := lastLine(stderr); line != "" {
		return text + ": " + line
	}
	return text
}

// lastLine is the last line of a text that is not blank, fit to be shown.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return shown(text[bytes.LastIndexAny(text, "\r\n")+1:], 200)
}

// shown is a text on one line, of at most so many characters, without control characters.
func shown(text []byte, most int) string {
	text = bytes.TrimSpace(text[:min(len(text), 4*most+64)])
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(text), "?"))
	if all := []rune(clean); len(all) > most {
		return string(all[:most-1]) + "…"
	}
	return clean
}
