package program

import (
	"testing"
	"time"
)

// A program that leaves out answers must not shift the others.
func TestAProgramThatLeavesOutAnswers(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		if !*long && kind.config.Protocol != Lines { // each waits for two timeouts
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			c := speaker(t, kind.config.Protocol, 3)
			c.EOF = kind.config.EOF
			r := newRig(t, c, short)
			good := scattered(200, 3) // so that many points are sent ahead
			check(t, good, r.mustAsk(good), nil)
			r.config.Timeout = time.Second
			why := "timeout: no answer within 1s"
			if c.EOF {
				why = "no_number: gave no answer"
			}
			please := make([]float64, 40)
			please[20] = pleaseSkip
			points := asking(please...)
			check(t, points, r.mustAsk(points), map[int]string{20: why})
		})
	}
}
