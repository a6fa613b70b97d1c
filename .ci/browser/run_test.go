package browser

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An outcome is what a run prints, as far as pages show it.
type outcome struct {
	Best       float64   `json:"best_value"`
	Mean       *float64  `json:"value_mean"` // where there is noise
	Value      string    `json:"value_name"`
	Point      []float64 `json:"best_point"`
	Parameters []struct {
		Value any `json:"value"` // a word, of a choice
	} `json:"parameters"`
	Queries int `json:"queries"`
	Failed  int `json:"failed_queries"`
}

// A process is a run that goes on.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout bytes.Buffer
	url    string // of its live page
	done   chan error
}

// begin starts untwist, whose simulator pauses before every value, and waits until it says where
// it can be looked at, if it is to.
func begin(t *testing.T, pause time.Duration, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(untwist, args...), done: make(chan error, 1)}
	p.cmd.Dir = t.TempDir()
	p.cmd.Env = append(os.Environ(), "UNTWIST_SIMULATE="+pause.String())
	p.cmd.Stdout = &p.stdout
	stderr, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(&all, lines.Text())
			if _, at, ok := strings.Cut(lines.Text(), "looked at with a browser: "); ok {
				told <- strings.Fields(at)[0]
			}
		}
		close(told)
		if err := p.cmd.Wait(); err != nil {
			p.done <- fmt.Errorf("%w: %s", err, all.String())
		}
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		for range p.done { // until it has ended
		}
	})
	p.url = <-told
	return p
}

// end waits for the end of a run, and returns what it has printed.
func (p *process) end() (o outcome) {
	p.t.Helper()
	if err := <-p.done; err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal(p.stdout.Bytes(), &o); err != nil {
		p.t.Fatalf("%v: %s", err, p.stdout.String())
	}
	return o
}

// facts returns the most important numbers of a page.
func (b *browser) facts() map[string]string {
	b.t.Helper()
	return js[map[string]string](b, `Object.fromEntries([...document.querySelectorAll(".facts > div")].map(d => [d.querySelector("dt").textContent, d.querySelector("dd").textContent]))`)
}

// number reads a number as a page writes it: 1,234 or −1.5×10⁻⁷.
func number(t *testing.T, text string) float64 {
	t.Helper()
	words := strings.Fields(plain.Replace(text))
	if len(words) == 0 {
		t.Fatalf("%q is no number", text)
	}
	v, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		t.Fatalf("%q is no number: %v", text, err)
	}
	return v
}

// plain writes numbers as Go does; 10⁻⁵ has no factor before it.
var plain = strings.NewReplacer(",", "", "−", "-", "×10", "e", "10⁻", "1e-", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// queries is how many queries the page says there were.
func (b *browser) queries() int { return int(number(b.t, b.facts()["Queries"])) }

// agree compares what a page shows with the JSON object, to the six digits shown.
func (b *browser) agree(o outcome) {
	b.t.Helper()
	same := func(what, text string, want float64) {
		b.t.Helper()
		if got := number(b.t, text); math.Abs(got-want) > 0.6e-5*math.Abs(want) {
			b.t.Errorf("%s: the page says %s, the JSON object %v", what, text, want)
		}
	}
	facts := b.facts()
	quantity := cmp.Or(o.Value, "value")
	best, what := o.Best, "Best "+quantity
	if o.Mean != nil {
		best, what = *o.Mean, "Mean "+quantity+" at the best point"
	}
	same("best value", facts[what], best)
	same("queries", facts["Queries"], float64(o.Queries))
	same("failed", facts["Failed"], float64(o.Failed))
	rows := js[[]string](b, `[...document.querySelectorAll("#best tbody tr")].map(r => r.querySelector("td.number").textContent)`)
	if len(rows) != len(o.Point) {
		b.t.Fatalf("%d parameters, and the JSON object has %d", len(rows), len(o.Point))
	}
	for i, text := range rows {
		if len(o.Parameters) > 0 {
			if word, is := o.Parameters[i].Value.(string); is {
				if text != word {
					b.t.Errorf("parameter %d: the page says %s, the JSON object %s", i+1, text, word)
				}
				continue
			}
		}
		same(fmt.Sprintf("parameter %d", i+1), text, o.Point[i])
	}
}

// pictures writes what a page looks like into the folder SCREENSHOTS, if that is given.
func pictures(t *testing.T, name string, data []byte) {
	t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
