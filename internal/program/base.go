package program

import (
	"context"
	"errors"
	"fmt"
	"math"
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
		wait := time.NewTimer(b.patience.rest)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
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
	if r.failure == nil {
		q.answer(j, objective.Answer{Value: r.value, Seconds: seconds})
		return
	}
	b.folders.failed(j, r.failure, b.config.Exec, stderr.bytes())
	q.answer(j, objective.Answer{Value: math.Inf(1), Failure: r.failure, Seconds: seconds})
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

// noteSilence tells the user, once in a run, that the program has not answered.
func (b *base) noteSilence(quiet time.Duration) {
	if b.config.Note == nil {
		return
	}
	b.experience.silent.Do(func() {
		b.config.Note(fmt.Sprintf("the program has not answered for %.2g s; it may be buffering its output "+
			"(flush=True in Python, fflush() in C and gawk, mawk -W interactive), or use --eof if it answers at the end of its input",
			quiet.Seconds()))
	})
}

// noteMissing tells the user, once in a run, that the program has left out answers, it seems.
func (b *base) noteMissing(quiet time.Duration, answers, points int) {
	if b.config.Note == nil {
		return
	}
	b.experience.missing.Do(func() {
		b.config.Note(fmt.Sprintf("the program was given %s and has given %s, and nothing for %.2g s; "+
			"it should answer each, also one that fails (with nan); with --timeout those without an answer fail",
			words.Count(points, "point", "points"), words.Count(answers, "answer", "answers"), quiet.Seconds()))
	})
}
