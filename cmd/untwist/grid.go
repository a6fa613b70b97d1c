package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/untwist/untwist/experiment"
)

// A gridFile is a grid as it stands in a file; what is left out is nil.
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

// readGrid reads a grid from a file. An error goes on after the file's name.
func readGrid(path string, g *experiment.Grid) error {
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

// into puts in what is there. A number that stands there is no default, even if it is 0.
func (in *gridFile) into(g *experiment.Grid) error {
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

// put sets to, if there is something to set it to.
func put[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// inWords says what is wrong with JSON to someone who does not know Go.
func inWords(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("has a %s for %q, which does not fit", kind.Value, kind.Field)
	case errors.As(err, &kind):
		return fmt.Errorf("must hold one JSON object, this is: %s", kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("is not JSON, at byte %d: %w", syntax.Offset, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("is empty, or ends within an object")
	}
	return fmt.Errorf("is wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
}
