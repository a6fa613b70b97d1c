package live

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/untwist/untwist"
)

// Only GET and HEAD of two addresses are answered, under our own names, and to our own page.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	at := s.listener.Addr().String()
	host := "Host: " + at
	for _, c := range []struct {
		about, request string
		want           int
	}{
		{"the page", "GET / HTTP/1.1\r\n" + host, 200},
		{"its head", "HEAD / HTTP/1.1\r\n" + host, 200},
		{"with a question", "GET /?x=1 HTTP/1.1\r\n" + host, 200},
		{"by another name", "GET / HTTP/1.1\r\nHost: localhost:1234", 200},
		{"by name, in capitals", "GET / HTTP/1.1\r\nHost: LOCALHOST", 200},
		{"IPv6", "GET / HTTP/1.1\r\nHost: [::1]:8080", 200},
		{"from our own page", "GET / HTTP/1.1\r\n" + host + "\r\nOrigin: http://" + at + "\r\nSec-Fetch-Site: same-origin", 200},
		{"by a link", "GET / HTTP/1.1\r\n" + host + "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document", 200},

		{"POST", "POST / HTTP/1.1\r\n" + host + "\r\nContent-Length: 0", 405},
		{"POST of events", "POST /events HTTP/1.1\r\n" + host + "\r\nContent-Length: 3", 405},
		{"PUT", "PUT / HTTP/1.1\r\n" + host, 405},
		{"DELETE", "DELETE / HTTP/1.1\r\n" + host, 405},
		{"OPTIONS", "OPTIONS / HTTP/1.1\r\n" + host, 405},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + host, 405},
		{"TRACE", "TRACE / HTTP/1.1\r\n" + host, 405},
		{"PATCH", "PATCH / HTTP/1.1\r\n" + host, 405},
		{"CONNECT", "CONNECT " + at + " HTTP/1.1\r\n" + host, 405},
		{"get", "get / HTTP/1.1\r\n" + host, 405},
		{"a method of its own", "RUN / HTTP/1.1\r\n" + host, 405},
		{"a body", "GET / HTTP/1.1\r\n" + host + "\r\nContent-Length: 5", 400},
		{"a body in pieces", "GET / HTTP/1.1\r\n" + host + "\r\nTransfer-Encoding: chunked", 400},

		{"a file", "GET /etc/passwd HTTP/1.1\r\n" + host, 404},
		{"a folder up", "GET /../../etc/passwd HTTP/1.1\r\n" + host, 404},
		{"a folder up, hidden", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n" + host, 404},
		{"two slashes", "GET //events HTTP/1.1\r\n" + host, 404},
		{"a slash, hidden", "GET /%2f HTTP/1.1\r\n" + host, 404},
		{"events, hidden", "GET /%65vents HTTP/1.1\r\n" + host, 404},
		{"behind events", "GET /events/ HTTP/1.1\r\n" + host, 404},
		{"capitals", "GET /EVENTS HTTP/1.1\r\n" + host, 404},
		{"the script", "GET /live.js HTTP/1.1\r\n" + host, 404},
		{"an end of text", "GET /%00 HTTP/1.1\r\n" + host, 404},
		{"profiles of Go", "GET /debug/pprof/ HTTP/1.1\r\n" + host, 404},
		{"an icon", "GET /favicon.ico HTTP/1.1\r\n" + host, 404},
		{"a proxy", "GET http://example.org/ HTTP/1.1\r\n" + host, 400},
		{"a proxy to us", "GET http://" + at + "/ HTTP/1.1\r\n" + host, 400},

		{"another host", "GET / HTTP/1.1\r\nHost: example.org", 403},
		{"another host at our port", "GET / HTTP/1.1\r\nHost: evil.example:8080", 403},
		{"a host that begins like us", "GET / HTTP/1.1\r\nHost: localhost.evil.example", 403},
		{"an address as a name", "GET / HTTP/1.1\r\nHost: 127.0.0.1.nip.io", 403},
		{"no host", "GET / HTTP/1.1\r\nHost:", 403},
		{"no host at all", "GET / HTTP/1.0", 403},
		{"two hosts", "GET / HTTP/1.1\r\n" + host + "\r\nHost: example.org", 400},
		{"another origin", "GET / HTTP/1.1\r\n" + host + "\r\nOrigin: http://evil.example", 403},
		{"another port", "GET /events HTTP/1.1\r\n" + host + "\r\nOrigin: http://127.0.0.1:1", 403},
		{"another scheme", "GET / HTTP/1.1\r\n" + host + "\r\nOrigin: https://" + at, 403},
		{"a file's origin", "GET / HTTP/1.1\r\n" + host + "\r\nOrigin: null", 403},
		{"an empty origin", "GET / HTTP/1.1\r\n" + host + "\r\nOrigin:", 403},
		{"two origins", "GET / HTTP/1.1\r\n" + host + "\r\nOrigin: http://" + at + "\r\nOrigin: http://evil.example", 403},
		{"a picture elsewhere", "GET / HTTP/1.1\r\n" + host + "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image", 403},
		{"a frame elsewhere", "GET / HTTP/1.1\r\n" + host + "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe", 403},
		{"another port of this machine", "GET /events HTTP/1.1\r\n" + host + "\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty", 403},

		{"a long header", "GET / HTTP/1.1\r\n" + host + "\r\nX: " + strings.Repeat("x", 100<<10), 431},
		{"a long address", "GET /?" + strings.Repeat("x", 100<<10) + " HTTP/1.1\r\n" + host, 431},
		{"many headers", "GET / HTTP/1.1\r\n" + host + strings.Repeat("\r\nX: 1", 10_000), 431},
		{"no request", "\x16\x03\x01\x02\x00\x01\x00", 400},
		{"another protocol", "PRI * HTTP/2.0\r\n\r\nSM", 0},
	} {
		t.Run(c.about, func(t *testing.T) {
			status, answer := raw(t, s, c.request+"\r\nConnection: close\r\n\r\n")
			switch {
			case c.want == 0: // it is Go's own answer
				if strings.Contains(answer, "queries") {
					t.Errorf("%d, %s", status, answer)
				}
			case status != c.want:
				t.Errorf("%d, want %d\n%s", status, c.want, answer)
			case status != 200 && strings.Contains(answer, "queries"):
				t.Errorf("the page was sent all the same:\n%s", answer)
			case status == 405 && !strings.Contains(answer, "Allow: GET, HEAD"):
				t.Errorf("it does not say what is allowed:\n%s", answer)
			}
			if c.want != 0 && c.want != 431 && !strings.HasPrefix(c.about, "no request") && c.about != "two hosts" {
				for _, header := range []string{"Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Referrer-Policy: no-referrer", "Cache-Control: no-store", "Cross-Origin-Resource-Policy: same-origin", "frame-ancestors 'none'", "base-uri 'none'"} {
					if !strings.Contains(answer, header) {
						t.Errorf("without %s:\n%s", header, answer)
					}
				}
			}
		})
	}
}

