package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
	"golang.org/x/term"
)

// A progressLine is one line at the bottom of a terminal that says how a long
// run is going. Where standard error is no terminal it shows nothing.
type progressLine struct {
	terminal *os.File // nil: none
	began    time.Time
	shown    time.Time
}

// refresh is how often the line is written anew.
const refresh = 100 * time.Millisecond

func newProgressLine(stderr io.Writer, quiet bool) *progressLine {
	now := time.Now()
	line := &progressLine{began: now, shown: now}
	if file, ok := stderr.(*os.File); ok && !quiet && term.IsTerminal(int(file.Fd())) {
		line.terminal = file
	}
	return line
}

// show writes how a search goes, unless the line was written a moment ago.
func (l *progressLine) show(p untwist.Progress) {
	now := time.Now()
	if l.terminal == nil || now.Sub(l.shown) < refresh {
		return
	}
	l.shown = now
	l.write(progressText(p, now.Sub(l.began)))
}

// write writes the line.
func (l *progressLine) write(text string) {
	if l.terminal == nil {
		return
	}
	if width, _, err := term.GetSize(int(l.terminal.Fd())); err == nil && width > 0 { // 0: not known
		text = cut(text, width-1)
	}
	fmt.Fprint(l.terminal, "\r"+text+"\x1b[K")
}

// clear takes the line away.
func (l *progressLine) clear() {
	if l.terminal != nil {
		fmt.Fprint(l.terminal, "\r\x1b[K")
	}
}

// cut returns the first width characters of an ASCII text: a line that wraps
// could not be taken away.
func cut(text string, width int) string { return text[:max(0, min(width, len(text)))] }

// progressText is stage, queries of budget, best value, speed and time left.
func progressText(p untwist.Progress, took time.Duration) string {
	rate := float64(p.Queries) / took.Seconds()
	left := "long"
	if seconds := float64(p.Budget-p.Queries) / rate; seconds < (1000 * time.Hour).Seconds() {
		left = time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%s  %s of %s queries  best %.6g  %s/s  at most %s left",
		p.Stage, words.Thousands(p.Queries), words.Thousands(p.Budget), p.Best, words.Thousands(int(rate)), left)
}
