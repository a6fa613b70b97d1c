// Package store keeps the runs of an experiment in one SQLite file, each written as it
// finishes, so that an experiment which is killed goes on where it stood. Start with
// Open, which refuses the store of another experiment.
//
// A run is there wholly or not at all, whatever kills the program; several programs may
// use one store at a time, and of a run that two of them finish the first stays.
// Everything is in the table runs, to be read by any SQLite program while it grows.
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
	"strings"

	"github.com/untwist/untwist/objective"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// A Key says which run is meant.
type Key struct {
	Problem, Method string
	Seed            uint64
}

// A Run is what is kept of a run that has finished.
type Run struct {
	Key
	Status  string  // why it stopped
	Gap     float64 // the best value above the known minimum
	Queries int
	Reached int     // the first query with the gap that was asked for, or 0
	Seconds float64 // it took

	// Recovered is how many components of the truth the frame has; -1: there is none
	// to compare.
	Recovered int
	// Curve is the least gap at log-spaced numbers of queries.
	Curve []objective.Sample
	// Frame is the frame that was found, as JSON, for runs that others go on from.
	Frame []byte
}

// A Store is one file of runs. It is safe for concurrent use.
type Store struct {
	path string
	db   *sql.DB
}

// application marks a SQLite file as a store, and format says of which form.
const application, format = 0x756e7477, 1

const schema = `
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
	problem   TEXT NOT NULL,
	method    TEXT NOT NULL,
	seed      INTEGER NOT NULL, -- its 64 bits
	status    TEXT NOT NULL,
	gap       REAL NOT NULL,
	queries   INTEGER NOT NULL,
	reached   INTEGER NOT NULL,
	seconds   REAL NOT NULL,
	recovered INTEGER NOT NULL,
	curve     TEXT NOT NULL,    -- [[queries, gap], …]
	frame     TEXT,
	PRIMARY KEY (problem, method, seed)
);`

// Open opens the store at path, made if there is none, of the experiment that about
// describes: its settings by name. A store of other settings is an *OtherError.
func Open(ctx context.Context, path string, about map[string]string) (*Store, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// A writer that finds the file locked waits for a minute; each run is on the disk
	// when Put returns.
	dsn := url.URL{Scheme: "file", Path: full, RawQuery: "_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=synchronous(full)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{path: path, db: db}
	if err := s.describe(ctx, about); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// An OtherError says that a store holds the runs of another experiment.
type OtherError struct {
	Path             string
	Setting          string // that differs, the first of them by name
	Holds, Asks      string // its values
	Incomprehensible bool   // the file is no store, or one of a form not known here
}

func (e *OtherError) Error() string {
	if e.Incomprehensible {
		return e.Path + " is no store of runs, or one of another version of untwist"
	}
	return fmt.Sprintf("%s holds another experiment, with %s %s where this one has %s",
		e.Path, e.Setting, cmp.Or(e.Holds, "none"), cmp.Or(e.Asks, "none"))
}

// describe makes the tables in an empty file, or looks whether they are those of about.
func (s *Store) describe(ctx context.Context, about map[string]string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.wrap(err)
	}
	defer tx.Rollback()
	var tables, id, version int
	if err := errors.Join(
		tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables),
		tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id),
		tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version),
	); err != nil {
		return s.wrap(err)
	}
	if tables > 0 {
		if id != application || version != format {
			return &OtherError{Path: s.path, Incomprehensible: true}
		}
		return s.compare(ctx, tx, about)
	}
	statements := fmt.Sprintf("%s PRAGMA application_id = %d; PRAGMA user_version = %d;", schema, application, format)
	if _, err := tx.ExecContext(ctx, statements); err != nil {
		return s.wrap(err)
	}
	for name, value := range about {
		if _, err := tx.ExecContext(ctx, "INSERT INTO about VALUES (?, ?)", name, value); err != nil {
			return s.wrap(err)
		}
	}
	return s.wrap(tx.Commit())
}

