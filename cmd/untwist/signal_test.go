//go:build unix

package main

import (
	"context"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/untwist/untwist"
)

// A signal in the middle of a run: the best so far is printed, and the status is that of
// the signal.
func TestSignals(t *testing.T) {
	for signal, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		batches := 0
		f := squares{before: func(ctx context.Context) {
			if batches++; batches == 3 {
				if err := syscall.Kill(os.Getpid(), signal); err != nil {
					t.Error(err)
				}
				<-ctx.Done()
			}
		}}
		cmd, stdout, stderr := quietly()
		flags := minimizeFlags{strategy: "cbo", runFlags: runFlags{chosen: untwist.Options{Budget: math.MaxInt}}}
		err := flags.minimize(cmd, nil, foreign(f), newProgressLine(stderr, true))
		if ended, ok := err.(signalled); !ok || ended.status() != status {
			t.Errorf("%v: ended by %v, want status %d", signal, err, status)
		}
		if text := stdout.String(); !strings.Contains(text, "status      cancelled\nbest value  ") {
			t.Errorf("%v: printed %q", signal, text)
		}
	}
}
