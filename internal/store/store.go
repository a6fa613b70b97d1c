// Package store keeps the runs of an experiment in one SQLite file. Each run is written as
// it finishes, so that an experiment that is killed can continue where it stopped. Start
// with Open, which refuses the store of another experiment.
//
// A run is stored completely or not at all, whatever kills the program. Several programs
// may use one store at the same time; if two of them finish the same run, the first one is
// kept. Everything is in the table runs, which any SQLite program can read while it grows.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/untwist/untwist/objective"
	"modernc.org/sqlite" // registers the driver "sqlite"
)

// A Key identifies a run.
type Key struct {
	Problem, Method string
	Seed            uint64
}

// A Run is what the store keeps of a finished run.
type Run struct {
	Key
	Status  string  // why it stopped
	Gap     float64 // how far the best value is above the known minimum
	Queries int
	Reached int     // the first query with the gap that was asked for, or 0
	Seconds float64 // how long it took
	Own     float64 // the part of Seconds that the method took, and not the function
	Rounds  int     // how many batches it asked for one after another; 0: nobody counted
	Version string  // of the program that made it

	// Recovered is how many components of the true frame were found; -1 if there is no
	// frame to compare.
	Recovered int
	// Curve is the least gap at log-spaced numbers of queries, and at every query that was the
	// first at or below a target, or a gap 10^(k/5), k whole. The gap is that of the clean
	// function: before its map, its noise and its rounding. Where the minimum is not known, it
	// is the value.
	Curve []objective.Sample
	// Frame is the frame that was found, as JSON, if other runs start from this one.
	Frame []byte
}

// A Store is one file of runs. It is safe for concurrent use.
type Store struct {
	path  string
	db    *sql.DB
	about map[string]string // the settings by name
	still bool              // it is only read
}

// A Setting is one of the settings that define an experiment.
type Setting struct{ Name, Value string }

// Open opens the store at path for the experiment with these settings, and creates it if
// there is none. The settings that say most about the experiment should come first. If the
// store has other settings, Open returns an *OtherError.
func Open(ctx context.Context, path string, about ...Setting) (*Store, error) {
	// Each run is on the disk when Put returns.
	return opened(ctx, &Store{path: path}, "_txlock=immediate&_pragma=busy_timeout(200)&_pragma=synchronous(full)", about)
}

// Read opens the store at path as Open does, but only to read it. It must be there, and no bit
// of its file changes.
func Read(ctx context.Context, path string, about ...Setting) (*Store, error) {
	return opened(ctx, &Store{path: path, still: true}, "mode=ro&_pragma=busy_timeout(200)", about)
}

// opened opens a store in the given mode.
func opened(ctx context.Context, s *Store, mode string, about []Setting) (*Store, error) {
	full, err := filepath.Abs(s.path)
	if err != nil {
		return nil, err
	}
	dsn := url.URL{Scheme: "file", Path: full, RawQuery: mode}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	db.SetMaxOpenConns(1)
	s.db = db
	if err := s.patiently(ctx, func() error { return s.describe(ctx, about) }); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// Setting returns the value of a setting with which the store was made, "" if there is none.
func (s *Store) Setting(name string) string { return s.about[name] }

// patience is how often a file that another program has locked is tried again: for a
// minute altogether.
const patience = 300

// patiently repeats do while another program has locked the file.
func (s *Store) patiently(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == patience || ctx.Err() != nil || !is(err, busy) {
			return err
		}
	}
}

// SQLite's result codes for a file that another program has locked, and for one that is not
// a database.
const busy, notADatabase = 5, 26

// is reports whether an error is from SQLite and has the given primary result code.
func is(err error, code int) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == code
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// Put stores a run. If it is already there, nothing changes.
func (s *Store) Put(ctx context.Context, r Run) error {
	curve, err := json.Marshal(pairs(r.Curve))
	if err != nil {
		return s.wrap(err)
	}
	var frame any
	if r.Frame != nil {
		frame = string(r.Frame)
	}
	return s.patiently(ctx, func() error {
		_, err := s.db.ExecContext(ctx, "INSERT INTO runs ("+columns+", frame) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			r.Problem, r.Method, int64(r.Seed), r.Status, r.Gap, r.Queries, r.Reached, r.Seconds, r.Own, r.Rounds, r.Version, r.Recovered, string(curve), frame)
		return s.wrap(err)
	})
}

// Get returns a run with everything that is stored of it, and whether it is there.
func (s *Store) Get(ctx context.Context, k Key) (r Run, there bool, err error) {
	err = s.patiently(ctx, func() error {
		row := s.db.QueryRowContext(ctx, "SELECT "+columns+", frame FROM runs WHERE problem = ? AND method = ? AND seed = ?",
			k.Problem, k.Method, int64(k.Seed))
		var frame sql.NullString
		var err error
		if r, err = scan(func(into ...any) error { return row.Scan(append(into, &frame)...) }); errors.Is(err, sql.ErrNoRows) {
			r = Run{}
			return nil
		}
		if frame.Valid {
			r.Frame = []byte(frame.String)
		}
		there = err == nil
		return s.wrap(err)
	})
	return r, there, err
}

// All returns all runs, without their frames, in the order of problem, method and seed.
func (s *Store) All(ctx context.Context) (all []Run, err error) {
	err = s.patiently(ctx, func() error {
		all = nil
		rows, err := s.db.QueryContext(ctx, "SELECT "+columns+" FROM runs")
		if err != nil {
			return s.wrap(err)
		}
		defer rows.Close()
		for rows.Next() {
			r, err := scan(rows.Scan)
			if err != nil {
				return s.wrap(err)
			}
			all = append(all, r)
		}
		return s.wrap(rows.Err())
	})
	slices.SortFunc(all, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Seed, b.Seed))
	})
	return all, err
}

const columns = "problem, method, seed, status, gap, queries, reached, seconds, own, rounds, version, recovered, curve"

// scan reads the columns of a run.
func scan(read func(...any) error) (Run, error) {
	var r Run
	var seed int64
	var curve string
	err := read(&r.Problem, &r.Method, &seed, &r.Status, &r.Gap, &r.Queries, &r.Reached, &r.Seconds, &r.Own, &r.Rounds, &r.Version,
		&r.Recovered, &curve)
	if err != nil {
		return r, err
	}
	r.Seed = uint64(seed)
	var samples [][2]float64
	if err := json.Unmarshal([]byte(curve), &samples); err != nil {
		return r, fmt.Errorf("damaged: the curve of %s on %s, seed %d, is not a list of pairs", r.Method, r.Problem, r.Seed)
	}
	for _, p := range samples {
		r.Curve = append(r.Curve, objective.Sample{Queries: int(p[0]), Value: p[1]})
	}
	return r, nil
}

// pairs returns the samples that have a finite value.
func pairs(curve []objective.Sample) [][2]float64 {
	out := [][2]float64{}
	for _, c := range curve {
		if !math.IsInf(c.Value, 0) && !math.IsNaN(c.Value) {
			out = append(out, [2]float64{float64(c.Queries), c.Value})
		}
	}
	return out
}

// wrap names the file in an error.
func (s *Store) wrap(err error) error {
	if err == nil {
		return nil
	}
	if is(err, notADatabase) {
		return &OtherError{Path: s.path, NotAStore: true}
	}
	return fmt.Errorf("%s: %w", s.path, err)
}
