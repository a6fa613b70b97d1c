package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// MarshalJSON writes the tally as a JSON object. Queries are numbered from 1.
func (t tally) MarshalJSON() ([]byte, error) {
	form := struct {
		File     string             `json:"file"`
		Version  int                `json:"version"`
		Numerics int                `json:"numerics"`
		Began    string             `json:"began"`
		About    json.RawMessage    `json:"about"`
		Queries  int                `json:"queries"`
		Void     int                `json:"void_queries"`
		Torn     int64              `json:"torn_bytes"`
		Value    *float64           `json:"best_value"` // null: no query has succeeded
		Number   int                `json:"best_query"` // 0: likewise
		Point    []float64          `json:"best_point"` // null: likewise, or only its hash is kept
		Names    []string           `json:"names"`
		Failed   int                `json:"failed_queries"`
		Failures objective.Failures `json:"failures"`
		Reasons  []reason           `json:"reasons"`
		Mean     float64            `json:"mean_seconds"`
		Worst    float64            `json:"max_seconds"`
		Seconds  float64            `json:"seconds"`
	}{
		File: t.file, Version: t.summary.Version, Numerics: t.summary.Numerics, Began: t.summary.Began.UTC().Format("2006-01-02T15:04:05Z"),
		About: t.summary.About, Queries: t.queries, Void: t.void(), Torn: t.summary.Torn, Number: t.best.Number, Point: t.best.Point,
		Names: spaceIn(t.summary.Header).Names(), Failed: t.failures.Total(), Failures: t.failures, Reasons: t.commonest(),
		Mean: t.seconds / float64(max(t.timed, 1)), Worst: t.worst, Seconds: t.seconds,
	}
	if t.best.Number > 0 {
		form.Value = &t.best.Value
	}
	return json.Marshal(form)
}

// void returns how many answers are void.
func (t tally) void() (n int) {
	for _, v := range t.summary.Voids {
		n += v.Queries
	}
	return n
}

// spaceIn returns the parameters of a journal: x1, x2, … if they have no names.
func spaceIn(h journal.Header) parameter.Space {
	if space := readAbout(h).Parameters; len(space) == h.Dim {
		return space
	}
	return parameter.Plain(h.Dim)
}

// writeCSV writes all queries of a journal. A journal without points has no columns for
// them.
func writeCSV(w io.Writer, file string) error {
	hashed := false
	summary, err := readUntil(file, func(q journal.Query) bool {
		hashed = q.Point == nil
		return true
	})
	if err != nil {
		return unwrapped(err)
	}
	header, space := []string{"query"}, spaceIn(summary.Header)
	if !hashed {
		for _, name := range space.Names() {
			if slices.Contains([]string{"query", "value", "seconds", "failure", "by"}, name) {
				name += "_" // two columns of the same name are one for many readers
			}
			header = append(header, name)
		}
	}
	numbers := readAbout(summary.Header).Several.names()
	out := csv.NewWriter(w)
	if err := out.Write(slices.Concat(header, []string{"value", "seconds", "failure", "by"}, numbers)); err != nil {
		return err
	}
	row := make([]string, 0, len(header)+4)
	_, err = journal.Read(file, func(q journal.Query) error {
		row = append(row[:0], strconv.Itoa(q.Number))
		if !hashed {
			row = append(row, texts(q.Point, space)...)
		}
		value, seconds, failed := exact(q.Value), "", ""
		if q.Seconds > 0 {
			seconds = strconv.FormatFloat(q.Seconds, 'g', 6, 64)
		}
		if failure := query.FailureOf(q.Answer); failure != nil {
			value, failed = "", fmt.Sprintf("%v: %s", failure.Kind, failure.Error())
		}
		row = append(row, value, seconds, failed, q.By)
		if len(numbers) > 0 {
			row = append(row, texts(besides(q.Numbers, len(numbers)), parameter.Plain(len(numbers)))...)
		}
		return out.Write(row)
	})
	out.Flush()
	return unwrapped(cmp.Or(err, out.Error()))
}

// texts writes a point in the user's words, empty if only its hash is kept.
func texts(point []float64, space parameter.Space) []string {
	if point == nil {
		return slices.Repeat([]string{""}, len(space))
	}
	all := make([]string, len(space))
	for i, v := range point {
		all[i] = space.Word(i, v)
	}
	return all
}

// exact writes a number so that it reads back to the same bits.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
