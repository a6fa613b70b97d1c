package live

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// A gate refuses requests that do not come from a viewer.
type gate struct {
	names  []string          // by which we may be called, besides addresses
	certs  []tls.Certificate // whose names are ours, too
	token  [32]byte          // the hash of the token
	locked bool              // there is a token
	cookie http.Cookie       // what a viewer has who knows the token: not the token, since other servers on this machine see it
	pass   [32]byte          // the hash of the cookie's value
	wrong  *tries
}

func newGate(c Config, host string, at net.Addr) gate {
	g := gate{names: []string{"localhost", host}, wrong: &tries{}}
	if name, err := os.Hostname(); err == nil {
		g.names = append(g.names, name)
	}
	if c.TLS != nil {
		g.certs = c.TLS.Certificates
	}
	if c.Token == "" {
		return g
	}
	_, port, _ := net.SplitHostPort(at.String())
	g.locked, g.token = true, sha256.Sum256([]byte(c.Token))
	g.cookie = http.Cookie{
		Name: "untwist-" + port, Value: rand.Text(), Path: "/", HttpOnly: true, Secure: c.TLS != nil,
		SameSite: http.SameSiteLaxMode, // a link from elsewhere may lead here
	}
	g.pass = sha256.Sum256([]byte(g.cookie.Value))
	return g
}

// refuse says why a request is not answered, and with which status; 0: it is.
func (g *gate) refuse(r *http.Request) (status int, why string) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, "only GET and HEAD"
	case r.URL.IsAbs() || r.URL.Host != "":
		return http.StatusBadRequest, "this is no proxy"
	case r.URL.Path != "/" && r.URL.Path != "/events" || r.URL.RawPath != "":
		return http.StatusNotFound, "there is nothing here"
	case r.ContentLength != 0:
		return http.StatusBadRequest, "nothing can be sent here"
	case !g.ours(r.Host):
		return http.StatusForbidden, "this server has another name"
	case !g.sameOrigin(r):
		return http.StatusForbidden, "another site asks"
	}
	return 0, ""
}

// ours reports whether a Host header names this machine. A name that is not ours may lead here
// because its owner says so, to let the pages of that name read this one (DNS rebinding). An
// address belongs to nobody who could do that. The port may be another: that of a tunnel.
func (g *gate) ours(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if net.ParseIP(host) != nil {
		return true
	}
	return host != "" && (slices.ContainsFunc(g.names, func(name string) bool { return strings.EqualFold(name, host) }) ||
		slices.ContainsFunc(g.certs, func(c tls.Certificate) bool { return c.Leaf != nil && c.Leaf.VerifyHostname(host) == nil }))
}

// sameOrigin reports whether a request comes from our own page, or from none. A link from
// elsewhere may lead to the page, which the other site cannot read then.
func (g *gate) sameOrigin(r *http.Request) bool {
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		if len(origins) > 1 || origins[0] != scheme+r.Host {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// knows is what a viewer knows.
type knows int

const (
	nothing knows = iota // no token, or not the right one
	theWord              // the token, in the address
	enough               // the cookie, or the token in a header; or there is no token
	tooMany              // nobody may try now
)

// viewer says what the sender of a request knows. Hashes are compared, which have the same
// length, in a time that does not depend on them.
func (g *gate) viewer(r *http.Request) knows {
	if !g.locked {
		return enough
	}
	if cookie, err := r.Cookie(g.cookie.Name); err == nil && same(cookie.Value, g.pass) {
		return enough
	}
	word, right := r.URL.Query().Get("token"), theWord
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		word, right = bearer, enough
	}
	switch {
	case word == "":
		return nothing
	case !g.wrong.allowed():
		return tooMany
	case same(word, g.token):
		return right
	}
	g.wrong.count()
	return nothing
}

// same compares a word with a hash.
func same(word string, hash [32]byte) bool {
	got := sha256.Sum256([]byte(word))
	return subtle.ConstantTimeCompare(got[:], hash[:]) == 1
}

// tries counts wrong tokens.
type tries struct {
	mu     sync.Mutex
	second int64
	n      int
}

// mostTries is how many wrong tokens are compared in a second, of all viewers.
const mostTries = 10

// allowed reports whether another token may be tried.
func (t *tries) allowed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now().Unix(); now != t.second {
		t.second, t.n = now, 0
	}
	return t.n < mostTries
}

func (t *tries) count() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
}

// count counts connections, and closes at once those that are too many.
func (s *Server) count(c net.Conn, now http.ConnState) {
	switch now {
	case http.StateNew:
		if s.connections.Add(1) > mostConnections {
			_ = c.Close()
		}
	case http.StateClosed, http.StateHijacked:
		s.connections.Add(-1)
	}
}