// With a token nothing is shown to those who do not know it, and it stays out of what is sent.
func TestToken(t *testing.T) {
	const token = "0123456789abcdef"
	s := serve(t, func(c *Config) { c.Token = token })
	s.Show(progress(3, nil))
	for about, headers := range map[string][]string{
		"none": nil, "wrong": {"Authorization: Bearer 0123456789abcdeg"}, "shorter": {"Authorization: Bearer 0123456789abcde"}, "longer": {"Authorization: Bearer 0123456789abcdef0"},
		"another scheme": {"Authorization: Basic MDEyMzQ1Njc4OWFiY2RlZjo="}, "empty": {"Authorization: Bearer "},
		"the token as a cookie": {"Cookie: " + s.gate.cookie.Name + "=" + token}, "a wrong cookie": {"Cookie: " + s.gate.cookie.Name + "=" + strings.Repeat("0", 64)},
	} {
		for _, path := range []string{"/", "/events?run=" + s.run} {
			if status, answer := get(t, s, path, headers...); status != 401 && status != 429 || strings.Contains(answer, "queries") || strings.Contains(answer, token) {
				t.Errorf("%s, %s: %d\n%s", about, path, status, answer)
			}
		}
	}
	until(t, "another token may be tried", s.gate.wrong.allowed)
	status, answer := get(t, s, "/?token="+token)
	if status != http.StatusSeeOther || !strings.Contains(answer, "Location: /\r\n") || strings.Contains(answer, token) {
		t.Fatalf("the token in the address: %d\n%s", status, answer)
	}
	for _, word := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(answer, word) {
			t.Errorf("the cookie is not %s:\n%s", word, answer)
		}
	}
	for about, header := range map[string]string{"cookie": "Cookie: " + s.gate.cookie.Name + "=" + s.gate.cookie.Value, "header": "Authorization: Bearer " + token} {
		if status, answer := get(t, s, "/", header); status != 200 || !strings.Contains(answer, "3 queries") || strings.Contains(answer, token) || strings.Contains(answer, s.gate.cookie.Value) {
			t.Errorf("%s: %d\n%s", about, status, answer)
		}
	}
	if strings.Contains(s.URL(), token) {
		t.Error(s.URL())
	}
}

