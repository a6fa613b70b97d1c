//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/untwist/untwist/problem"
)

// A signal is heard while a built-in problem is made: its matrix takes d³ steps.
func TestASignalEndsTheMakingOfAProblem(t *testing.T) {
	ours := make(chan os.Signal, 1) // before it listens, the signal does not kill this test
	signal.Notify(ours, syscall.SIGTERM)
	defer signal.Stop(ours)
	done := make(chan error, 1)
	go func() {
		_, err := makeProblem(problem.Spec{Name: "rastrigin", Dim: 1000}, 0)
		done <- err
	}()
	again := time.NewTicker(time.Millisecond) // until it listens
	defer again.Stop()
	for {
		select {
		case err := <-done:
			if !errors.Is(err, signalled{syscall.SIGTERM}) {
				t.Errorf("it ends by %v", err)
			}
			return
		case <-again.C:
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
}
