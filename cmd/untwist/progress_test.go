package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/experiment"
)

// What is left of a line in narrower and narrower terminals: whole parts, the least
// important gone first.
func TestProgressParts(t *testing.T) {
	p := untwist.Progress{Stage: "cbo", Queries: 1_234_567, Budget: 5_000_000, Best: 7.03152e-14}
	parts := searchParts(p, 10*time.Second)
	for _, c := range []struct {
		width int
		want  string
	}{
		{1000, "cbo  1,234,567 of 5,000,000 queries  best 7.03152e-14  123,456/s  at most 31s left"},
		{82, "cbo  1,234,567 of 5,000,000 queries  best 7.03152e-14  123,456/s  at most 31s left"},
		{81, "cbo  1,234,567 of 5,000,000 queries  best 7.03152e-14  at most 31s left"},
		{70, "1,234,567 of 5,000,000 queries  best 7.03152e-14  at most 31s left"},
		{60, "1,234,567 of 5,000,000 queries  best 7.03152e-14"},
		{47, "best 7.03152e-14"},
		{16, "best 7.03152e-14"},
		{15, ""},
		{0, ""},
		{-1, ""},
	} {
		if got := fit(parts, c.width); got != c.want {
			t.Errorf("in %d columns: %q, want %q", c.width, got, c.want)
		}
	}
}

// However wide the terminal is, a line fits and consists of whole parts.
func TestPartsAreWhole(t *testing.T) {
	parts := gridParts(experiment.Progress{Tally: experiment.Tally{Done: 3, Total: 2380}, Left: 90 * time.Second})
	for width := range 100 {
		line := fit(parts, width)
		if len(line) > width {
			t.Errorf("%q is wider than %d", line, width)
		}
		for _, text := range strings.Split(line, "  ") {
			if text != "" && !slices.ContainsFunc(parts, func(p part) bool { return p.text == text }) {
				t.Errorf("%q is cut from %v", text, parts)
			}
		}
	}
	if got, want := fit(parts, 35), "3 of 2,380 runs  about 1m30s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is not known is left out, and counts of 1 are singular.
func TestOddProgress(t *testing.T) {
	for want, p := range map[string]untwist.Progress{
		"cbo  1 of 9,000,000,000,000,000,000 queries  best 0  1 s each  over 1,000 h left": {Stage: "cbo", Queries: 1, Budget: 9e18},
		"0 of 1 query": {Budget: 1, Best: math.Inf(1)},
	} {
		if got := fit(searchParts(p, time.Second), 1000); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := fit(searchParts(untwist.Progress{Queries: 1, Budget: 2}, 0), 1000); got != "1 of 2 queries  best 0" {
		t.Errorf("in no time: %q", got)
	}
	if got := ofRuns(experiment.Tally{Done: 1, Total: 1}); got != "1 of 1 run" {
		t.Errorf("%q", got)
	}
}

// Where standard error is not a terminal, nothing is shown.
func TestNoProgressWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	line := newProgressLine(&out, false)
	line.shown = time.Time{}
	line.show(untwist.Progress{Stage: "cbo", Queries: 1, Budget: 2})
	line.clear()
	if out.Len() > 0 {
		t.Errorf("shown: %q", out.String())
	}
}
