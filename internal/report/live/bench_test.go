package live

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/problem"
)

// finished is a run of a hundred parameters, whose page has everything.
func finished(b *testing.B) (all []untwist.Progress, r untwist.Result) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 100, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	r, err = untwist.Minimize(b.Context(), p, untwist.Options{Seed: 1, Progress: func(p untwist.Progress) {
		soFar := p.SoFar()
		p.SoFar = func() untwist.Result { return soFar }
		all = append(all, p)
	}})
	if err != nil {
		b.Fatal(err)
	}
	return all, r
}

// paper is the page of a run.
func paper(r untwist.Result, running bool) Page {
	return page.Page{Run: report.Run{Subject: report.Subject{Name: "rastrigin", Dim: 100}, Result: r}, Running: running}
}

// What an event costs, made of the page of a run of 100 parameters: to make, to write and to
// send it. s/event is how often there is one, and so ms/s what viewers cost in a second. A
// viewer more costs only the sending.
func BenchmarkEvent(b *testing.B) {
	all, _ := finished(b)
	s := serve(b, func(c *Config) { c.Page = func(s State) Page { return paper(s.Result, true) } })
	s.Show(all[len(all)-1])
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() { // a browser
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}()
	c, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	p, err := s.look()
	if err != nil {
		b.Fatal(err)
	}
	sent := 0
	last := p.number
	for b.Loop() {
		s.state.answers++
		s.state.latest.Queries++
		s.state.number++
		s.easel.at = time.Time{} // as if the time were over
		if p, err = s.look(); err != nil {
			b.Fatal(err)
		}
		text := p.event(last)
		last, sent = p.number, len(text)
		if _, err := c.Write(text); err != nil {
			b.Fatal(err)
		}
	}
	pace := s.easel.pace().Seconds()
	b.ReportMetric(pace, "s/event")
	b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N)/pace, "ms/s")
	b.ReportMetric(float64(sent), "bytes/event")
	b.ReportMetric(float64(len(s.frame.html(p))), "bytes/page")
}

// What the whole page costs, which is made when something was learnt and at the end.
func BenchmarkWholePage(b *testing.B) {
	_, r := finished(b)
	for b.Loop() {
		var p painting
		if err := p.whole(nil, paper(r, false)); err != nil {
			b.Fatal(err)
		}
	}
}

// What a batch costs the run, with and without a viewer.
func BenchmarkShow(b *testing.B) {
	all, _ := finished(b)
	s := serve(b, func(c *Config) { c.Page = func(s State) Page { return paper(s.Result, true) } })
	for b.Loop() {
		s.Show(all[len(all)-1])
	}
}
