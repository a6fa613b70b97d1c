package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// A proxy passes connections on, listens to them, and can cut them.
type proxy struct {
	listener net.Listener
	to       string
	tap      *tap

	mu     sync.Mutex // of what follows, and of all lines
	chance *rand.Rand
	lines  []*line
	middle [2]int // how many messages were cut in two: from workers, and to them
}

// A line is a connection through a proxy.
type line struct {
	ends  [2]net.Conn // the one who has connected, and the server
	wires [2]*strand  // what the ends say
	cut   int         // what comes from this end is cut next; -1: nothing
	done  bool
}

func newProxy(t *testing.T, port int, seed uint64) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: fmt.Sprintf("127.0.0.1:%d", port), tap: newTap(), chance: rand.New(rand.NewPCG(seed, 3))}
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, l := range p.lines {
			l.close()
		}
	})
	go p.accept()
	return p
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.to)
		if err != nil {
			in.Close()
			continue
		}
		l := &line{ends: [2]net.Conn{in, out}, wires: [2]*strand{{hear: p.tap.fromWorker}, {hear: p.tap.toWorker}}, cut: -1}
		p.mu.Lock()
		p.lines = append(p.lines, l)
		p.mu.Unlock()
		go p.pass(l, 0)
		go p.pass(l, 1)
	}
}

// close closes a line.
func (l *line) close() {
	l.ends[0].Close()
	l.ends[1].Close()
	l.done = true
}

// leastCut is how long something must be to be cut in two: shorter is hardly more than PING.
const leastCut = 64

// pass passes on what comes from one end, and closes the line when that ends. If the line is
// to be cut, it passes only a part.
func (p *proxy) pass(l *line, from int) {
	buffer := make([]byte, 1<<14)
	for last := false; !last; {
		n, err := l.ends[from].Read(buffer)
		p.mu.Lock()
		cut := !l.done && l.cut == from && n >= leastCut
		if cut {
			n = 1 + p.chance.IntN(n-1)
		}
		last = err != nil || l.done || cut
		p.mu.Unlock()
		l.wires[from].feed(buffer[:n])
		_, _ = l.ends[1-from].Write(buffer[:n]) // it may take long, if the other is stopped
		if cut && l.wires[from].within() {
			p.mu.Lock()
			p.middle[from]++
			p.mu.Unlock()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l.close()
}

// cut cuts all connections the next time that something comes over them, each in a direction
// drawn by lot, and within what comes. It waits for the first.
func (p *proxy) cut(t *testing.T, run *proc) {
	t.Helper()
	var armed []*line
	p.mu.Lock()
	for _, l := range p.lines {
		if !l.done {
			l.cut = p.chance.IntN(2)
			armed = append(armed, l)
		}
	}
	p.lines = armed
	p.mu.Unlock()
	until(t, run, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, l := range armed {
			if l.done {
				return true
			}
		}
		return len(armed) == 0
	})
}
