package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// fast is a program that speaks the protocol binary in ten dimensions: a sum of squares with
// ripples.
func fast() {
	head, dim := make([]byte, 4), 10
	for {
		if _, err := io.ReadFull(os.Stdin, head); err != nil {
			return
		}
		n := int(binary.LittleEndian.Uint32(head))
		points, values := make([]byte, 8*n*dim), make([]byte, 0, 8*n)
		if _, err := io.ReadFull(os.Stdin, points); err != nil {
			return
		}
		for i := range n {
			sum := 0.0
			for j := range dim {
				x := math.Float64frombits(binary.LittleEndian.Uint64(points[8*(i*dim+j):]))
				sum += x*x + 1 - math.Cos(5*x)
			}
			values = binary.LittleEndian.AppendUint64(values, math.Float64bits(sum))
		}
		if _, err := os.Stdout.Write(values); err != nil {
			return
		}
	}
}

// A taken sample of a process: how many queries its journal has about, and what it holds.
type sample struct{ journal, kilobytes, files int64 }

// holds returns what a process holds: memory and open files.
func holds(pid int) (kilobytes, files int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	_, rss, _ := strings.Cut(string(text), "\nVmRSS:")
	if fields := strings.Fields(rss); len(fields) > 0 {
		kilobytes, err = strconv.ParseInt(fields[0], 10, 64)
	}
	open, err2 := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err == nil {
		err = err2
	}
	return kilobytes, int64(len(open)), err
}

// A long run of a program, with a journal, a page, and a viewer who comes and goes: what it holds
// does not grow. By default these are a hundred thousand queries; with -whole, ten million.
func TestSoak(t *testing.T) {
	t.Parallel()
	budget, slack := 100_000, int64(32<<10) // kilobytes, since a short run is hardly warm
	if *flags.Whole {
		budget, slack = 10_000_000, 8<<10
	}
	s := newSite(t, strconv.Itoa(budget))
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(s.dir, "fast")) // TestMain goes by the name
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.dir, "run.journal")
	run := s.start(t, "soak", "minimize", "--protocol", "binary", "--exec", "./fast", "--dim", "10", "--bounds", "-5:5", "--strategy", "cbo",
		"--particles", "2000", "--budget", strconv.Itoa(budget), "--journal", file, "--json", "--live", "127.0.0.1:0")
	url := livePage(t, run)
	var samples []sample
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-run.ended:
			over = true
		case <-tick.C:
			if kilobytes, files, err := holds(run.Process.Pid); err == nil && kilobytes > 0 {
				samples = append(samples, sample{length(file), kilobytes, files})
			}
			if len(samples)%10 == 0 { // a viewer; none is there when the run has ended
				if a, err := http.Get(url); err == nil {
					io.Copy(io.Discard, a.Body)
					a.Body.Close()
				}
			}
		}
	}
	var result struct{ Queries int }
	if err := json.Unmarshal([]byte(run.out.String()), &result); err != nil || result.Queries != budget {
		t.Fatalf("%d queries, %v: %s", result.Queries, err, run.err.String())
	}
	// The most that it holds in the second and in the last quarter.
	var early, late sample
	whole := length(file)
	for _, m := range samples {
		for q, most := range map[int64]*sample{1: &early, 3: &late} {
			if 4*m.journal/whole == q {
				most.kilobytes, most.files = max(most.kilobytes, m.kilobytes), max(most.files, m.files)
			}
		}
	}
	t.Logf("%d samples; in the second quarter %d kB and %d files, in the last %d kB and %d files", len(samples),
		early.kilobytes, early.files, late.kilobytes, late.files)
	if early.kilobytes == 0 || late.kilobytes == 0 {
		t.Fatal("there are too few samples")
	}
	if late.kilobytes > early.kilobytes*5/4+slack || late.files > early.files+4 {
		t.Error("it grows")
	}
}
