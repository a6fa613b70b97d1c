package main

import (
	"context"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/live"
	"github.com/untwist/untwist/internal/report/page"
)

// serve begins to serve the page of a run to browsers, if --live was given, and says where.
func (f *runFlags) serve(p *paper, s subject, line *progressLine, o *untwist.Options, probe bool) error {
	if f.live == "" {
		return nil
	}
	access, err := f.crew.access(f.crew.server == "")
	if err != nil {
		return err
	}
	config := live.Config{Address: f.live, Token: access.Token, Insecure: access.Insecure, Title: s.words.Name, Style: page.Style()}
	if access.TLS != nil && access.TLS.Certificates != nil { // else it is for a server that we connect to
		config.TLS = access.TLS
	}
	if s.known != nil {
		s.known = new(*s.known) // more of it is found out at the end
	}
	config.Page = func(state live.State) live.Page {
		run := report.Run{Subject: s.words, Known: s.known, Result: state.Result, Took: state.Now.Sub(state.Began)}
		run.Result.Queries += state.Answers
		run.Result.Failed += state.Failed
		return p.complete(page.Page{Run: run, Probe: probe, Running: true})
	}
	server, err := live.Listen(config)
	if err != nil {
		return flagged("--live", err)
	}
	p.live, line.live = server, server
	o.Progress = both(server.Show, o.Progress)
	text := "the run can be looked at with a browser: " + server.URL()
	if access.Token != "" {
		text += " (it asks for the token in " + f.crew.token + ")"
	}
	line.note(text)
	return nil
}

// both tells two of the progress, of which the second may be nil.
func both(first, second func(untwist.Progress)) func(untwist.Progress) {
	if second == nil {
		return first
	}
	return func(p untwist.Progress) {
		first(p)
		second(p)
	}
}

// close ends what shows the page while a run goes on. Those who look get the page of the end, if
// there is one. A signal that comes meanwhile ends the wait; one that has ended the run does not.
func (p *paper) close(ctx context.Context) {
	if p == nil || p.live == nil {
		return
	}
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	p.live.Close(ctx)
}