// compare looks whether the store is that of about.
func (s *Store) compare(ctx context.Context, tx *sql.Tx, about map[string]string) error {
	rows, err := tx.QueryContext(ctx, "SELECT name, value FROM about")
	if err != nil {
		return s.wrap(err)
	}
	defer rows.Close()
	holds := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return s.wrap(err)
		}
		holds[name] = value
	}
	var differ []string
	for name := range holds {
		if holds[name] != about[name] {
			differ = append(differ, name)
		}
	}
	for name := range about {
		if _, there := holds[name]; !there {
			differ = append(differ, name)
		}
	}
	if err := rows.Err(); err != nil || len(differ) == 0 {
		return s.wrap(err)
	}
	first := slices.Min(differ)
	return &OtherError{Path: s.path, Setting: first, Holds: holds[first], Asks: about[first]}
}

// Put keeps a run. If it is there already nothing changes.
func (s *Store) Put(ctx context.Context, r Run) error {
	curve, err := json.Marshal(pairs(r.Curve))
	if err != nil {
		return s.wrap(err)
	}
	var frame any
	if r.Frame != nil {
		frame = string(r.Frame)
	}
	_, err = s.db.ExecContext(ctx, "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		r.Problem, r.Method, int64(r.Seed), r.Status, r.Gap, r.Queries, r.Reached, r.Seconds, r.Recovered, string(curve), frame)
	return s.wrap(err)
}

// Get returns a run with all that is kept of it, and whether it is there.
func (s *Store) Get(ctx context.Context, k Key) (Run, bool, error) {
	row := s.db.QueryRowContext(ctx, "SELECT "+columns+", frame FROM runs WHERE problem = ? AND method = ? AND seed = ?",
		k.Problem, k.Method, int64(k.Seed))
	var frame sql.NullString
	r, err := scan(func(into ...any) error { return row.Scan(append(into, &frame)...) })
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, false, nil
	}
	if frame.Valid {
		r.Frame = []byte(frame.String)
	}
	return r, err == nil, s.wrap(err)
}

// All returns all runs, without their frames, in the order of problem, method and seed.
func (s *Store) All(ctx context.Context) ([]Run, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT "+columns+" FROM runs ORDER BY problem, method, seed")
	if err != nil {
		return nil, s.wrap(err)
	}
	defer rows.Close()
	var all []Run
	for rows.Next() {
		r, err := scan(rows.Scan)
		if err != nil {
			return nil, s.wrap(err)
		}
		all = append(all, r)
	}
	return all, s.wrap(rows.Err())
}

const columns = "problem, method, seed, status, gap, queries, reached, seconds, recovered, curve"

// scan reads the columns of a run.
func scan(read func(...any) error) (Run, error) {
	var r Run
	var seed int64
	var curve string
	if err := read(&r.Problem, &r.Method, &seed, &r.Status, &r.Gap, &r.Queries, &r.Reached, &r.Seconds, &r.Recovered, &curve); err != nil {
		return r, err
	}
	r.Seed = uint64(seed)
	var samples [][2]float64
	err := json.Unmarshal([]byte(curve), &samples)
	for _, p := range samples {
		r.Curve = append(r.Curve, objective.Sample{Queries: int(p[0]), Value: p[1]})
	}
	return r, err
}

// pairs are the samples that have a finite value.
func pairs(curve []objective.Sample) [][2]float64 {
	out := [][2]float64{}
	for _, c := range curve {
		if !math.IsInf(c.Value, 0) && !math.IsNaN(c.Value) {
			out = append(out, [2]float64{float64(c.Queries), c.Value})
		}
	}
	return out
}

// wrap names the file in an error, on one line.
func (s *Store) wrap(err error) error {
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "file is not a database") {
		return &OtherError{Path: s.path, Incomprehensible: true}
	}
	return fmt.Errorf("%s: %w", s.path, err)
}
