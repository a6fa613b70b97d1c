package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// application marks a SQLite file as a store, and format is the version of its layout.
const application, format = 0x756e7477, 2

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
	own       REAL NOT NULL,    -- the part of seconds that the method took
	rounds    INTEGER NOT NULL,
	version   TEXT NOT NULL,
	recovered INTEGER NOT NULL,
	curve     TEXT NOT NULL,    -- [[queries, gap], …]
	frame     TEXT,
	PRIMARY KEY (problem, method, seed)
);
CREATE INDEX runs_of_method ON runs (method, problem, seed);`

// An OtherError says that a store holds the runs of another experiment.
type OtherError struct {
	Path        string
	Setting     string // the first setting that differs
	Holds, Asks string // its value in the store, and the value that was asked for
	NotAStore   bool   // the file is not a store, or has a layout that this version does not know
	Older       bool   // an older version made it, which kept less of a run
}

func (e *OtherError) Error() string {
	switch {
	case e.Older:
		return e.Path + " was made by an older version of untwist, which kept less of a run"
	case e.NotAStore:
		return e.Path + " is not a store of runs, or another version of untwist made it"
	}
	return fmt.Sprintf("%s holds another experiment, with %s %s where this one has %s",
		e.Path, e.Setting, cmp.Or(e.Holds, "none"), cmp.Or(e.Asks, "none"))
}

// describe makes the tables in an empty file. In a file that has them, it checks that they
// match about.
func (s *Store) describe(ctx context.Context, about []Setting) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.wrap(err)
	}
	defer tx.Rollback()
	var tables, id, version int
	for query, into := range map[string]*int{"SELECT count(*) FROM sqlite_master": &tables, "PRAGMA application_id": &id, "PRAGMA user_version": &version} {
		if err := tx.QueryRowContext(ctx, query).Scan(into); err != nil {
			return s.wrap(err)
		}
	}
	if tables > 0 || id != 0 || version != 0 {
		if id != application || version != format {
			return &OtherError{Path: s.path, NotAStore: true, Older: id == application && 0 < version && version < format}
		}
		return s.compare(ctx, tx, about)
	}
	if s.still {
		return &OtherError{Path: s.path, NotAStore: true}
	}
	statements := fmt.Sprintf("%s PRAGMA application_id = %d; PRAGMA user_version = %d;", schema, application, format)
	if _, err := tx.ExecContext(ctx, statements); err != nil {
		return s.wrap(err)
	}
	s.about = map[string]string{}
	for _, a := range about {
		s.about[a.Name] = a.Value
		if _, err := tx.ExecContext(ctx, "INSERT INTO about VALUES (?, ?)", a.Name, a.Value); err != nil {
			return s.wrap(err)
		}
	}
	return s.wrap(tx.Commit())
}

// compare checks that the store matches about and can be written to.
func (s *Store) compare(ctx context.Context, tx *sql.Tx, about []Setting) error {
	rows, err := tx.QueryContext(ctx, "SELECT name, value FROM about ORDER BY name")
	if err != nil {
		return s.wrap(err)
	}
	defer rows.Close()
	holds := map[string]string{}
	for rows.Next() {
		var has Setting
		if err := rows.Scan(&has.Name, &has.Value); err != nil {
			return s.wrap(err)
		}
		holds[has.Name] = has.Value
		if !slices.ContainsFunc(about, func(a Setting) bool { return a.Name == has.Name }) {
			about = append(slices.Clip(about), Setting{Name: has.Name})
		}
	}
	if err := rows.Err(); err != nil {
		return s.wrap(err)
	}
	for _, a := range about {
		if holds[a.Name] != a.Value {
			return &OtherError{Path: s.path, Setting: a.Name, Holds: holds[a.Name], Asks: a.Value}
		}
	}
	if s.about = holds; s.still {
		return nil
	}
	// If the file cannot be written to, fail now rather than after a run.
	if _, err := tx.ExecContext(ctx, "UPDATE about SET value = value"); err != nil {
		return s.wrap(err)
	}
	return s.wrap(tx.Commit())
}
