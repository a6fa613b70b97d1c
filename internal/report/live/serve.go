package live

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if status, why := s.gate.refuse(r); status != 0 {
		if status == http.StatusMethodNotAllowed {
			h.Set("Allow", "GET, HEAD")
		}
		h.Set("Connection", "close")
		say(w, status, why)
		return
	}
	switch s.gate.viewer(r) {
	case nothing:
		ask(w)
	case tooMany:
		h.Set("Retry-After", "1")
		say(w, http.StatusTooManyRequests, "too many wrong tokens; try again in a second")
	case theWord: // from now on the cookie is enough, and the token leaves the address
		http.SetCookie(w, &s.gate.cookie)
		h.Set("Location", "/")
		w.WriteHeader(http.StatusSeeOther)
	default:
		if r.URL.Path == "/events" {
			s.events(w, r)
			return
		}
		s.page(w, r)
	}
}

// say answers in words.
func say(w http.ResponseWriter, status int, words string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, words)
}

func ask(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("WWW-Authenticate", "Bearer")
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Untwist</title></head>`+
		`<body><form action="/" method="get"><p><label>The token of this run (the line in its --token-file): <input type="password" name="token" autocomplete="off" required></label> <button>Look</button></p></form></body></html>`)
}

func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	p, err := s.look()
	if p == nil {
		say(w, http.StatusInternalServerError, err.Error())
		return
	}
	html := s.frame.html(p)
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", s.frame.policy)
	h.Set("Content-Length", strconv.Itoa(len(html)))
	if !p.final && r.Method == http.MethodGet {
		s.viewers.expect()
	}
	_, _ = w.Write(html)
}

// events sends what changes, until the run is over or the viewer goes away.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	if r.Method == http.MethodHead {
		return
	}
	if !s.viewers.enter() {
		w.Header().Set("Retry-After", "10")
		say(w, http.StatusServiceUnavailable, "too many viewers")
		return
	}
	defer s.viewers.exit()
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // nothing more is read but the end
	send := func(text []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(patience))
		_, err := w.Write(text)
		return err == nil && control.Flush() == nil
	}
	if !send([]byte("retry: 2000\n: " + s.run + "\n\n")) {
		return
	}
	if r.URL.Query().Get("run") != s.run { // the page is of an earlier run
		send([]byte("event: reload\ndata: {}\n\n"))
		return
	}
	since, _ := strconv.Atoi(strings.TrimSpace(r.URL.Query().Get("since")))
	s.follow(r.Context(), since, send)
}

// patience is how long a viewer may take to read an event, and heartbeat how long there may
// be none, so that both sides notice when the other is gone.
const (
	patience  = 10 * time.Second
	heartbeat = 10 * time.Second
)

// follow sends what is new since a painting, whenever there is something. While the page is
// as it was, it sends a line that says how far the run is.
func (s *Server) follow(ctx context.Context, since int, send func([]byte) bool) {
	over, told, quiet := s.over, uint64(0), time.Now()
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over:
			over = nil
		case <-next.C:
		}
		p, err := s.look()
		line, change := s.state.line()
		var text []byte
		switch {
		case err == nil && p.number > since:
			text, since = p.event(since), p.number
		case err == nil && change != told:
			text = fmt.Appendf(nil, "event: line\ndata: %s\n\n", line)
		case time.Since(quiet) >= heartbeat:
			text = []byte(": still here\n\n")
		}
		if text != nil {
			if !send(text) {
				return
			}
			told, quiet = change, time.Now()
		}
		if over == nil { // the viewer has the report, or there is none
			return
		}
		next.Reset(shortest)
	}
}

// viewers counts who looks.
type viewers struct {
	mu       sync.Mutex
	n        int
	expected time.Time     // when a page was sent whose viewer has not come back for events
	changed  chan struct{} // closed and made anew when one goes
}

// follows is how long a page may take to ask for events.
const follows = 2 * time.Second

// expect notes that a page was sent, whose viewer will ask for events.
func (v *viewers) expect() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.expected = time.Now()
}

// enter lets a viewer in, if there are not too many.
func (v *viewers) enter() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.n >= mostViewers {
		return false
	}
	v.n++
	v.expected = time.Time{}
	return true
}

// exit lets a viewer go.
func (v *viewers) exit() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.n--
	close(v.changed)
	v.changed = make(chan struct{})
}

// Watched reports whether somebody looks, or is about to.
func (s *Server) Watched() bool {
	v := &s.viewers
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n > 0 || time.Since(v.expected) < follows
}

// leave waits until all viewers are gone, and none is expected.
func (v *viewers) leave(ctx context.Context) {
	for {
		v.mu.Lock()
		n, changed, left := v.n, v.changed, follows-time.Since(v.expected)
		v.mu.Unlock()
		if n == 0 && left <= 0 {
			return
		}
		var later <-chan time.Time
		if n == 0 {
			later = time.After(left)
		}
		select {
		case <-changed:
		case <-later:
		case <-ctx.Done():
			return
		}
	}
}
