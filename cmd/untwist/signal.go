package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
// program.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(signalled{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
