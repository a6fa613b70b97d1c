package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"go.uber.org/goleak"
)

// A viewer sees what changes, what is learnt, and the end, and then is let go.
func TestFollow(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	s.Show(progress(1, nil))
	f := follow(t, s, 0)
	e, _ := f.next()
	if !slices.Equal(e.Order, []string{"summary"}) || e.Parts["summary"] != `<header id="summary">1 queries</header>` || e.Over {
		t.Fatalf("first %+v", e)
	}
	s.Answered(false)
	if e, _ = f.next(); e.Parts["summary"] != `<header id="summary">2 queries</header>` {
		t.Fatalf("an answer %+v", e)
	}
	learnt := &untwist.Structure{}
	s.Show(progress(10, learnt))
	if e, _ = f.next(); !slices.Equal(e.Order, []string{"summary", "learnt"}) || len(e.Parts) != 2 {
		t.Fatalf("learnt %+v", e)
	}
	if flags.Usual() { // each event takes a second
		s.Show(progress(20, learnt))
		if e, _ = f.next(); !slices.Equal(e.Order, []string{"summary", "learnt"}) || len(e.Parts) != 1 {
			t.Fatalf("nothing more was learnt %+v", e)
		}
	}
	late := follow(t, s, 0) // gets all at once
	if e, _ = late.next(); len(e.Parts) != 2 {
		t.Fatalf("late %+v", e)
	}
	s.Finish(sketch{state: State{Result: progress(30, learnt).SoFar()}, final: true})
	for _, f := range []*follower{f, late} {
		if e, _ = f.next(); !slices.Equal(e.Order, []string{"summary", "learnt", "report"}) || len(e.Parts) != 2 || !e.Over {
			t.Fatalf("the end %+v", e)
		}
		if e, ok := f.next(); ok {
			t.Fatalf("after the end %+v", e)
		}
	}
	status, answer := get(t, s, "/")
	if status != 200 || !strings.Contains(answer, "all is known") || strings.Contains(answer, "<script") || strings.Contains(answer, "refresh") {
		t.Errorf("the page of the end: %d\n%s", status, answer)
	}
}

// Before the first batch is complete no value is known.
func TestBeforeTheFirstBatch(t *testing.T) {
	s := serve(t, nil)
	s.Answered(false)
	s.Answered(true)
	state, _, _ := s.state.now()
	if r := state.Result; r.Queries != 0 || !math.IsInf(r.Value, 1) || r.Status != objective.Running || state.Answers != 2 || state.Failed != 1 {
		t.Errorf("%+v", state)
	}
	if line, _ := s.state.line(); line != "2 queries, 1 failed" {
		t.Error(line)
	}
}

// What a run says between two looks counts, too.
func TestUpToDate(t *testing.T) {
	r := progress(10, nil).SoFar()
	r.Stages = []untwist.Stage{{Stage: objective.Stage{Name: "search"}, Queries: 10}}
	now := upToDate(r, untwist.Progress{Queries: 15, Best: 0.01, Stage: "search"})
	if now.Queries != 15 || now.Value != 0.01 || len(now.Curve) != 2 || now.Curve[1] != (objective.Sample{Queries: 15, Value: 0.01}) || now.Stages[0].Queries != 15 || r.Stages[0].Queries != 10 {
		t.Errorf("%+v, %+v", now, r)
	}
	now = upToDate(r, untwist.Progress{Queries: 12, Best: 0.01, Stage: "polish"})
	if len(now.Stages) != 2 || now.Stages[1].Name != "polish" || now.Stages[1].Queries != 2 {
		t.Errorf("%+v", now.Stages)
	}
}

