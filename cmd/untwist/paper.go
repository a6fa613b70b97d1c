package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/live"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A paper is the page of --report and --live that is made of a run, and what is kept for it
// while the run goes on. A nil paper keeps nothing and writes nothing.
type paper struct {
	file     string
	space    parameter.Space
	watch    *page.Watch
	seen     *sensitivity.Seen
	atOnce   int
	settings []page.Setting
	command  string
	live     *live.Server // nil: nobody can look
}

// paper returns the page of a run of a subject; nil if none is wanted. It finds out whether it
// can be written, and has the run show its queries.
func (f *runFlags) paper(cmd *cobra.Command, s subject, o *untwist.Options) (*paper, error) {
	if f.report == "" && f.live == "" && !f.sensitivity {
		return nil, nil
	}
	if err := writable("--report", f.report); err != nil {
		return nil, err
	}
	p := &paper{file: f.report, space: searched(s, *o), atOnce: max(1, f.chosen.Workers, f.subject.program.Procs), settings: f.settings(s, *o)}
	if f.crew.wanted() {
		p.atOnce = 0 // workers come and go
	}
	if s.caller == nil {
		p.command = "untwist " + cmd.Root().Annotations[arguments]
	}
	p.look()
	o.Seen = p.see
	return p, nil
}

// look begins to look at queries, and forgets those of before.
func (p *paper) look() {
	p.watch, p.seen = page.NewWatch(p.space), sensitivity.NewSeen(len(p.space))
}

// see takes notice of a query.
func (p *paper) see(query int, point []float64, a objective.Answer) {
	p.watch.See(query, point, a)
	p.seen.See(query, point, a)
}

// indices say how much each parameter matters: along the coordinates that were certified, or, where
// there are none, by a polynomial of all parameters.
func (p *paper) indices(found untwist.Result) *sensitivity.Indices {
	run := sensitivity.Run{Space: p.space, Seen: p.seen}
	if s := found.Structure; s != nil && s.Frame != nil && s.Certificate.Verdict != certify.NotSeparable && s.Certificate.Verdict != certify.Unknown {
		run.Frame, run.Blocks, run.Map, run.Profiles = s.Frame, s.Blocks, s.Map, found.Profiles
	}
	if n := found.Noise; n != nil {
		run.Sigma = n.Sigma
	}
	return new(sensitivity.Of(run))
}

// searched returns the parameters of a subject. Those without names are x1, x2, … with their
// limits.
func searched(s subject, o untwist.Options) parameter.Space {
	if s.space != nil {
		return s.space
	}
	space := plainSpace(s.objective.Dim(), o.Start, o.Bounds)
	if s.caller != nil {
		for i, name := range countedFrom0(len(space)).Names() {
			space[i].Name = name
		}
	}
	return space
}

// plainSpace returns parameters x1, x2, … with their limits and where to look first.
func plainSpace(dim int, start, bounds objective.Box) parameter.Space {
	if start.IsZero() && bounds.IsZero() {
		start = objective.Cube(dim, -5, 5) // the library's default
	}
	space := parameter.Plain(dim)
	for i := range space {
		space[i].Min, space[i].Max = side(bounds, i)
		space[i].Low, space[i].High = side(start, i)
	}
	return space
}

// settings are those that a page does not know by itself.
func (f *runFlags) settings(s subject, o untwist.Options) (all []page.Setting) {
	add := func(name string, given bool, format string, values ...any) {
		if given {
			all = append(all, page.Setting{Name: name, Value: fmt.Sprintf(format, values...)})
		}
	}
	if s.space == nil {
		start, limits := boxInWords(o.Start), boxInWords(o.Bounds)
		add("Where to look first", start != "", "%s", start)
		add("Limits", limits != "", "%s", limits)
	}
	add("Known points", len(o.Points) > 0, "%s", words.Thousands(len(o.Points)))
	if o.Target != nil {
		add("Target", true, "%v", *o.Target)
	}
	add("Tolerance", o.Tolerance > 0, "%v", o.Tolerance)
	add("Time allowed", o.Time > 0, "%v", o.Time)
	add("Planned for", o.Parallel > 1, "%s at the same time", words.Count(o.Parallel, "evaluation", "evaluations"))
	add("Noise given", o.NoiseLevel > 0, "%v", o.NoiseLevel)
	add("Journal", o.Journal.File != "", "%s", o.Journal.File)
	if s.caller != nil {
		add("Arguments", s.caller.hello.Arguments != "", "%s", s.caller.hello.Arguments)
	}
	return all
}

// boxInWords writes a box whose sides are all the same, and otherwise says that they are not;
// "" if there is none.
func boxInWords(b objective.Box) string {
	if b.IsZero() {
		return ""
	}
	for i := range b.Lo {
		if b.Lo[i] != b.Lo[0] || b.Hi[i] != b.Hi[0] {
			return "different for each parameter"
		}
	}
	return words.Number(b.Lo[0], 6) + " to " + words.Number(b.Hi[0], 6)
}

// complete adds what was kept to a page.
func (p *paper) complete(out page.Page) page.Page {
	out.Parameters, out.Evaluations = p.space, p.watch.Evaluations()
	out.Evaluations.AtOnce = p.atOnce
	out.Settings, out.Command, out.Version = p.settings, p.command, store.Version()
	return out
}

// found writes the page of a run, if one is wanted and a query was answered.
func (p *paper) found(of page.Page) error {
	if p == nil || of.Run.Result.Queries == 0 {
		return nil
	}
	return p.write(of)
}

// write writes and shows the page of a run that is over, with what was kept.
func (p *paper) write(of page.Page) error {
	watched := p.live != nil && p.live.Watched()
	if p.file == "" && !watched { // for whom?
		return nil
	}
	of = p.complete(of)
	if of.Run.Sensitivity == nil {
		of.Run.Sensitivity = p.indices(of.Run.Result)
	}
	if watched {
		p.live.Finish(of)
	}
	if p.file == "" {
		return nil
	}
	var out bytes.Buffer
	err := of.Write(&out)
	if err == nil {
		err = atomicfile.Write(p.file, out.Bytes())
	}
	return flagged("--report", err)
}

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
		run.Result.Budget = max(run.Result.Budget, o.Budget) // before the first batch is complete the run has said nothing
		return p.complete(page.Page{Run: run, Probe: probe, Running: true, Stage: state.Stage, Allowed: o.Time})
	}
	server, err := live.Listen(config)
	if err != nil {
		return flagged("--live", err)
	}
	p.live, line.live = server, server
	shows := o.Progress
	o.Progress = func(p untwist.Progress) {
		server.Show(p)
		if shows != nil {
			shows(p)
		}
	}
	text := "the run can be looked at with a browser: " + server.URL()
	if access.Token != "" {
		text += " (it asks for the token in " + f.crew.token + ")"
	}
	line.note(text)
	return nil
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
