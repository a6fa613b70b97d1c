package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist"
)

func TestProgressText(t *testing.T) {
	p := untwist.Progress{Stage: "cbo", Queries: 1_234_567, Budget: 5_000_000, Best: 844.15812}
	want := "cbo  1,234,567 of 5,000,000 queries  best 844.158  123,456/s  at most 31s left"
	if got := progressText(p, 10*time.Second); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A budget that would take centuries, and a line too long for the terminal.
func TestLongProgress(t *testing.T) {
	p := untwist.Progress{Stage: "cbo", Queries: 1, Budget: 9e18}
	if got := progressText(p, time.Second); !strings.HasSuffix(got, "at most long left") {
		t.Errorf("%q", got)
	}
	if cut("abcdef", 3) != "abc" || cut("ab", 3) != "ab" || cut("ab", -1) != "" {
		t.Error("a line is not cut to its width")
	}
}

// Where standard error is no terminal, nothing is shown.
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

func TestInfinityIsNullInJSON(t *testing.T) {
	text, err := json.Marshal([]finite{1.5, finite(math.Inf(1)), finite(math.Inf(-1))})
	if err != nil || string(text) != "[1.5,null,null]" {
		t.Errorf("%s, %v", text, err)
	}
}
