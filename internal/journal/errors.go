package journal

import (
	"fmt"
	"strings"
	"time"

	"github.com/untwist/untwist/internal/words"
)

// A DivergedError says that a query is at another point than the one that the journal has
// for it. Nothing of its batch was taken from the journal.
type DivergedError struct {
	File  string
	Query int // its number, from 1
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("query %s is not at the point that %s has for it: the run is not the one that was recorded; "+
		"something that decides it has changed (the function, the program, its data), or its values are not always the same; "+
		"begin a new journal", words.Thousands(e.Query), e.File)
}

// A DiffersError says that a journal belongs to another run, and what differs.
type DiffersError struct {
	File        string
	Differences []Difference // at least one
}

func (e *DiffersError) Error() string {
	const most = 5
	var b strings.Builder
	fmt.Fprintf(&b, "%s is the journal of another run: ", e.File)
	for i, d := range e.Differences[:min(most, len(e.Differences))] {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(d.String())
	}
	if more := len(e.Differences) - most; more > 0 {
		fmt.Fprintf(&b, "; and %s more", words.Thousands(more))
	}
	b.WriteString(": run it as it was begun, or name another journal")
	return b.String()
}

// A NumericsError says that a journal was made by other numerics: the same settings do not
// lead to the same queries any more.
type NumericsError struct {
	File     string
	Was, Now int
}

func (e *NumericsError) Error() string {
	return fmt.Sprintf("%s was made with version %d of the numerics, and this program has version %d: "+
		"it can be read, exported and started from, not resumed", e.File, e.Was, e.Now)
}

// A BrokenError says that a journal is damaged and that there are whole frames behind the
// damage. Nothing was changed.
type BrokenError struct {
	File    string
	Offset  int64 // of the first byte that is not as it was written
	Queries int   // that come before it
}

func (e *BrokenError) Error() string {
	if e.Queries == 0 {
		return fmt.Sprintf("%s is broken at byte %d, and nothing was changed: restore it from a copy, or name another journal", e.File, e.Offset)
	}
	return fmt.Sprintf("%s is broken at byte %d, and nothing was changed: restore it from a copy, "+
		"or cut it there (truncate -s %d FILE) and go on with the %s before the damage",
		e.File, e.Offset, e.Offset, words.Count(e.Queries, "query", "queries"))
}

// A LockedError says that another process writes to the journal, or may do so.
type LockedError struct {
	File string
	Lock string // the file that says so
	// Host, Process and Since are who writes and since when; zero: it is not known.
	Host    string
	Process int
	Since   time.Time
	// Unsure: the process is on another host, so that nobody here can tell if it still
	// runs.
	Unsure bool
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.Process != 0 {
		who = fmt.Sprintf("process %d on %s, since %s", e.Process, e.Host, e.Since.Format(time.DateTime))
	}
	if e.Unsure {
		return fmt.Sprintf("%s is locked by %s, and from here nobody can see if it still runs: if it does not, remove %s", e.File, who, e.Lock)
	}
	return fmt.Sprintf("%s is being written by %s: wait until it has ended, or name another journal", e.File, who)
}
