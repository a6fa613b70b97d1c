package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/untwist/untwist/internal/experiment"
)

// A gridFile is a grid as it stands in a file. A field that was left out is nil.
type gridFile struct {
	Problems *[]string `json:"problems"`
	Methods  *[]string `json:"methods"`
	Dim      *int      `json:"dim"`
	Runs     *int      `json:"runs"`
	Seed     *uint64   `json:"seed"`
	Budget   *int      `json:"budget"`
	Gap      *float64  `json:"gap"`
	Mix      *string   `json:"mix"`
}

// readGrid reads a grid from a file. The words of an error go on after the file's name.
func readGrid(path string, g *experiment.Table1) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	var in *gridFile
	if err := decoder.Decode(&in); err != nil {
		return inWords(err)
	}
	if _, err := decoder.Token(); in == nil || err != io.EOF {
		return errors.New("must hold one JSON object and no more")
	}
	return in.into(g)
}

// into sets those fields of a grid that the file has. A number that stands in the file is
// never taken for a default, even if it is 0.
func (in *gridFile) into(g *experiment.Table1) error {
	for _, n := range []struct {
		name  string
		value *int
	}{{"dim", in.Dim}, {"runs", in.Runs}, {"budget", in.Budget}} {
		if n.value != nil && *n.value < 1 {
			return fmt.Errorf("has %s %d, which must be at least 1", n.name, *n.value)
		}
	}
	if in.Gap != nil && !(*in.Gap > 0) {
		return fmt.Errorf("has gap %v, which must be above 0", *in.Gap)
	}
	if in.Mix != nil && *in.Mix == "" {
		return errors.New("has an empty mix")
	}
	put(&g.Problems, in.Problems)
	put(&g.Methods, in.Methods)
	put(&g.Dim, in.Dim)
	put(&g.Runs, in.Runs)
	put(&g.Seed, in.Seed)
	put(&g.Budget, in.Budget)
	put(&g.Gap, in.Gap)
	put(&g.Mix, in.Mix)
	return nil
}

// put sets *to to *from, unless from is nil.
func put[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
