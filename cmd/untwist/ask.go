package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
)

// askFlags are the flags of ask.
type askFlags struct {
	minimizeFlags
	n     int
	lease time.Duration
}

// The flags of minimize that ask has: those that decide the run, and those that may change.
var (
	decidingFlags = []string{
		"param", "dim", "bounds", "start", "x0", "from", "seed", "parallel", "noise-level", "strategy", "identifier", "road", "frame",
		"particles", "sigma", "tau", "alpha", "share", "cbo", "residuals", "output", "limit", "maximize",
	}
	changingFlags = []string{"budget", "target", "tolerance", "max-failures", "keep-going", "journal-points"}
)

// askCommand gives out points.
func askCommand() *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask RUN.journal [FILE.toml]",
		Short: "Ask for points to evaluate, for queues and scripts of your own",
		Args:  takes(1, 2, "the journal of a run and, the first time, maybe a problem file"),
		RunE:  f.run,
	}
	flags := cmd.Flags()
	flags.Var(count(&f.n), "n", "print at most so many points (default all that can be asked for now)")
	flags.Var(duration(&f.lease), "lease", "print these points to nobody else for this time: 90s, 10m, 2h (default: they may be printed again at once)")
	toggle(flags, &f.json, "json", "print the result as one JSON object, when the run is done")
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.register(all)
	all.SortFlags = false
	all.Lookup("dim").DefValue = ""
	all.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(decidingFlags, flag.Name) && !slices.Contains(changingFlags, flag.Name) {
			return
		}
		if usage := usageToAsk[flag.Name]; usage != "" {
			flag.Usage = usage
		}
		flags.AddFlag(flag)
	})
	return cmd
}

// usageToAsk explains flags for which minimize has more to say.
var usageToAsk = map[string]string{
	"param":  "`NAME=LO:HI` or NAME=WORD,WORD: a parameter with its limits, then :int for integers, :step=S for steps and :log for a logarithmic scale, or its choices; may be given several times, in order",
	"dim":    "number of parameters, which are then x1 … xN",
	"seed":   "all randomness follows from it",
	"start":  "`LO:HI` or FILE: where to look first; this is not a limit (default the bounds)",
	"budget": "the most points to ask for, 20000 or 2e4 for example",
	"target": "stop at this value of f",
}

// done says that there is nothing more to ask.
type done struct{}

func (done) Error() string { return "the run is done" }

func (f *askFlags) run(cmd *cobra.Command, args []string) error {
	from, err := readSource(cmd.Flags(), args[1:])
	if err != nil {
		return err
	}
	file := args[0]
	talk, err := f.conversation(cmd, from, file)
	if err != nil {
		return from.usage(err)
	}
	ctx, stop := untilSignal()
	defer stop()
	began := time.Now()
	var lines bytes.Buffer
	result, err := talk.play(ctx, func(j *journal.Journal, q question) error {
		return f.give(&lines, j, q, talk.space())
	})
	switch {
	case errors.Is(err, errPaused):
		_, err = cmd.OutOrStdout().Write(lines.Bytes())
		return err
	case ctx.Err() != nil:
		return err
	}
	found := report.Run{Subject: searchedIn(talk.options.Journal.File, talk.dim, talk.options.Parameters), Result: result, Took: time.Since(began)}
	if result.Queries > 0 && !errors.Is(err, untwist.ErrAllFailed) {
		err = cmp.Or(err, tell(cmd, found, f.json))
	}
	return cmp.Or[error](from.usage(err), done{})
}

// give writes points that are neither told nor out on lease.
func (f *askFlags) give(lines *bytes.Buffer, j *journal.Journal, q question, space parameter.Space) error {
	now := time.Now()
	n, _ := q.points.Dims()
	open := make([]int, n) // their IDs
	for i := range open {
		open[i] = q.number(i)
	}
	out := readLeases(j.Header().About).since(now).of(open)
	var ids []int
	for i, id := range open {
		if out.has(id) || f.n > 0 && len(ids) == f.n {
			continue
		}
		ids = append(ids, id)
		lines.WriteString(strconv.Itoa(id))
		for _, word := range texts(q.points.RawRowView(i), space) {
			lines.WriteString(" " + word)
		}
		lines.WriteByte('\n')
	}
	if f.lease == 0 || len(ids) == 0 {
		return nil
	}
	return out.add(ids, now.Add(f.lease)).keep(j)
}

// asked is what the header of a journal says about a conversation, besides what decides
// the run: how the strategy was named, and what may change.
type asked struct {
	Strategy string `json:",omitempty"`
	Road     string `json:",omitempty"`
	untwist.Knobs

	Budget                 int      `json:",omitempty"`
	Target                 *float64 `json:",omitempty"`
	Tolerance, MaxFailures float64  `json:",omitempty"`
	KeepGoing              bool     `json:",omitempty"`
	HashPoints             bool     `json:",omitempty"`
}