// Who tries one token after the other has to wait, and those who are in do not notice.
func TestManyTokens(t *testing.T) {
	s := serve(t, func(c *Config) { c.Token = "0123456789abcdef" })
	late := 0
	for i := range 5 * mostTries {
		switch status, _ := get(t, s, fmt.Sprintf("/?token=%d", i)); status {
		case http.StatusTooManyRequests:
			late++
		case http.StatusUnauthorized:
		default:
			t.Fatal(status)
		}
	}
	if late == 0 {
		t.Error("nobody had to wait")
	}
	if status, answer := get(t, s, "/", "Cookie: "+s.gate.cookie.Name+"="+s.gate.cookie.Value); status != 200 {
		t.Errorf("%d\n%s", status, answer)
	}
}

// Where others can connect, a token is needed, and encryption.
func TestWhoCanConnect(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Address: "0.0.0.0:0"}, "needs a secret: give --token-file"},
		{Config{Address: "[::]:0"}, "needs a secret"},
		{Config{Address: "0.0.0.0:0", Token: "0123456789"}, "Use TLS"},
		{Config{Address: "8080"}, "is not an address HOST:PORT"},
		{Config{Address: ":8080"}, "says no host"},
		{Config{Address: "no-such-host.invalid:1"}, "cannot listen on no-such-host.invalid:1: "},
		{Config{Address: "127.0.0.1:x"}, "the port must be a number"}, {Config{Address: "127.0.0.1:80000"}, "the port must be a number"},
	} {
		s, err := Listen(c.config)
		if err == nil {
			s.Close(over)
			t.Errorf("%v listens", c.config)
		} else if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %s", c.config.Address, err, c.want)
		}
	}
	s := serve(t, func(c *Config) { c.Address, c.Token, c.Insecure = "0.0.0.0:0", "0123456789", true })
	if strings.Contains(s.URL(), "0.0.0.0") {
		t.Errorf("nobody can type %s", s.URL())
	}
	taken := serve(t, nil).listener.Addr().String()
	if _, err := Listen(Config{Address: taken}); err == nil || err.Error() != taken+" is in use by another program" {
		t.Error(err)
	}
}

// There are so many connections and viewers at most, and when some go others can come.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	s.Show(progress(1, nil))
	var viewers []*follower
	for range mostViewers {
		viewers = append(viewers, follow(t, s, 0))
	}
	if status, _ := get(t, s, "/events?run="+s.run); status != http.StatusServiceUnavailable {
		t.Errorf("one viewer more: %d", status)
	}
	if status, _ := get(t, s, "/"); status != 200 {
		t.Errorf("the page: %d", status)
	}
	var idle []net.Conn
	for range 2 * mostConnections {
		c, err := s.dial()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
	}
	var closed atomic.Int64
	for _, c := range idle { // those beyond the limit are closed at once
		go func() {
			if _, err := c.Read(make([]byte, 1)); err == io.EOF || strings.Contains(fmt.Sprint(err), "reset") {
				closed.Add(1)
			}
		}()
	}
	until(t, "those beyond the limit are closed", func() bool { return closed.Load() >= mostConnections })
	if closed.Load() == int64(len(idle)) {
		t.Error("all connections were closed")
	}
	for _, c := range idle {
		c.Close()
	}
	for _, v := range viewers {
		v.conn.Close()
	}
	until(t, "all viewers are gone", func() bool { s.viewers.mu.Lock(); defer s.viewers.mu.Unlock(); return s.viewers.n == 0 })
	until(t, "another can come", func() bool { status, _ := get(t, s, "/"); return status == 200 })
}

// A page that cannot be made does not end the run.
func TestBrokenPage(t *testing.T) {
	s := serve(t, func(c *Config) { c.Page = func(State) Page { panic("a mistake") } })
	s.Show(progress(1, nil))
	if status, answer := get(t, s, "/"); status != http.StatusInternalServerError || !strings.Contains(answer, "a mistake") {
		t.Errorf("%d %s", status, answer)
	}
	s.Show(progress(2, nil))
}

// Whatever is sent, the server answers or closes, and goes on.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /events?since=-1&run=x HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n", "GET /?token=x HTTP/1.0\r\nCookie: a=b\r\nAuthorization: Bearer y\r\n\r\n"} {
		f.Add(seed)
	}
	s, err := Listen(Config{Address: "127.0.0.1:0", Token: "0123456789abcdef", Page: func(s State) Page { return sketch{state: s} }})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close(over) })
	s.Show(untwist.Progress{Queries: 7})
	f.Fuzz(func(t *testing.T, request string) {
		c, err := s.dial()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
		_, _ = io.WriteString(c, request+"\r\n\r\n")
		_ = c.(*net.TCPConn).CloseWrite()
		answer, _ := io.ReadAll(c)
		if strings.Contains(string(answer), "7 queries") {
			t.Errorf("%q is answered without a token:\n%s", request, answer)
		}
	})
}
