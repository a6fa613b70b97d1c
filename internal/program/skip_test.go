package program

import (
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// A program that leaves out answers must not shift the others.
func TestAProgramThatLeavesOutAnswers(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		if !*flags.Whole && kind.config.Protocol != Lines { // each waits for two timeouts
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			c := speaker(t, kind.config.Protocol, 3)
			c.EOF = kind.config.EOF
			r := newRig(t, c, short)
			good := scattered(200, 3) // so that many points are sent ahead
			check(t, good, r.mustAsk(good), nil)
			why := "no_number: gave no answer" // with EOF
			if !c.EOF {
				r.config.Timeout = time.Second
				why = "timeout: no answer within 1s"
			}
			points := asking(0, 0, 0, pleaseSkip, 0, 0, 0, 0, 0, 0)
			check(t, points, r.mustAsk(points), map[int]string{3: why})
		})
	}
}
