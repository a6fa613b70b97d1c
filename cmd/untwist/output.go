package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
)

// An outcome is what a command has found. It is told before it is drawn, so that nothing
// is lost if the program is ended while it draws.
type outcome interface {
	fmt.Stringer
	Warnings() []string
	Draw(dir string) error
}

// show prints something for a program or, in words, for a person.
func show(cmd *cobra.Command, found any, words func() string, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(found)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), words())
	return err
}

// tell prints an outcome, for a program or for a person, and warnings about it.
func tell(cmd *cobra.Command, found outcome, asJSON bool) error {
	err := show(cmd, found, found.String, asJSON)
	for _, w := range found.Warnings() {
		note(cmd, "%s", w)
	}
	return err
}

// draw draws an outcome into the folder of the flag --plot, if that was given.
func draw(cmd *cobra.Command, found outcome, dir string) error {
	if dir == "" {
		return nil
	}
	err := found.Draw(dir)
	if errors.Is(err, report.ErrNothingToDraw) {
		note(cmd, "--plot: %v", err)
		return nil
	}
	return flagged("--plot", err)
}

// flagged puts the name of a flag before an error; nil stays nil.
func flagged(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// note says something on standard error, in one line.
func note(cmd *cobra.Command, format string, values ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "untwist: "+format+"\n", values...)
}

// writable finds out whether the file that a flag names can be written, if it names one.
func writable(flag, file string) error {
	if file == "" {
		return nil
	}
	return flagged(flag, atomicfile.Check(file))
}

// folder makes the folder that a flag names, if there is none, and finds out whether files
// can be written there. It does nothing where the flag was not given. A name that ends like that
// of a picture is refused.
func folder(flag, dir string) error {
	switch filepath.Ext(dir) {
	case ".svg", ".png", ".pdf", ".eps", ".jpg", ".jpeg":
		return fmt.Errorf("%s %s: a folder is meant; %s", flag, dir, chart.OnlySVG)
	}
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = atomicfile.Folder(dir)
	}
	return flagged(flag, err)
}

// inWords says what is wrong with JSON to someone who does not know Go. The words go on
// after the file's name.
func inWords(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("has %s in %q, where %s is needed", article(kind.Value), kind.Field, wanted(kind.Type))
	case errors.As(err, &kind):
		return fmt.Errorf("must hold one JSON object, and this is %s", article(kind.Value))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err.Error() == "unexpected end of JSON input":
		return errors.New("is empty, or ends within an object")
	case errors.As(err, &syntax):
		return fmt.Errorf("is not JSON, at byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("is wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// article returns what package json found, as a noun with its article.
func article(value string) string {
	kind, rest, _ := strings.Cut(value, " ")
	switch noun := nouns[kind]; {
	case noun != "":
		return noun
	case rest != "":
		return "the number " + rest
	}
	return "a " + value
}

var nouns = map[string]string{"string": "text", "bool": "true or false", "array": "a list", "object": "an object"}

// wanted returns what stands for a Go type in JSON.
func wanted(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return cmp.Or(kinds[t.Kind()], "something else")
}

var kinds = map[reflect.Kind]string{
	reflect.Int: "a whole number in plain digits", reflect.Uint64: "a whole number of at least 0 in plain digits",
	reflect.Float64: "a number", reflect.String: "text", reflect.Slice: "a list",
}
