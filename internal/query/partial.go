package query

import "github.com/untwist/untwist/objective"

// Evaluated returns how many values at the front of a batch are known after
// Evaluate has returned err: all of them where err is nil.
func Evaluated(values []float64, err error) int {
	done, _ := progress(len(values), err)
	return done
}

// progress returns how many values of a batch of n are known after err, and how
// many points were evaluated.
func progress(n int, err error) (done, spent int) {
	if err == nil {
		return n, n
	}
	partial, ok := err.(*objective.PartialError) // one inside another error speaks of another batch
	if !ok {
		return 0, 0
	}
	done = min(max(partial.Done, 0), n)
	return done, min(max(partial.Spent, done), n)
}

// partial returns err for a whole batch, of which done values are known and spent
// points were evaluated. It replaces what err says about a part of that batch.
func partial(done, spent int, err error) error {
	return &objective.PartialError{Done: done, Spent: spent, Err: objective.Cause(err)}
}

// Unfinished returns the error of a batch that err has ended when these of its values were known.
func Unfinished(known []bool, err error) error {
	p := &objective.PartialError{Err: err}
	for i, k := range known {
		if k {
			p.Spent++
			if p.Done == i {
				p.Done++
			}
		}
	}
	return p
}
