package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
	"golang.org/x/term"
)

// A progressLine is one line at the bottom of a terminal that says how a long run is
// going. Where standard error is not a terminal, nothing is shown.
type progressLine struct {
	terminal *os.File // nil: there is none
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

// show writes how a search is going, unless the line was written a moment ago.
func (l *progressLine) show(p untwist.Progress) {
	now := time.Now()
	if l.terminal == nil || now.Sub(l.shown) < refresh {
		return
	}
	l.shown = now
	l.write(searchParts(p, now.Sub(l.began)))
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

// clear takes the line away.
func (l *progressLine) clear() {
	if l.terminal != nil {
		fmt.Fprint(l.terminal, "\r\x1b[K")
	}
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

// searchParts are the stage, the queries of the budget, the best value, the speed and the
// time left.
func searchParts(p untwist.Progress, took time.Duration) []part {
	best := ""
	if !math.IsInf(p.Best, 1) {
		best = fmt.Sprintf("best %.6g", p.Best)
	}
	speed, left := "", ""
	if rate := float64(p.Queries) / took.Seconds(); rate > 0 && !math.IsInf(rate, 1) {
		speed = words.Thousands(int(rate)) + "/s"
		left = timeLeft(float64(p.Budget-p.Queries) / rate)
	}
	queries := words.Thousands(p.Queries) + " of " + words.Count(p.Budget, "query", "queries")
	return []part{{p.Stage, 4}, {queries, 2}, {best, 1}, {speed, 5}, {left, 3}}
}

// timeLeft says how many seconds are left at most.
func timeLeft(seconds float64) string {
	if seconds >= (1000 * time.Hour).Seconds() {
		return "over 1,000 h left"
	}
	return "at most " + time.Duration(seconds*float64(time.Second)).Round(time.Second).String() + " left"
}
