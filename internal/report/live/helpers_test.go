package live

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/needs"
	"github.com/untwist/untwist/objective"
)

func TestMain(m *testing.M) {
	needs.Parallel(8)
	m.Run()
}

// sketch is a page with an element that changes, one that is learnt, and one of the end.
type sketch struct {
	state State
	final bool
}

func (p sketch) WriteMain(w io.Writer) error {
	if err := p.WriteChanging(w); err != nil {
		return err
	}
	if p.state.Result.Structure != nil {
		fmt.Fprint(w, `<section id="learnt">it separates</section>`)
	}
	if p.final {
		fmt.Fprint(w, `<section id="report">all is known</section>`)
	}
	return nil
}

func (p sketch) WriteChanging(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<header id="summary">%d queries</header>`, p.state.Result.Queries+p.state.Answers)
	return err
}

// over is a context that has ended.
var over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// serve returns a server on this machine that ends with the test.
func serve(t testing.TB, change func(*Config)) *Server {
	t.Helper()
	c := Config{Address: "127.0.0.1:0", Title: "<f>", Style: "p{color:red}", Page: func(s State) Page { return sketch{state: s} }}
	if change != nil {
		change(&c)
	}
	s, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(over) })
	return s
}

// progress is what a run says that has made so many queries.
func progress(queries int, learnt *untwist.Structure) untwist.Progress {
	p := untwist.Progress{Stage: "search", Queries: queries, Budget: 1000, Best: 1 / float64(queries), Point: []float64{1}}
	p.SoFar = func() untwist.Result {
		r := untwist.Result{Structure: learnt}
		r.Queries, r.Value, r.Point = queries, p.Best, p.Point
		r.Curve = []objective.Sample{{Queries: queries, Value: p.Best}}
		return r
	}
	return p
}

// dial connects to a server.
func (s *Server) dial() (net.Conn, error) { return net.Dial("tcp", s.listener.Addr().String()) }

// raw sends text to a server, and returns the status and the whole answer.
func raw(t *testing.T, s *Server, text string) (status int, answer string) {
	t.Helper()
	c, err := s.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	go func() { _, _ = io.WriteString(c, text) }() // the server may close it first
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	var head strings.Builder
	_ = r.Header.Write(&head)
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	return r.StatusCode, head.String() + "\n" + string(body)
}

// get sends a GET request with header lines, the Host among them.
func get(t *testing.T, s *Server, path string, headers ...string) (int, string) {
	t.Helper()
	if len(headers) == 0 || !strings.HasPrefix(headers[0], "Host:") {
		headers = append([]string{"Host: " + s.listener.Addr().String()}, headers...)
	}
	return raw(t, s, "GET "+path+" HTTP/1.1\r\n"+strings.Join(headers, "\r\n")+"\r\nConnection: close\r\n\r\n")
}

// An event is one that a server has sent.
type event struct {
	name, id string
	Order    []string
	Parts    map[string]string
	Over     bool
	Line     string
}

// A follower follows events: those of the page, and lines if it wants them.
type follower struct {
	t     *testing.T
	conn  net.Conn
	in    *bufio.Reader
	lines bool
}

// follow asks for events since a painting.
func follow(t *testing.T, s *Server, since int) *follower {
	t.Helper()
	c, err := s.dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	fmt.Fprintf(c, "GET /events?run=%s&since=%d HTTP/1.1\r\nHost: localhost\r\n\r\n", s.run, since)
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%s, %s", r.Status, r.Header.Get("Content-Type"))
	}
	return &follower{t: t, conn: c, in: bufio.NewReader(r.Body)}
}

// next returns the next event; ok is false if there are no more.
func (f *follower) next() (e event, ok bool) {
	f.t.Helper()
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return e, false
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			if e.name == "line" {
				e.Line = value
			} else if err := json.Unmarshal([]byte(value), &e); err != nil {
				f.t.Fatal(err)
			}
		case "":
			if e.name == "page" || e.name == "line" && f.lines {
				return e, true
			}
			e = event{}
		}
	}
}

// until polls until something is so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not so: %s", what)
		}
	}
}
