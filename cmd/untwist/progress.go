package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/report/live"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"golang.org/x/term"
	"gonum.org/v1/gonum/mat"
)

// A progressLine is one line at the bottom of a terminal that says how a long run is
// going. Where standard error is not a terminal, nothing is shown. Its methods may be
// called by several goroutines at once.
type progressLine struct {
	stderr   io.Writer
	terminal *os.File // nil: there is none
	began    time.Time

	crew atomic.Pointer[func() string] // says who evaluates; nil: this program does
	live *live.Server                  // is told of answers, too; nil: there is none

	mu      sync.Mutex
	shown   time.Time
	latest  untwist.Progress // what the run has said last
	answers int              // that came since then
	failed  int              // of these
	present string           // who evaluates
	stop    func()           // ends the goroutine that refreshes the line; nil: there is none
}

// refresh is how often the line is written anew.
const refresh = 100 * time.Millisecond

func newProgressLine(stderr io.Writer, quiet bool) *progressLine {
	now := time.Now()
	line := &progressLine{stderr: stderr, began: now, shown: now}
	if file, ok := stderr.(*os.File); ok && !quiet && term.IsTerminal(int(file.Fd())) {
		line.terminal = file
	}
	return line
}

// start shows the line from now on, also while a batch is evaluated, until it is cleared.
func (l *progressLine) start() {
	l.began = time.Now()
	if l.terminal == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	l.stop = func() { cancel(); running.Wait() }
	running.Go(func() {
		again := time.NewTicker(refresh)
		defer again.Stop()
		for {
			select {
			case <-again.C:
				who := l.who() // not under the lock: those who answer may be telling it something
				l.mu.Lock()
				l.present = who
				l.again()
				l.mu.Unlock()
			case <-ctx.Done():
				return
			}
		}
	})
}

func (l *progressLine) who() string {
	if crew := l.crew.Load(); crew != nil {
		return (*crew)()
	}
	return ""
}

// show writes how a search is going, unless the line was written a moment ago.
func (l *progressLine) show(p untwist.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest, l.answers, l.failed = p, 0, 0
	l.again()
}

// answered counts an answer that came within a batch.
func (l *progressLine) answered(failed bool) {
	if l.live != nil {
		l.live.Answered(failed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers++
	if failed {
		l.failed++
	}
}

// again writes what is known of a search, unless the line was written a moment ago or
// nothing is known.
func (l *progressLine) again() {
	now := time.Now()
	p := l.latest
	p.Queries += l.answers
	p.Failed += l.failed
	if p.Queries == 0 || l.terminal == nil || now.Sub(l.shown) < refresh/2 {
		return
	}
	if p.Budget == 0 { // the first batch is not complete
		p.Best = math.Inf(1)
	}
	l.shown = now
	parts := searchParts(p, now.Sub(l.began))
	l.write(append(parts, part{l.present, 8}))
}

// write writes as many of the parts as the terminal has room for: a line that wraps could
// not be taken away again.
func (l *progressLine) write(parts []part) {
	if l.terminal == nil {
		return
	}
	width := math.MaxInt
	if w, _, err := term.GetSize(int(l.terminal.Fd())); err == nil && w > 0 { // 0: not known
		width = w - 1
	}
	fmt.Fprint(l.terminal, "\r"+fit(parts, width)+"\x1b[K")
}

// note says something in a line of its own, above the progress.
func (l *progressLine) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := ""
	if l.terminal != nil {
		before = "\r\x1b[K"
	}
	fmt.Fprintf(l.stderr, "%suntwist: %s\n", before, text)
}

// clear takes the line away.
func (l *progressLine) clear() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
	if l.terminal != nil {
		fmt.Fprint(l.terminal, "\r\x1b[K")
	}
}

// watch returns the subject's objective. The answers of a program are counted as they come,
// since a batch of slow ones takes long.
func (l *progressLine) watch(s subject) objective.Objective {
	if s.program == nil {
		return s.objective
	}
	return watched{s.program, l}
}

// A watched program tells a progress line of its answers.
type watched struct {
	*program.Objective
	line *progressLine
}

func (w watched) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	return w.Objective.Each(ctx, points, values, func(i int, a objective.Answer) {
		w.line.answered(query.FailureOf(a) != nil)
		tell(i, a)
	})
}

// A part of a progress line is shown as a whole or not at all.
type part struct {
	text string
	rank int // 1: the most important
}

// fit joins parts in their order. While the line is too wide, the least important part is
// left out.
func fit(parts []part, width int) string {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.text == "" })
	for {
		texts := make([]string, len(parts))
		least := 0
		for i, p := range parts {
			texts[i] = p.text
			if p.rank > parts[least].rank {
				least = i
			}
		}
		if line := strings.Join(texts, "  "); utf8.RuneCountInString(line) <= width || len(parts) == 0 {
			return line
		}
		parts = slices.Delete(parts, least, least+1)
	}
}

// searchParts are the stage, the queries of the budget, the best value, the failures, the
// speed, and the times: so far, and left.
func searchParts(p untwist.Progress, took time.Duration) []part {
	best := ""
	if !math.IsInf(p.Best, 1) {
		best = fmt.Sprintf("best %.6g", p.Best)
	}
	speed, left, failed := "", "", ""
	queries := words.Count(p.Queries, "query", "queries")
	if p.Budget > 0 {
		queries = words.Thousands(p.Queries) + " of " + words.Count(p.Budget, "query", "queries")
	}
	if rate := float64(p.Queries) / took.Seconds(); rate > 0 && !math.IsInf(rate, 1) {
		speed = words.Thousands(int(rate)) + "/s"
		if rate < 10 {
			speed = fmt.Sprintf("%.2g s each", 1/rate)
		}
		if p.Budget > 0 {
			left = timeLeft(float64(p.Budget-p.Queries) / rate)
		}
	}
	if p.Failed > 0 {
		failed = words.Thousands(p.Failed) + " failed"
	}
	return []part{{p.Stage, 5}, {queries, 2}, {best, 1}, {failed, 3}, {speed, 6}, {soFar(took), 7}, {left, 4}}
}

// soFar says how long a run takes already, from a minute on.
func soFar(took time.Duration) string {
	if took < time.Minute {
		return ""
	}
	return "since " + took.Round(time.Second).String()
}

// timeLeft says how many seconds are left at most.
func timeLeft(seconds float64) string {
	if seconds >= (1000 * time.Hour).Seconds() {
		return "over 1,000 h left"
	}
	return "at most " + time.Duration(seconds*float64(time.Second)).Round(time.Second).String() + " left"
}
