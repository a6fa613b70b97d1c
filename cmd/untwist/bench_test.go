package main

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// bench is a program that speaks the protocol lines: the sum of (x−1)² + 0.1·sin-like ripples
// over mixed coordinates. It keeps a log of what it was asked, in the file BENCH_LOG, and
// takes so long for each point as BENCH_PAUSE says. It is wrong at a share BENCH_WRONG of all
// points, always the same.
func bench() {
	pause, _ := time.ParseDuration(os.Getenv("BENCH_PAUSE"))
	wrong, _ := strconv.ParseFloat(os.Getenv("BENCH_WRONG"), 64)
	log, err := os.OpenFile(os.Getenv("BENCH_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	never := make(chan struct{})
	for in.Scan() {
		sum, before := 0., 0.
		for _, word := range strings.Fields(in.Text()) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				os.Exit(1)
			}
			y := v - 1 + before/2
			sum += y*y + 0.1*y*y*y*y
			before = v
		}
		fmt.Fprintln(log, in.Text()) // one write: a line is in the log as a whole or not at all
		if pause > 0 {
			select {
			case <-time.After(pause):
			case <-never:
			}
		}
		if float64(crc32.ChecksumIEEE(in.Bytes())) < wrong*(1<<32) {
			sum += 1e-9
		}
		fmt.Println(sum)
	}
}

// benchIn puts bench into a folder, and returns where it is. What is there is a script that becomes
// this test: all processes of a run take the digest of their program, and this test is large.
func benchIn(t *testing.T, dir string) string {
	t.Helper()
	link := filepath.Join(dir, "test", "bench") // TestMain goes by the name
	script := filepath.Join(dir, "bench")
	self, err := os.Executable()
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Dir(link), 0o755), os.Symlink(self, link), os.WriteFile(script, []byte("#!/bin/sh\nexec '"+link+"'\n"), 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// logged returns how often each line is in a log.
func logged(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(text)) {
		lines[strings.TrimSpace(line)]++
	}
	return lines
}