// Without a change nothing is painted, and without a viewer nothing either.
func TestOnlyWhenNeeded(t *testing.T) {
	made := 0
	s := serve(t, func(c *Config) { c.Page = func(s State) Page { made++; return sketch{state: s} } })
	for i := range 1000 {
		s.Show(progress(i+1, nil))
	}
	if s.easel.last != nil || made > 0 {
		t.Error("a page was made for nobody")
	}
	for range 10 {
		get(t, s, "/")
	}
	if made != 1 {
		t.Errorf("%d pages were made of one state", made)
	}
	s.Show(progress(2000, nil))
	for range 10 {
		get(t, s, "/")
	}
	if made > 2 {
		t.Errorf("%d pages were made at once", made)
	}
}

// A page that takes long to make is made seldom, and a line says meanwhile how far the run is.
func TestPace(t *testing.T) {
	t.Parallel()
	var e easel
	for _, c := range []struct{ cost, want time.Duration }{
		{0, shortest}, {time.Microsecond, shortest}, {50 * time.Microsecond, shortest}, {100 * time.Microsecond, time.Second},
		{time.Millisecond, 10 * time.Second}, {time.Second, longest},
	} {
		e.costs = [3]time.Duration{c.cost, time.Hour, c.cost}
		if got := e.pace(); (got - c.want).Abs() > time.Microsecond {
			t.Errorf("a page that takes %v is made every %v, want %v", c.cost, got, c.want)
		}
	}
	s := serve(t, nil)
	s.easel.costs = [3]time.Duration{time.Second, time.Second, time.Second}
	s.Show(progress(1, nil))
	f := follow(t, s, 0)
	f.lines = true
	if e, _ := f.next(); e.name != "page" {
		t.Fatalf("%+v", e)
	}
	p := progress(2, nil)
	p.Stage = "a\n\nevent: page\ndata: {}"
	s.Show(p)
	s.Answered(true)
	if e, _ := f.next(); e.Line != "3 of 1,000 queries, best value 0.5, 1 failed (a event: page data: {})" {
		t.Fatalf("%+v", e)
	}
}

// The page says nothing that a reader's browser would have to ask another machine for, may run
// nothing but our script, and works without it.
func TestPage(t *testing.T) {
	s := serve(t, nil)
	s.Show(progress(5, nil))
	_, answer := get(t, s, "/")
	for _, want := range []string{
		"<title>&lt;f&gt; – Untwist</title>", "5 queries", `<noscript><meta http-equiv="refresh" content="10"></noscript>`,
		"script-src " + hash(script) + ";", "style-src " + hash("p{color:red}"+looks) + ";", "connect-src 'self'",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("without %s:\n%s", want, answer)
		}
	}
	for _, never := range []string{"http://", "https://", "unsafe", " src=", "onclick", "style="} {
		if strings.Contains(answer, never) {
			t.Errorf("with %s:\n%s", never, answer)
		}
	}
}

// A viewer of an earlier run at the same address loads the page anew.
func TestAnotherRun(t *testing.T) {
	s := serve(t, nil)
	status, answer := get(t, s, "/events?run=another&since=9")
	if status != 200 || !strings.Contains(answer, "event: reload\n") {
		t.Errorf("%d\n%s", status, answer)
	}
}

// Viewers that come and go leave nothing behind: no goroutine, no connection, no place. Some
// leave in the middle, some never read, some wait for the end.
func TestNothingLeaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s, err := Listen(Config{Address: "127.0.0.1:0", Page: func(s State) Page { return sketch{state: s} }})
	if err != nil {
		t.Fatal(err)
	}
	running := runtime.NumGoroutine()
	s.Show(progress(1, nil))
	for round := range 20 {
		var all []*follower
		for range mostViewers {
			all = append(all, follow(t, s, 0))
		}
		s.Show(progress(round+2, nil))
		for i, f := range all {
			if i%2 == 0 {
				f.next()
			}
			f.conn.Close()
		}
		until(t, "all places are free", func() bool { s.viewers.mu.Lock(); defer s.viewers.mu.Unlock(); return s.viewers.n == 0 })
	}
	until(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= running })
	until(t, "no connections", func() bool { return s.connections.Load() == 0 })
	stuck := follow(t, s, 0) // it never reads
	defer stuck.conn.Close()
	s.Finish(sketch{final: true})
	s.Close(context.Background())
	goleak.VerifyNone(t, before)
}

