package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

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
