package program

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/guardian"
)

// A child is a running program. It is written to and read from at the same time, so that
// neither side can wait for the other for ever.
type child struct {
	process *guardian.Process
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File

	ink     chan []byte  // what is to be written, one at a time; closed: nothing more
	written chan written // how each of them went
	chunks  chan chunk   // what was read; closed at the end of the output
	said    *tail        // the end of stderr

	dry     sync.Once     // ink is closed
	quit    chan struct{} // nobody reads chunks any more
	workers sync.WaitGroup
}

// A written says how much of a text was written before err.
type written struct {
	n   int
	err error
}

// A chunk is a part of the output. It is valid until the next one is received.
type chunk struct {
	data []byte
	at   time.Time
}

// mostRead is the size of the largest chunk, and about that of the largest text that is
// written at once.
const mostRead = 64 << 10

// newChild starts a program.
func newChild(g starter, c guardian.Command) (*child, error) {
	var pipes pipes
	defer pipes.closeTheirs()
	k := &child{
		ink: make(chan []byte, 1), written: make(chan written, 1), chunks: make(chan chunk),
		said: newTail(longestStderr), quit: make(chan struct{}),
	}
	c.Stdin, k.stdin = pipes.open()
	k.stdout, c.Stdout = pipes.open()
	k.stderr, c.Stderr = pipes.open()
	pipes.theirs = []*os.File{c.Stdin, c.Stdout, c.Stderr}
	pipes.ours = []*os.File{k.stdin, k.stdout, k.stderr}
	if pipes.err == nil {
		for _, f := range pipes.theirs {
			f.Fd() // makes it block, as programs expect
		}
		k.process, pipes.err = g.Run(c)
	}
	if pipes.err != nil {
		pipes.closeOurs()
		return nil, pipes.err
	}
	k.workers.Go(k.write)
	k.workers.Go(k.read)
	k.workers.Go(func() { io.Copy(k.said, k.stderr) })
	k.workers.Go(k.watch)
	return k, nil
}

// pipes are the pipes of a child.
type pipes struct {
	theirs, ours []*os.File
	err          error
}

// open makes a pipe: what is written to w is read from r. Both are nil after an error.
func (p *pipes) open() (r, w *os.File) {
	if p.err == nil {
		r, w, p.err = os.Pipe()
	}
	return r, w
}

func (p *pipes) closeTheirs() { closeAll(p.theirs) }
func (p *pipes) closeOurs()   { closeAll(p.ours) }

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // nil is fine
	}
}

// write writes what comes through ink. After an error the rest would fail too, and is not
// asked for.
func (c *child) write() {
	defer c.stdin.Close()
	for text := range c.ink {
		n, err := c.stdin.Write(text)
		c.written <- written{n, err}
	}
}

// read reads the output to its end. There are two buffers: who receives one has done with
// the other.
func (c *child) read() {
	defer close(c.chunks)
	var buffers [2][]byte
	for i := range buffers {
		buffers[i] = make([]byte, mostRead)
	}
	for i := 0; ; i ^= 1 {
		n, err := c.stdout.Read(buffers[i])
		if n > 0 {
			select {
			case c.chunks <- chunk{buffers[i][:n], time.Now()}:
			case <-c.quit:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// watch sees to it that the output has an end: a process that has escaped from its family
// may hold the pipes open for ever.
func (c *child) watch() {
	<-c.process.Done()
	soon := time.Now().Add(time.Second)
	c.stdout.SetReadDeadline(soon)
	c.stderr.SetReadDeadline(soon)
}

// closeInput says that nothing more will be written.
func (c *child) closeInput() { c.dry.Do(func() { close(c.ink) }) }

// end ends the program and all that it has started, and returns when they are gone.
func (c *child) end(grace time.Duration) {
	c.process.Kill(grace)
	c.bury()
}

// finish waits for the end of a program that has closed its output, and says how it ended.
// It ends it after a while: ours.
func (c *child) finish(patience, grace time.Duration) (state guardian.State, ours bool) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-c.process.Exited():
	case <-late.C:
		ours = true
		c.process.Kill(grace)
	}
	c.bury()
	return c.process.State(), ours
}

// bury waits until the program is gone, and frees what belonged to it.
func (c *child) bury() {
	<-c.process.Done()
	close(c.quit)
	c.closeInput()
	c.stdin.Close() // a write may still wait for a process that has escaped
	c.workers.Wait()
	closeAll([]*os.File{c.stdout, c.stderr})
}
