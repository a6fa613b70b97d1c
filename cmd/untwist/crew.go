package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/canon"
	"github.com/untwist/untwist/internal/cluster"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A crew is an objective whose points workers evaluate. To the run it is the same function as
// the subject's own: its journal is the same, whoever evaluates.
type crew struct {
	subject
	flags       *crewFlags
	line        *progressLine
	journal     string
	believe     bool            // failures, although no point has succeeded
	server      *cluster.Server // nil: it is not ours
	coordinator *cluster.Coordinator
}

func (c *crew) Dim() int     { return c.objective.Dim() }
func (c *crew) Numbers() int { return query.NumbersOf(c.objective) }

func (c *crew) Description() any {
	if d, ok := c.objective.(objective.Described); ok {
		return d.Description()
	}
	return nil
}

// Blemished and Clean are those of a built-in problem.
func (c *crew) Blemished() bool { return query.CleanOf(c.objective) != nil }

// Clean evaluates without blemishes, here.
func (c *crew) Clean(ctx context.Context, points *mat.Dense, values []float64) error {
	return query.CleanOf(c.objective).Evaluate(ctx, points, values)
}

func (c *crew) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return c.Each(ctx, points, values, func(int, objective.Answer) {})
}

func (c *crew) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	return c.coordinator.Each(ctx, points, values, func(i int, a objective.Answer) {
		c.line.answered(query.FailureOf(a) != nil)
		tell(i, a)
	})
}

// Opened begins to listen for workers, when the journal is open.
func (c *crew) Opened(j *journal.Journal) error {
	run, err := cluster.ParseRunID(j.ID())
	if err != nil {
		return err
	}
	access, err := c.flags.access(c.flags.listen != "")
	if err != nil {
		return err
	}
	about, err := c.about()
	if err != nil {
		return err
	}
	config := cluster.Config{
		Run: run, Dim: c.Dim(), About: about, Name: c.words.Name, Flush: j.Flush, Note: c.line.note, Believe: c.believe, Verify: c.flags.verify,
	}
	if config.Success, err = succeeded(c.journal); err != nil {
		return err
	}
	if c.flags.listen == "" {
		config.Invite = c.invite(c.flags.server, access)
		c.coordinator, err = cluster.Coordinate(c.flags.server, access, config)
	} else {
		if c.server, err = cluster.Listen(run, c.flags.listen, access); err != nil {
			return err
		}
		config.Invite = c.invite(c.server.URL(), access)
		c.line.note("workers can come; start one with: " + config.Invite)
		c.coordinator, err = c.server.Coordinate(config)
	}
	if err != nil {
		return errors.Join(err, c.server.Close())
	}
	shown := func() string { return crewInWords(c.coordinator.Status()) }
	c.line.crew.Store(&shown)
	return nil
}

// succeeded returns a query of a journal that has succeeded; nil: there is none, or its points
// are not in the journal.
func succeeded(file string) (found *cluster.Success, err error) {
	_, err = readUntil(file, func(q journal.Query) bool {
		if q.Point != nil && !math.IsInf(q.Value, 1) {
			found = &cluster.Success{Query: q.Number, Point: slices.Clone(q.Point), Value: q.Value, By: q.By}
		}
		return found != nil
	})
	return found, err
}

// errEnough ends the reading of a journal.
var errEnough = errors.New("that is enough")

// readUntil reads a journal until enough says so.
func readUntil(file string, enough func(journal.Query) bool) (journal.Summary, error) {
	summary, err := journal.Read(file, func(q journal.Query) error {
		if enough(q) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return summary, err
}

// invite is the command that starts a worker.
func (c *crew) invite(url string, access cluster.Access) string {
	if host, err := os.Hostname(); err == nil { // every address of this machine
		url = strings.NewReplacer("//0.0.0.0:", "//"+host+":", "//[::]:", "//"+host+":").Replace(url)
	}
	parts := []string{"untwist", "worker", c.words.Name, "--server", url}
	if c.program == nil || !strings.HasSuffix(c.words.Name, ".toml") {
		parts[2] = "…"
	}
	text := program.Quote(parts)
	switch {
	case c.flags.user != "": // workers are another user
		text += " --user … --token-file …"
	case c.flags.token != "":
		text += " --token-file " + program.Quote([]string{c.flags.token})
	}
	trust := c.flags.trust
	if c.flags.listen != "" && ownSigned(access) {
		trust = c.flags.cert
	}
	if trust != "" {
		text += " --tls-ca " + program.Quote([]string{trust})
	}
	if c.flags.insecure {
		text += " --insecure"
	}
	return text
}

// over reports whether a run has come to its end, and not only to that of its time.
func over(s objective.Status) bool { return s != objective.Cancelled && s != objective.TimeSpent }

// close sends the workers home if the run is over, and says which of them were wrong. If the
// run is to go on later, workers wait for it.
func (c *crew) close(cmd *cobra.Command, over bool) error {
	if c == nil || c.coordinator == nil {
		return nil
	}
	if over {
		c.coordinator.Done()
	} else {
		c.coordinator.Close()
	}
	differ := c.coordinator.Differences()
	for _, d := range differ {
		note(cmd, "%v", &d)
	}
	err := c.server.Close()
	if n := c.coordinator.Status().Differ; n > 0 {
		err = fmt.Errorf("workers had different values for %s; the first that came were used", words.Count(n, "point", "points"))
	}
	return err
}

// about is what a worker must evaluate: the function and its parameters, but for where the
// program is on this machine.
func (s subject) about() ([]byte, error) {
	form := struct {
		Problem    any               // or
		Program    *programElsewhere // these names are in what a worker is told if it differs
		Parameters parameter.Space
		Dim        int
	}{Parameters: s.space, Dim: s.objective.Dim()}
	d, ok := s.objective.(objective.Described)
	if !ok {
		return nil, errors.New("nobody can say which function this is")
	}
	form.Problem = d.Description()
	if p, ok := form.Problem.(program.Description); ok {
		form.Problem, form.Program = nil, elsewhere(p)
	}
	return canon.Marshal(form)
}

// A programElsewhere is a program wherever it is.
type programElsewhere struct {
	Arguments  []string
	Protocol   program.Protocol
	EOF        bool
	Result     string
	ResultFile string
	Contents   map[string]string // digests of files and templates, by names
}

// elsewhere returns what has to be the same on all machines. A program that is found in PATH
// belongs to its machine, and may be another version there; one of the user's own may not.
func elsewhere(p program.Description) *programElsewhere {
	e := &programElsewhere{
		Arguments: p.Exec[1:], Protocol: p.Protocol, EOF: p.EOF, Result: p.Result, ResultFile: p.ResultFile,
		Contents: map[string]string{},
	}
	for _, t := range p.Templates {
		e.Contents["the template of "+t.Name] = t.Digest
	}
	for i, f := range p.Executable {
		if i > 0 || strings.ContainsRune(p.Exec[0], os.PathSeparator) {
			e.Contents[filepath.Base(f.Path)] = f.Digest
		}
	}
	return e
}
