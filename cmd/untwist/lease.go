package main

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/journal"
)

// A lease says until when some queries in a row are given out to nobody else.
type lease struct {
	First, Last int
	Until       int64 // in milliseconds since 1970
}

// leases are all that count. They are in the header of the journal.
type leases []lease

// readLeases reads them. What cannot be read is no lease.
func readLeases(about []byte) leases {
	var header struct{ Leases leases }
	if json.Unmarshal(about, &header) != nil {
		return nil
	}
	return header.Leases
}

// since returns those that are not over.
func (l leases) since(now time.Time) leases {
	return slices.DeleteFunc(l, func(one lease) bool { return one.Until <= now.UnixMilli() })
}

// of returns those of some queries, whose numbers increase. Without the others the header of a
// journal stays short, however long somebody keeps a point of a batch.
func (l leases) of(queries []int) leases {
	return slices.DeleteFunc(l, func(one lease) bool {
		i, _ := slices.BinarySearch(queries, one.First)
		return i == len(queries) || queries[i] > one.Last
	})
}

// has reports whether a query is out on lease.
func (l leases) has(query int) bool {
	return slices.ContainsFunc(l, func(one lease) bool { return one.First <= query && query <= one.Last })
}

// add adds a lease of some queries, whose numbers increase.
func (l leases) add(queries []int, until time.Time) leases {
	for i, query := range queries {
		if i > 0 && query == queries[i-1]+1 {
			l[len(l)-1].Last = query
			continue
		}
		l = append(l, lease{query, query, until.UnixMilli()})
	}
	return l
}

// keep writes them to the journal.
func (l leases) keep(j *journal.Journal) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return j.Amend("Leases", text)
}

// leased returns how many points are out on lease and not told.
func (t tally) leased(now time.Time) int {
	l := readLeases(t.summary.About).since(now)
	if len(l) == 0 {
		return 0
	}
	n := 0
	for _, one := range l {
		n += one.Last - one.First + 1
	}
	_, _ = journal.Read(t.file, func(q journal.Query) error { // it has been read before
		if l.has(q.Number) {
			n--
		}
		return nil
	})
	return n
}
