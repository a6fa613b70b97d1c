package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
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
// ripples. Whenever it is asked it notes in the file samples what the process holds whose number
// is in the file pid.
func fast() {
	samples, err := os.Create("samples")
	if err != nil {
		os.Exit(1)
	}
	for range time.Tick(time.Millisecond) { // the number is written when the process has begun
		if _, _, err := holds("pid"); err == nil {
			break
		}
	}
	head, dim := make([]byte, 4), 10
	for asked := 0; ; {
		if _, err := io.ReadFull(os.Stdin, head); err != nil {
			return
		}
		n := int(binary.LittleEndian.Uint32(head))
		asked += n
		if kilobytes, files, err := holds("pid"); err == nil && kilobytes > 0 {
			fmt.Fprintln(samples, asked, kilobytes, files)
		}
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

// holds returns what the process holds whose number is in a file: memory and open files.
func holds(pid string) (kilobytes, files int64, err error) {
	number, err := os.ReadFile(pid)
	if err != nil {
		return 0, 0, err
	}
	process := filepath.Join("/proc", string(number))
	text, err := os.ReadFile(filepath.Join(process, "status"))
	if err != nil {
		return 0, 0, err
	}
	_, rss, _ := strings.Cut(string(text), "\nVmRSS:")
	if fields := strings.Fields(rss); len(fields) > 0 {
		kilobytes, err = strconv.ParseInt(fields[0], 10, 64)
	}
	open, err2 := os.ReadDir(filepath.Join(process, "fd"))
	return kilobytes, int64(len(open)), errors.Join(err, err2)
}

// A long run of a program, with a journal, a page, and a viewer who comes and goes: what it holds
// does not grow. These are ten thousand queries, usually a hundred thousand, and with -whole ten million.
func TestSoak(t *testing.T) {
	t.Parallel()
	budget, slack := flags.Usually(100_000, 10_000), int64(32<<10) // kilobytes, since a short run is hardly warm
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
	run := s.start(t, "soak", "minimize", "--protocol", "binary", "--exec", "./fast", "--dim", "10", "--bounds", "-5:5", "--strategy", "cbo",
		"--particles", "2000", "--budget", strconv.Itoa(budget), "--journal", "run.journal", "--json", "--live", "127.0.0.1:0")
	if err := os.WriteFile(filepath.Join(s.dir, "pid"), []byte(strconv.Itoa(run.Process.Pid)), 0o644); err != nil {
		t.Fatal(err)
	}
	url := livePage(t, run)
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for over := false; !over; {
		select {
		case <-run.ended:
			over = true
		case <-look.C: // a viewer; none is there when the run has ended
			if a, err := http.Get(url); err == nil {
				io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
		}
	}
	var result struct{ Queries int }
	if err := json.Unmarshal([]byte(run.out.String()), &result); err != nil || result.Queries != budget {
		t.Fatalf("%d queries, %v: %s", result.Queries, err, run.err.String())
	}
	samples, err := os.ReadFile(filepath.Join(s.dir, "samples"))
	if err != nil {
		t.Fatal(err)
	}
	type most struct{ kilobytes, files int64 }
	var quarters [4]most
	for line := range strings.Lines(string(samples)) {
		var asked int
		var m most
		if _, err := fmt.Sscan(line, &asked, &m.kilobytes, &m.files); err != nil {
			t.Fatal(err)
		}
		q := &quarters[4*(asked-1)/budget]
		q.kilobytes, q.files = max(q.kilobytes, m.kilobytes), max(q.files, m.files)
	}
	early, late := quarters[1], quarters[3]
	t.Logf("%d samples; in the second quarter %d kB and %d files, in the last %d kB and %d files",
		strings.Count(string(samples), "\n"), early.kilobytes, early.files, late.kilobytes, late.files)
	if early.kilobytes == 0 || late.kilobytes == 0 {
		t.Fatal("there are too few samples")
	}
	if late.kilobytes > early.kilobytes*5/4+slack || late.files > early.files+4 {
		t.Error("it grows")
	}
}