// loud is a page that is larger than what the system keeps for a reader.
type loud struct{ n int }

func (p loud) WriteMain(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<section id="all">%d%s</section>`, p.n, strings.Repeat("x", 16<<20))
	return err
}
func (p loud) WriteChanging(w io.Writer) error { return p.WriteMain(w) }

// A viewer that never reads holds up nobody: neither the run, nor others, nor the end.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	n := 0
	s := serve(t, func(c *Config) { c.Page = func(State) Page { n++; return loud{n} } })
	s.Show(progress(1, nil))
	slow := follow(t, s, 0)
	defer slow.conn.Close()
	until(t, "the viewer is there", func() bool { s.viewers.mu.Lock(); defer s.viewers.mu.Unlock(); return s.viewers.n == 1 })
	for i := range 100_000 {
		s.Show(progress(i+2, nil))
		s.Answered(true)
	}
	if status, _ := get(t, s, "/", "Host: localhost"); status != 200 {
		t.Errorf("another viewer: %d", status)
	}
	s.Finish(loud{-1})
	s.farewell = 100 * time.Millisecond
	began := time.Now()
	s.Close(context.Background())
	if took := time.Since(began); took > 30*time.Second { // a hang, not a measure
		t.Errorf("it took %v to leave a viewer that never reads", took)
	}
}

// The end waits for a page that was just loaded and has not asked for events yet, and for
// nobody if nobody looks.
func TestEndWaits(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	s.Show(progress(1, nil))
	get(t, s, "/")
	s.Finish(sketch{final: true})
	closed := make(chan struct{})
	go func() { defer close(closed); s.Close(context.Background()) }()
	f := follow(t, s, 1)
	if e, _ := f.next(); !e.Over {
		t.Errorf("%+v", e)
	}
	<-closed
}

// The page of a run of five million queries (usually of 500,000, or 100,000) stays under 2 MB, at the end
// and before.
func TestFiveMillionQueries(t *testing.T) {
	t.Parallel()
	dim, budget, words := 10, 500_000, "500,000"
	if !flags.Usual() {
		budget, words = 100_000, "100,000"
	}
	if *flags.Whole {
		budget, words = 5_000_000, "5,000,000"
	}
	var sizes []int
	var s *Server
	paper := func(r untwist.Result, running bool) Page {
		return page.Page{Run: report.Run{Subject: report.Subject{Name: "f", Dim: dim}, Result: r}, Running: running}
	}
	s = serve(t, func(c *Config) {
		c.Style = page.Style()
		c.Page = func(s State) Page { return paper(s.Result, true) }
	})
	x := 0.0
	f := objective.Func(dim, func(p []float64) float64 { x++; return math.Sqrt(math.Abs(p[0])) + 1/x }) // it gets better all the time
	result, err := untwist.Minimize(t.Context(), f, untwist.Options{Strategy: strategy.CBO{}, Budget: budget, Progress: func(p untwist.Progress) {
		s.Show(p)
		if p.Queries > (len(sizes)+1)*budget/4 {
			_, answer := get(t, s, "/")
			sizes = append(sizes, len(answer))
		}
	}})
	if err != nil || result.Queries != budget {
		t.Fatal(result.Queries, err)
	}
	s.Finish(paper(result, false))
	_, answer := get(t, s, "/")
	sizes = append(sizes, len(answer))
	t.Logf("%d bytes, with %d samples", sizes, len(result.Curve))
	if slices.Max(sizes) >= 2_000_000 || !strings.Contains(answer, words) {
		t.Errorf("%d bytes", sizes)
	}
}

// What a server says when its address cannot be used is one line.
func TestCause(t *testing.T) {
	if got := cause(&net.OpError{Err: os.NewSyscallError("bind", errors.New("no"))}); got.Error() != "no" {
		t.Error(got)
	}
}
