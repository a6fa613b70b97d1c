package program

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/objective"
)

// A caller starts the program anew for each point or batch.
type caller struct {
	recipe  *recipe
	starter starter
	number  int // of the slot, from 1
	folders *folders
	begun   *atomic.Bool // the program has answered, if only badly; all slots share it
}

// close has nothing to end: no process is kept.
func (*caller) close() error { return nil }

// A call is one run of the program from its start to its end.
type call struct {
	stdout, stderr []byte
	seconds        float64
	failure        *objective.Failure // it ended badly
	machine        *MachineError      // the machine failed
}

// command returns the words of the command for a work folder and a point. The point may be
// nil if no value is in the command.
func (c *caller) command(folder string, point []float64) []string {
	words := []string{c.recipe.Exec[0]}
	for _, f := range c.recipe.words[1:] {
		if len(f) == 1 && f[0].name == allValues {
			for i, v := range point {
				words = append(words, string(appendValue(nil, c.recipe.Space, i, v)))
			}
			continue
		}
		words = append(words, string(f.fill(nil, func(p piece) []byte {
			switch p.name {
			case inFile, outFile:
				return []byte(filepath.Join(folder, p.name))
			}
			return c.recipe.value(point, p)
		})))
	}
	return words
}

func (r *recipe) value(point []float64, p piece) []byte {
	i := slices.Index(r.Names, p.name)
	if i < 0 {
		panic("program: a placeholder was not checked: " + p.name)
	}
	if p.format != "" {
		return p.number(point[i])
	}
	return appendValue(nil, r.Space, i, point[i])
}

// dir is where the program runs.
func (c *caller) dir(folder string) string {
	if c.recipe.inFolder() {
		return folder
	}
	return c.recipe.Dir
}

// run runs the program for a job. An error stops the run.
func (c *caller) run(ctx context.Context, folder string, j job) (*call, error) {
	command := c.command(folder, j.point)
	begin := time.Now()
	child, err := newChild(c.starter, guardian.Command{
		Path: command[0], Args: command, Dir: c.dir(folder), Env: environment(c.number, j.query, j.errand+1),
	})
	if err != nil {
		return c.notStarted(err)
	}
	child.closeInput()
	stdout := newTail(mostOutput + 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		for chunk := range child.chunks {
			stdout.Write(chunk.data)
		}
	})
	late, err := c.wait(ctx, child.process)
	reading.Wait()
	child.bury()
	result := &call{stdout: stdout.bytes(), stderr: child.said.bytes(), seconds: time.Since(begin).Seconds()}
	switch {
	case err != nil:
		return nil, err
	case late:
		result.failure = timedOut(c.recipe.Timeout)
	default:
		var machine error
		result.failure, machine = ended(child.process.State(), result.stderr)
		errors.As(machine, &result.machine)
	}
	return result, nil
}

// notStarted is the call of a program that could not be started because of the machine.
// Any other error stops the run.
func (c *caller) notStarted(err error) (*call, error) {
	err = notStarted(c.recipe.given[0], err)
	if machine, ok := errors.AsType[*MachineError](err); ok {
		return &call{machine: machine}, nil
	}
	return nil, err
}

// wait waits until a process and everything that it has started are gone, and ends them if
// it takes too long or the context ends. What had ended by itself before was not late: it
// may be we who were stopped.
func (c *caller) wait(ctx context.Context, process *guardian.Process) (late bool, err error) {
	var limit <-chan time.Time
	if c.recipe.Timeout > 0 {
		ring, stop := c.recipe.clock(c.recipe.Timeout)
		defer stop()
		limit = ring
	}
	select {
	case <-process.Exited():
	case <-limit:
		late = true
		process.Kill(ordinary.grace)
	case <-ctx.Done():
		err = context.Cause(ctx)
		process.Kill(ordinary.grace)
	}
	<-process.Done()
	return late && process.State().Killed, err
}

// persist tries a job until the machine does not fail at it, or has failed too often.
func (c *caller) persist(ctx context.Context, j *job, try func() (*MachineError, error)) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		machine, err := try()
		if err != nil || machine == nil {
			return err
		}
		if j.errand++; j.errand > c.recipe.retries() {
			return machine.at(*j)
		}
		if err := pause(ctx, c.recipe.rest); err != nil {
			return err
		}
	}
}

// printed returns what a call printed. If it is cut, an ellipsis stands for the line, or
// the word, at the front.
func (c *call) printed() []byte {
	if len(c.stdout) <= mostOutput {
		return c.stdout
	}
	rest := bytes.TrimLeftFunc(c.stdout, mayJoin)
	if i := bytes.IndexByte(c.stdout, '\n'); i >= 0 {
		rest = c.stdout[i+1:]
	}
	return append([]byte("…\n"), rest...)
}
