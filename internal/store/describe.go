package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// format is the version of the layout. Up to 2 it was a SQLite file.
const format = 3

// A first line says which experiment the file is of.
type first struct {
	Store  string    `json:"store"`
	Format int       `json:"format"`
	About  []Setting `json:"about"`
}

// A Setting is one of the settings that define an experiment.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// An OtherError says that a store holds the runs of another experiment.
type OtherError struct {
	Path        string
	Setting     string // the first setting that differs
	Holds, Asks string // its value in the store, and the value that was asked for
	NotAStore   bool   // the file is not a store, or has a layout that this version does not know
	Older       bool   // an older version made it, in another layout
}

func (e *OtherError) Error() string {
	switch {
	case e.Older:
		return e.Path + " was made by an older version of untwist, which kept runs in another way"
	case e.NotAStore:
		return e.Path + " is not a store of runs, or another version of untwist made it"
	}
	return fmt.Sprintf("%s holds another experiment, with %s %s where this one has %s",
		e.Path, e.Setting, cmp.Or(e.Holds, "none"), cmp.Or(e.Asks, "none"))
}

// Open opens the store at path for the experiment with these settings, and creates it if
// there is none. The settings that say most about the experiment should come first. If the
// store has other settings, Open returns an *OtherError.
func Open(ctx context.Context, path string, about ...Setting) (*Store, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, file: file, runs: map[Key]place{}}
	err = s.locked(ctx, func() error {
		if err := s.read(); err != nil || s.lines > 0 {
			return err
		}
		left, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<16))
		text, _ := json.Marshal(first{"untwist", format, about})
		if err != nil || !bytes.HasPrefix(text, left) { // of a first line that nobody has finished
			return cmp.Or(err, s.strange(left))
		}
		return s.append(text)
	})
	return s.checked(about, err)
}

// Read opens the store at path as Open does, but only to read it. It must be there, and no bit
// of its file changes.
func Read(_ context.Context, path string, about ...Setting) (*Store, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, file: file, runs: map[Key]place{}, still: true}
	if err = s.read(); err == nil && s.lines == 0 {
		err = s.strange(nil)
	}
	return s.checked(about, err)
}

// identify takes the first line.
func (s *Store) identify(text []byte) error {
	var f first
	if err := json.Unmarshal(text, &f); err != nil || f.Store != "untwist" || f.Format != format {
		return s.strange(text)
	}
	s.about = map[string]string{}
	for _, a := range f.About {
		s.about[a.Name] = a.Value
	}
	return nil
}

// strange is the error of a file that begins with text.
func (s *Store) strange(text []byte) error {
	return &OtherError{Path: s.path, NotAStore: true, Older: bytes.HasPrefix(text, []byte("SQLite format 3\x00"))}
}

// checked returns the store if there is no error and it has these settings.
func (s *Store) checked(about []Setting, err error) (*Store, error) {
	if err != nil {
		s.file.Close()
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(s.about)) {
		if !slices.ContainsFunc(about, func(a Setting) bool { return a.Name == name }) {
			about = append(slices.Clip(about), Setting{Name: name})
		}
	}
	for _, a := range about {
		if s.about[a.Name] != a.Value {
			s.file.Close()
			return nil, &OtherError{Path: s.path, Setting: a.Name, Holds: s.about[a.Name], Asks: a.Value}
		}
	}
	return s, nil
}
