package query

import (
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// perDecade is how many samples a curve has between 10^k and 10^(k+1) queries,
// where there are that many whole numbers.
const perDecade = 20

// A Curve is a number at log-spaced numbers of queries. Its zero value has no samples.
type Curve struct {
	samples []objective.Sample
	next    int // the number of queries at which it is sampled next
}

// Note notes the number after one query more. It becomes a sample if it is time for one, or if
// somebody wants it.
func (c *Curve) Note(queries int, value float64, wanted bool) {
	due := queries == max(c.next, 1)
	if due || wanted {
		c.samples = append(c.samples, objective.Sample{Queries: queries, Value: value})
	}
	if due {
		c.next = max(queries+1, int(math.Ceil(float64(queries)*math.Pow(10, 1./perDecade))))
	}
}

// Samples returns the samples, the last of which is the present state.
func (c *Curve) Samples(queries int, value float64) []objective.Sample {
	all := slices.Clip(c.samples)
	if n := len(all); queries > 0 && (n == 0 || all[n-1].Queries < queries) {
		all = append(all, objective.Sample{Queries: queries, Value: value})
	}
	return all
}
