package experiment

import (
	"testing"

	"github.com/untwist/untwist/internal/store"
)

// The time left assumes that the runs of each cell take as long as they did so far.
func TestTimeLeft(t *testing.T) {
	g := complete(t, Table1{Dim: 5, Runs: 4, Methods: []string{"cbo", "transformed", "componentwise"}, Problems: []string{"rastrigin"}})
	var told []Progress
	w := newWatch(g.Grid(), nil, 2, func(p Progress) { told = append(told, p) })
	key := func(method string, seed uint64) store.Key {
		return store.Key{Problem: "rastrigin d=5 mix=paper", Method: method, Seed: seed}
	}
	w.begin(key("cbo", 0))
	w.end(key("cbo", 0), 10)
	w.end(key("identification", 0), 40)
	w.end(key("transformed", 0), 4)
	left := []float64{
		-1,
		// 3 runs of cbo, 4 of each of the two others, and 4 frames, all 10 seconds.
		(3*10 + 8*10 + 4*10) / 2.,
		// The others are expected to take the average of these two.
		(3*10 + 8*25 + 3*40) / 2.,
		(3*10 + 3*4 + 4*18 + 3*40) / 2.,
	}
	for i, p := range told {
		if got := p.Left.Seconds(); got != left[i] && i > 0 || i == 0 && p.Left >= 0 || p.Total != 12 {
			t.Errorf("notice %d: %v left, want %v seconds", i, p.Left, left[i])
		}
	}
	if len(told) != 4 || told[3].Done != 2 {
		t.Errorf("%+v", told)
	}
	// A watch that begins later knows the same.
	known := []store.Run{
		{Key: key("cbo", 0), Seconds: 10}, {Key: key("identification", 0), Seconds: 40}, {Key: key("transformed", 0), Seconds: 44},
		{Key: store.Key{Problem: "rastrigin d=5 mix=paper", Method: "cbo", Seed: 9}, Seconds: 1e9}, // not in this grid
	}
	if again := newWatch(g.Grid(), known, 2, nil); again.left() != told[3].Left || again.done != 2 {
		t.Errorf("%v left, %d done", again.left(), again.done)
	}
}
