package cluster

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/internal/query"
)

// A process of a simulated cluster takes a chunk from the queue and hands its values in when
// they are there. Both take a while.
type process struct {
	worker string
	speed  float64
	chunk  *wire.Chunk
	takes  float64 // seconds a point of the chunk takes
	done   time.Time
}

// A cast is the processes of a simulated cluster. A point takes seconds at speed 1.
type cast struct {
	*world
	procs   []*process
	travel  time.Duration // of a message
	seconds func(query int) float64
	values  []arrival
}

// An arrival is values under way.
type arrival struct {
	values *wire.Values
	at     time.Time
}

// newCast makes a cluster of processes with these speeds, so many of each worker.
func newCast(perWorker int, travel time.Duration, seconds func(query int) float64, speeds ...float64) *cast {
	c := &cast{world: newWorld(1), travel: travel, seconds: seconds}
	for i, s := range speeds {
		c.procs = append(c.procs, &process{worker: string(rune('A' + i/perWorker)), speed: s})
	}
	c.greet()
	return c
}

// greet lets all workers say hello.
func (c *cast) greet() {
	procs, working := map[string]int{}, map[string][]int{}
	for _, p := range c.procs {
		procs[p.worker]++
		if p.chunk != nil {
			working[p.worker] = append(working[p.worker], p.chunk.First)
		}
	}
	for name, n := range procs {
		c.hello(name, n, working[name]...)
	}
}

// run runs a batch of n points, and returns how long it takes.
func (c *cast) run(first, n int) time.Duration {
	began, tick := c.now, c.now
	b := c.begin(first, n, func(int) bool { return false })
	for b.left > 0 {
		for _, p := range c.procs {
			if p.chunk == nil && len(c.queued) > 0 {
				p.chunk, c.queued = c.queued[0], c.queued[1:]
				p.takes = 0
				for i := range p.chunk.Len() {
					p.takes += c.seconds(p.chunk.First+i) / p.speed
				}
				p.done = c.now.Add(c.travel + time.Duration(p.takes*float64(time.Second)))
			}
		}
		next := tick.Add(tickEvery)
		for _, p := range c.procs {
			if p.chunk != nil && p.done.Before(next) {
				next = p.done
			}
		}
		for _, a := range c.values {
			if a.at.Before(next) {
				next = a.at
			}
		}
		c.now = next
		c.happen()
		if !c.now.Before(tick.Add(tickEvery)) {
			tick = c.now
			c.greet()
			c.desk.tick(c.now)
		}
	}
	c.desk.end()
	return c.now.Sub(began)
}

// happen lets happen what is due.
func (c *cast) happen() {
	for _, p := range c.procs {
		if p.chunk != nil && !p.done.After(c.now) {
			v := evaluated(p.chunk, p.worker, firstOf, p.takes/float64(p.chunk.Len()))
			c.values = append(c.values, arrival{v, c.now.Add(c.travel)})
			p.chunk = nil
		}
	}
	slices.SortStableFunc(c.values, func(a, b arrival) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	for len(c.values) > 0 && !c.values[0].at.After(c.now) {
		c.desk.take(c.values[0].values, c.now)
		c.values = c.values[1:]
	}
}

// Little time is lost to messages and to waiting for the last chunk of a batch: 16 processes
// with evaluations of 10 ms reach 95 % of the ideal over one batch of 20,000, and in pieces
// as a run asks for them.
func TestProcessesAreBusy(t *testing.T) {
	const all, each = 20_000, 0.01
	for _, n := range []int{all, query.ChunkRows} {
		c := newCast(8, time.Millisecond, func(int) float64 { return each }, slices.Repeat([]float64{1}, 16)...)
		took := time.Duration(0)
		for first := 1; first <= all; first += n {
			took += c.run(first, min(n, all+1-first))
		}
		if share := all * each / 16 / took.Seconds(); share < 0.95 {
			t.Errorf("batches of %d: %.1f %% of the ideal", n, 100*share)
		}
	}
}

// A process that is ten times slower than 19 others does not hold up a batch of 100: neither
// the first, when nobody knows how long a point takes, nor later ones, when it still works on
// what nobody needs any more. It may be a worker of its own or a process among others.
func TestStragglers(t *testing.T) {
	speeds := slices.Repeat([]float64{1}, 20)
	for place := range speeds {
		for _, perWorker := range []int{20, 1} {
			speeds := slices.Clone(speeds)
			speeds[place] = 0.1
			c := newCast(perWorker, time.Millisecond, func(int) float64 { return 1 }, speeds...)
			for k := range 5 {
				if times := c.run(1+100*k, 100).Seconds() / (100 / 19.1); times > 1.5 {
					t.Errorf("process %d of workers of %d is slow: batch %d takes %.2f times the ideal", place, perWorker, k+1, times)
				}
			}
		}
	}
}
