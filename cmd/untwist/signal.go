package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// A signalled error says that a signal has ended a run. What was found is printed by
// then.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return "ended by a signal: " + s.signal.String() }

// status is the exit status, as a shell gives it to a program that a signal has killed:
// 130 for SIGINT and 143 for SIGTERM.
func (s signalled) status() int { return 128 + int(s.signal) }

// untilSignal returns a context that ends with the first SIGINT or SIGTERM, so that a run
// can end in good order. Its cause is then a signalled error. A second signal kills the
// program, unless it comes at once.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			cancel(signalled{s.(syscall.Signal)})
			time.Sleep(echoes)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// echoes is how long a signal that comes again is taken for the same one. The command
// timeout sends it to the program and then to its process group, and whoever passes Ctrl-C
// on sends it to a program that the terminal has told already.
const echoes = 500 * time.Millisecond