// asked returns what the flags say, and otherwise what was said earlier.
func (f *askFlags) asked(from *source, a asked) asked {
	if from.first(decidingFlags) != "" || from.file != nil {
		a.Strategy, a.Road, a.Knobs = f.strategy, f.road, f.knobs
	}
	o := f.chosen
	given := func(flag string, set func()) {
		if from.given(flag) {
			set()
		}
	}
	given("budget", func() { a.Budget = o.Budget })
	given("target", func() { a.Target = o.Target })
	given("tolerance", func() { a.Tolerance = o.Tolerance })
	given("max-failures", func() { a.MaxFailures = o.MaxFailures })
	given("keep-going", func() { a.KeepGoing = f.subject.program.KeepGoing })
	given("journal-points", func() { a.HashPoints = !f.points })
	return a
}

// apply sets the options.
func (a asked) apply(o *untwist.Options) (err error) {
	if o.Identifier, err = road(a.Road); err != nil {
		return err
	}
	if o.Strategy = nil; a.Strategy != "" {
		if o.Strategy, err = untwist.StrategyNamed(a.Strategy, a.Knobs); err != nil {
			return err
		}
	}
	o.Target, o.Tolerance, o.MaxFailures, o.KeepGoing = a.Target, a.Tolerance, a.MaxFailures, a.KeepGoing
	o.Journal.HashPoints = a.HashPoints
	if a.Budget > 0 {
		o.Budget = a.Budget
	}
	return nil
}

// recall returns the run of a journal, which may be one of the library.
func recall(file string, note func(string)) (*conversation, error) {
	summary, err := journal.Read(file, nil)
	if err != nil {
		return nil, unwrapped(err)
	}
	header, err := readDecided(summary.Header)
	switch {
	case err != nil:
		return nil, notSaid(file, err)
	case header.Objective != nil || header.Command != "minimize":
		return nil, fmt.Errorf("%s is the journal of a run that evaluates by itself, not of one that is asked and told: name another file", file)
	case summary.Numerics != untwist.Numerics:
		return nil, &journal.NumericsError{File: file, Was: summary.Numerics, Now: untwist.Numerics}
	}
	c := &conversation{dim: summary.Dim, note: note, options: header.options(), begun: header.Asked != nil}
	c.options.Journal = untwist.Journal{File: file, Note: note}
	if c.asked, err = header.again(); err != nil {
		return nil, fmt.Errorf("%s is the journal of a session in Go whose strategy has settings of its own: go on with it there", file)
	}
	return c, c.continues(file, summary)
}

// notSaid says that the header of a journal cannot be read.
func notSaid(file string, err error) error {
	return fmt.Errorf("%s does not say what is searched: %w", file, err)
}

// A lease says until when some queries in a row are given out to nobody else.
type lease struct {
	First, Last int
	Until       int64 // in milliseconds since 1970
}

// leases are all that count. They are in the header of the journal.
type leases []lease

// readLeases reads them. What cannot be read is no lease.
func readLeases(about []byte) leases {
	var header struct{ Leases leases }
	if json.Unmarshal(about, &header) != nil {
		return nil
	}
	return header.Leases
}

// since returns those that are not over.
func (l leases) since(now time.Time) leases {
	return slices.DeleteFunc(l, func(one lease) bool { return one.Until <= now.UnixMilli() })
}

// of returns those of some queries, whose numbers increase. Without the others the header of a
// journal stays short, however long somebody keeps a point of a batch.
func (l leases) of(queries []int) leases {
	return slices.DeleteFunc(l, func(one lease) bool {
		i, _ := slices.BinarySearch(queries, one.First)
		return i == len(queries) || queries[i] > one.Last
	})
}

// has reports whether a query is out on lease.
func (l leases) has(query int) bool {
	return slices.ContainsFunc(l, func(one lease) bool { return one.First <= query && query <= one.Last })
}

// add adds a lease of some queries, whose numbers increase.
func (l leases) add(queries []int, until time.Time) leases {
	for i, query := range queries {
		if i > 0 && query == queries[i-1]+1 {
			l[len(l)-1].Last = query
			continue
		}
		l = append(l, lease{query, query, until.UnixMilli()})
	}
	return l
}

func (l leases) keep(j *journal.Journal) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return j.Amend("Leases", text)
}

// leased returns how many points are out on lease and not told.
func (t tally) leased(now time.Time) int {
	l := readLeases(t.summary.About).since(now)
	if len(l) == 0 {
		return 0
	}
	n := 0
	for _, one := range l {
		n += one.Last - one.First + 1
	}
	_, _ = journal.Read(t.file, func(q journal.Query) error { // it has been read before
		if l.has(q.Number) {
			n--
		}
		return nil
	})
	return n
}
