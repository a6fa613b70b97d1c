// Package store keeps the runs of an experiment in one file of JSON lines. Each run is written
// as it finishes, so that an experiment that is killed can continue where it stopped. Start with
// Open, which refuses the store of another experiment.
//
// A run is stored completely or not at all, whatever kills the program: a last line without its
// end does not count, and the next run takes its place. Several programs may use one store at the
// same time; if two of them finish the same run, the first one is kept. The first line of the
// file says which experiment it is, and each of the others is a run.
package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/untwist/untwist/objective"
)

// A Key identifies a run.
type Key struct {
	Problem string `json:"problem"`
	Method  string `json:"method"`
	Seed    uint64 `json:"seed"`
}

// A Run is what the store keeps of a finished run.
type Run struct {
	Key
	Status  string  `json:"status"` // why it stopped
	Gap     float64 `json:"-"`      // how far the best value is above the known minimum
	Queries int     `json:"queries"`
	Reached int     `json:"reached"` // the first query with the gap that was asked for, or 0
	Seconds float64 `json:"seconds"` // how long it took
	Own     float64 `json:"own"`     // the part of Seconds that the method took, and not the function
	Rounds  int     `json:"rounds"`  // how many batches it asked for one after another; 0: nobody counted
	Version string  `json:"version"` // of the program that made it

	// Recovered is how many components of the true frame were found; -1 if there is no
	// frame to compare.
	Recovered int `json:"recovered"`
	// Curve is the least gap at log-spaced numbers of queries, and at every query that was the
	// first at or below a target, or a gap 10^(k/5), k whole. The gap is that of the clean
	// function: before its map, its noise and its rounding. Where the minimum is not known, it
	// is the value.
	Curve []objective.Sample `json:"-"`
	// Frame is the frame that was found, as JSON, if other runs start from this one.
	Frame json.RawMessage `json:"frame,omitempty"`
}

// A line is a run in the file.
type line struct {
	Run
	Gap   *float64     `json:"gap"` // null: +Inf
	Curve [][2]float64 `json:"curve"`
}

// lineOf returns the line of a run. Samples that are not finite are left out of its curve.
func lineOf(r Run) line {
	l := line{Run: r, Curve: [][2]float64{}}
	if !math.IsInf(r.Gap, 1) {
		l.Gap = &r.Gap
	}
	for _, c := range r.Curve {
		if !math.IsInf(c.Value, 0) && !math.IsNaN(c.Value) {
			l.Curve = append(l.Curve, [2]float64{float64(c.Queries), c.Value})
		}
	}
	return l
}

func (l line) run() Run {
	r := l.Run
	if r.Gap = math.Inf(1); l.Gap != nil {
		r.Gap = *l.Gap
	}
	for _, p := range l.Curve {
		r.Curve = append(r.Curve, objective.Sample{Queries: int(p[0]), Value: p[1]})
	}
	return r
}

// A Store is one file of runs. It is safe for concurrent use.
type Store struct {
	path  string
	about map[string]string // the settings by name
	still bool              // it is only read

	mu    sync.Mutex
	file  *os.File
	end   int64         // of the lines that were read
	lines int           // how many there are
	runs  map[Key]place // where they are
}

// A place is where a line is in the file.
type place struct{ from, to int64 }

// Setting returns the value of a setting with which the store was made, "" if there is none.
func (s *Store) Setting(name string) string { return s.about[name] }

// Close closes the store.
func (s *Store) Close() error { return s.file.Close() }

// Put stores a run. If it is already there, nothing changes.
func (s *Store) Put(ctx context.Context, r Run) error {
	if s.still {
		return fmt.Errorf("%s is only read", s.path)
	}
	text, err := json.Marshal(lineOf(r))
	if err != nil {
		return s.wrap(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locked(ctx, func() error {
		if err := s.read(); err != nil {
			return err
		}
		if _, there := s.runs[r.Key]; there {
			return nil
		}
		return s.append(text)
	})
}

// Get returns a run with everything that is stored of it, and whether it is there.
func (s *Store) Get(_ context.Context, k Key) (r Run, there bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(); err != nil {
		return r, false, err
	}
	at, there := s.runs[k]
	if !there {
		return r, false, nil
	}
	r, err = s.at(at)
	return r, err == nil, err
}

// All returns all runs, without their frames, in the order of problem, method and seed.
func (s *Store) All(ctx context.Context) ([]Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(); err != nil {
		return nil, err
	}
	all := make([]Run, 0, len(s.runs))
	for _, at := range s.runs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, err := s.at(at)
		if err != nil {
			return nil, err
		}
		r.Frame = nil
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Seed, b.Seed))
	})
	return all, nil
}

func (s *Store) at(p place) (Run, error) {
	text := make([]byte, p.to-p.from)
	if _, err := s.file.ReadAt(text, p.from); err != nil && err != io.EOF {
		return Run{}, s.wrap(err)
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Run{}, fmt.Errorf("%s: damaged: a line that was a run is none any more", s.path)
	}
	return l.run(), nil
}

// wrap names the file in an error.
func (s *Store) wrap(err error) error {
	var named *os.PathError
	if err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

// released is the version of a program that is built without what the go command knows of the
// repository; its linker sets it:
//
//	go build -buildvcs=false -ldflags "-X github.com/untwist/untwist/internal/store.released=$(git describe --always)" ./cmd/untwist
var released string

// Version returns the version of this module with which the program was built: a tag, or the
// commit. By go run, by go test and with -buildvcs=false it is not known, and Version says so.
var Version = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && released == "" {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == "github.com/untwist/untwist" && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return cmp.Or(released, "(devel) of an unknown commit")
})
