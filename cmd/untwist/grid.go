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

// readGrid reads those fields of a grid from a file that no flag has given. The words of an error go on after the file's name.
func readGrid(path string, g *experiment.Table1, given func(flag string) bool) error {
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
	return in.into(g, given)
}

// into sets those fields of a grid that the file has. A number that stands in the file is
// never taken for a default, even if it is 0.
func (in *gridFile) into(g *experiment.Table1, given func(flag string) bool) error {
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
	put(given("problems"), &g.Problems, in.Problems)
	put(given("methods"), &g.Methods, in.Methods)
	put(given("dim"), &g.Dim, in.Dim)
	put(given("runs"), &g.Runs, in.Runs)
	put(given("seed"), &g.Seed, in.Seed)
	put(given("budget"), &g.Budget, in.Budget)
	put(given("gap"), &g.Gap, in.Gap)
	put(given("mix"), &g.Mix, in.Mix)
	return nil
}

// put sets *to to *from, unless it is given already or from is nil.
func put[T any](given bool, to, from *T) {
	if !given && from != nil {
		*to = *from
	}
}
