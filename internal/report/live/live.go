// Package live serves the report of a run while the run goes on, for a browser.
//
// The page is that of the end, with what is known so far. A browser follows it by
// server-sent events: whenever something has changed, and at most once a second, the server
// sends the sections of the page that are new. They are made once for all viewers, only while
// there are any, and at a pace at which they take at most 0.2 ms of computing a second.
//
// It is to look at only: there are two addresses, / and /events, which take GET and HEAD, and
// nothing that is sent there leads to a file, a program or the run. Others than this machine
// can reach it only with a token.
//
// Start with Listen. The run tells the Server of its progress by Show, of single answers by
// Answered, and of its end by Finish. None of these waits for a viewer, and none fails.
package live

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
)

// A Page is a report that can be written as HTML, as page.Page of package report/page. It
// consists of elements <header id="…"> and <section id="…">, one behind the other, of which
// none is within another.
type Page interface {
	// WriteMain writes all of it.
	WriteMain(w io.Writer) error
	// WriteChanging writes only the elements that change with every query.
	WriteChanging(w io.Writer) error
}

// A Config says what is served, where, and to whom.
type Config struct {
	// Address is HOST:PORT. With port 0 the system chooses one.
	Address string
	// Token is the secret that viewers have to know; "": there is none, which is allowed only
	// where nobody but this machine can connect.
	Token string
	// TLS has the certificate of the server. nil: the connection is not encrypted, which is
	// allowed only on this machine, or if Insecure says so.
	TLS      *tls.Config
	Insecure bool
	// Title is that of the page, and Style its style sheet.
	Title string
	Style template.CSS
	// Page makes the page of a run that goes on. It is called by other goroutines than the
	// run's, one at a time.
	Page func(State) Page
}

// A State is what is known of a run that goes on.
type State struct {
	// Result is what the run knew after its last batch.
	Result untwist.Result
	// Answers came since then, of which so many Failed.
	Answers, Failed int
	// Stage is what is being done.
	Stage string
	// Began is when the run began, and Now when this was known.
	Began, Now time.Time
}

// A Server serves the page of one run. Its methods may be called by several goroutines at
// once.
type Server struct {
	config   Config
	url      string
	listener net.Listener
	server   *http.Server
	gate     gate
	frame    frame
	run      string // tells this server from one that comes after it at the same address

	state   state
	easel   easel
	viewers viewers

	connections atomic.Int64
	farewell    time.Duration // how long the end of a run waits for viewers

	over  chan struct{} // closed when the run has come to its end
	ended sync.Once
	done  chan struct{} // closed when nobody is served any more
}

// Listen begins to serve.
func Listen(c Config) (*Server, error) {
	host, err := c.host()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", c.Address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use by another program", c.Address)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %s: %w", c.Address, cause(err))
	}
	if err := c.check(listener.Addr()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s := &Server{config: c, run: rand.Text(), over: make(chan struct{}), done: make(chan struct{})}
	if s.listener = listener; c.TLS != nil {
		own := c.TLS.Clone()
		own.NextProtos = []string{"http/1.1"} // a viewer needs two connections, and there is less that can go wrong
		s.listener = tls.NewListener(listener, own)
	}
	s.gate = newGate(c, host, listener.Addr())
	s.frame = newFrame(c, s.run)
	s.url = c.address(host, listener.Addr())
	s.state.began, s.state.result.Value = time.Now(), math.Inf(1)
	s.viewers.changed, s.farewell = make(chan struct{}), 5*time.Second
	s.server = &http.Server{
		Handler: s, ErrorLog: log.New(io.Discard, "", 0), // what others send us is nobody's news
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second,
		MaxHeaderBytes: mostHeader, DisableGeneralOptionsHandler: true, ConnState: s.count,
	}
	go func() {
		defer close(s.done)
		_ = s.server.Serve(s.listener) // however it ends, the run goes on
	}()
	return s, nil
}

// Limits of what a server takes.
const (
	mostHeader      = 8 << 10
	mostConnections = 64
	mostViewers     = 16
)

func (c Config) host() (string, error) {
	host, port, err := net.SplitHostPort(c.Address)
	_, wrong := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil:
		return "", objective.BadOption("Live", "%q is not an address HOST:PORT, such as 127.0.0.1:8080", c.Address)
	case wrong != nil:
		return "", objective.BadOption("Live", "%q: the port must be a number up to 65535", c.Address)
	case host == "":
		return "", objective.BadOption("Live", "%q says no host: write 127.0.0.1%[1]s for this machine, or 0.0.0.0%[1]s for all", c.Address)
	}
	return host, nil
}

// check says what is missing to listen on an address.
func (c Config) check(at net.Addr) error {
	tcp, ok := at.(*net.TCPAddr)
	switch {
	case ok && tcp.IP.IsLoopback():
		return nil
	case c.Token == "":
		return objective.BadOption("Live", "%s can be reached by others, so it needs a secret: give --token-file FILE (openssl rand -hex 32 makes one)", c.Address)
	case c.TLS == nil && !c.Insecure:
		return objective.BadOption("Live", "%s: everybody on the way could read the token and the page. Use TLS (--tls-cert FILE --tls-key FILE), or say --insecure if the network is yours", c.Address)
	}
	return nil
}

// address is what to type into a browser. A host that means every address is this machine's
// name.
func (c Config) address(host string, at net.Addr) string {
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return at.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	scheme := "http"
	if c.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/"
}

// cause is the system's own word on an error of package net, which repeats the address.
func cause(err error) error {
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New(lookup.Err)
	}
	return err
}

// URL returns the address of the page. The token is not in it.
func (s *Server) URL() string { return s.url }

// Finish shows the report of the end to those who look, and to those who come while the server
// is being closed.
func (s *Server) Finish(p Page) {
	s.ended.Do(func() {
		s.state.finish(p)
		close(s.over)
	})
}

// Close ends the server. After Finish it waits until those who look have the report of the
// end, for five seconds at most, or until ctx ends.
func (s *Server) Close(ctx context.Context) {
	select {
	case <-s.over:
		ctx, cancel := context.WithTimeout(ctx, s.farewell)
		defer cancel()
		s.viewers.leave(ctx)
		_ = s.server.Shutdown(ctx)
	default: // there is no report
	}
	_ = s.server.Close()
	<-s.done
}
