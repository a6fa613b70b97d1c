package program

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A patience says how long we wait for what.
type patience struct {
	silence   time.Duration // for the first answer, before the user is told that there is none
	doubt     time.Duration // for surplus output after the very first answer, at least
	longDoubt time.Duration // and at most
	quiet     time.Duration // for surplus output from time to time, at least: a process may have to wait for a processor
	look      time.Duration // for an answer after the timeout
	leave     time.Duration // for a program to end after its output has ended
	close     time.Duration // for a program to end after its input has ended, at least
	longClose time.Duration // and at most
	grace     time.Duration // for a program to end after it was told to
	rest      time.Duration // for the machine to recover, before a program is started again
}

var ordinary = patience{
	silence: 5 * time.Second, doubt: 50 * time.Millisecond, longDoubt: time.Second, quiet: 10 * time.Millisecond, look: 20 * time.Millisecond, leave: 2 * time.Second,
	close: 2 * time.Second, longClose: time.Minute, grace: 200 * time.Millisecond, rest: time.Second,
}

// limit is how long to wait until something happens: the timeout, if there is one, or until the
// silence is to be noted.
func (p patience) limit(timeout time.Duration, noting bool) (limit time.Duration, limited bool) {
	if noting && (timeout <= 0 || p.silence < timeout) {
		return p.silence, true
	}
	return timeout, timeout > 0
}

// pause waits for so long.
func pause(ctx context.Context, d time.Duration) error {
	ring, stop := alarm(d)
	defer stop()
	select {
	case <-ring:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A base is what every slot needs whose programs talk over pipes.
type base struct {
	config     *Config
	starter    starter
	number     int // of the slot, from 1
	folders    *folders
	experience *experience
	dialect    dialect
	patience   patience
	tired      bool // the machine has failed just now
}

// start starts the program for a job, and nothing if the machine fails: then it may be
// tried again. The error stops the run.
func (b *base) start(ctx context.Context, j *job) (*child, error) {
	if b.tired {
		b.tired = false
		if err := pause(ctx, b.patience.rest); err != nil {
			return nil, err
		}
	}
	command := b.config.Exec
	child, err := newChild(b.starter, guardian.Command{
		Path: command[0], Args: command, Dir: b.config.Dir, Env: environment(b.number, j.query, j.errand+1),
	})
	if err != nil {
		return nil, b.excuse(j, notStarted(command[0], err))
	}
	return child, nil
}

// excuse forgives a job that the machine failed at it, as often as there are retries. Any
// other error is returned as it is.
func (b *base) excuse(j *job, err error) error {
	machine, ok := errors.AsType[*MachineError](err)
	if !ok {
		return err
	}
	j.errand++
	b.tired = true
	if j.errand <= b.config.retries() {
		return nil
	}
	return machine.at(*j)
}

// answer says what came of a job.
func (b *base) answer(q *queue, j job, r reply, seconds float64, stderr *tail) {
	if r.failure != nil {
		b.folders.failed(j, r.failure, b.config.Exec, stderr.bytes())
	}
	q.tell(j.index, r.answer(seconds))
}

// naive reports whether a breach of the protocol should stop the run, because the program
// has never kept to it.
func (b *base) naive() bool { return !b.experience.answered.Load() && !b.config.KeepGoing }

// epitaph says what the end of a program means for the one point that it was asked. A
// program that ended without a word stops the run if it has never answered.
func (b *base) epitaph(s guardian.State, ours, mute bool, stderr *tail) (failure *objective.Failure, err error) {
	if ours {
		return noNumber("the program stopped reading or writing, and gave no answer"), nil
	}
	failure, machine := ended(s, stderr.bytes())
	switch {
	case failure != nil || machine != nil:
		return failure, machine
	case mute && b.naive():
		return nil, b.dialect.silence()
	}
	return noNumber("the program ended with exit status 0 and gave no answer"), nil
}

// noteSilence tells the user that the program has not answered.
func (b *base) noteSilence(quiet time.Duration) {
	b.note(&b.experience.silent, "the program has not answered for %.2g s; it may be buffering its output "+
		"(flush=True in Python, fflush() in C and gawk, mawk -W interactive), or use --eof if it answers at the end of its input",
		quiet.Seconds())
}

// noteMissing tells the user that the program has left out answers, it seems.
func (b *base) noteMissing(quiet time.Duration, answers, points int) {
	b.note(&b.experience.missing, "the program was given %s and has given %s, and nothing for %.2g s; "+
		"it should answer each, also one that fails (with nan); with --timeout those without an answer fail",
		words.Count(points, "point", "points"), words.Count(answers, "answer", "answers"), quiet.Seconds())
}

// note tells the user something once in a run.
func (b *base) note(once *sync.Once, format string, args ...any) {
	if b.config.Note != nil {
		once.Do(func() { b.config.Note(fmt.Sprintf(format, args...)) })
	}
}
