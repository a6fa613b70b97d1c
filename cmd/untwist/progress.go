package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/untwist/untwist"
	"golang.org/x/term"
)

// A progressLine is one line at the bottom of a terminal that says how a long
// run is going. Where standard error is no terminal it shows nothing.
type progressLine struct {
	out   io.Writer
	began time.Time
	shown time.Time
}

// refresh is how often the line is written anew.
const refresh = 100 * time.Millisecond

func newProgressLine(stderr io.Writer, quiet bool) *progressLine {
	now := time.Now()
	line := &progressLine{out: io.Discard, began: now, shown: now}
	if file, ok := stderr.(*os.File); ok && !quiet && term.IsTerminal(int(file.Fd())) {
		line.out = stderr
	}
	return line
}

// show writes the line, unless it was written a moment ago.
func (l *progressLine) show(p untwist.Progress) {
	now := time.Now()
	if l.out == io.Discard || now.Sub(l.shown) < refresh {
		return
	}
	l.shown = now
	fmt.Fprint(l.out, "\r"+progressText(p, now.Sub(l.began))+"\x1b[K")
}

// clear takes the line away.
func (l *progressLine) clear() {
	if l.out != io.Discard {
		fmt.Fprint(l.out, "\r\x1b[K")
	}
}

// progressText is stage, queries of budget, best value, speed and time left.
func progressText(p untwist.Progress, took time.Duration) string {
	rate := float64(p.Queries) / took.Seconds()
	left := time.Duration(float64(p.Budget-p.Queries) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s  %s of %s queries  best %.6g  %s/s  at most %s left",
		p.Stage, thousands(p.Queries), thousands(p.Budget), p.Best, thousands(int(rate)), left)
}
