package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// messages are all that are sent.
var messages = []any{Chunk{}, Values{}, Hello{}, Welcome{}, Receipt{}, Status{}}

// numbers are all numbers in messages, so that a new one is looked at: none is what a clock
// shows. Those with a unit of time say how long something took, as one machine has measured
// it.
var numbers = map[string]string{
	"Chunk.Run":                          "the run",
	"Chunk.First":                        "a query",
	"Chunk.Dim":                          "numbers of a point",
	"Chunk.Points":                       "points",
	"Values.Run":                         "the run",
	"Values.First":                       "a query",
	"Values.Answers.Offset":              "queries",
	"Values.Answers.Check":               "a checksum",
	"Values.Answers.Answer.Value":        "a value",
	"Values.Answers.Answer.Seconds":      "seconds that an evaluation took, measured by the worker",
	"Values.Answers.Answer.Numbers":      "the numbers of an answer that has several",
	"Values.Answers.Answer.Failure.Kind": "a kind of failure",
	"Hello.Version":                      "the format",
	"Hello.Procs":                        "processes",
	"Hello.About":                        "a description",
	"Hello.Working":                      "queries",
	"Hello.Query":                        "a query",
	"Hello.Check":                        "a checksum",
	"Welcome.Version":                    "the format",
	"Welcome.Dim":                        "numbers of a point",
	"Welcome.Needless":                   "queries",
	"Status.Version":                     "the format",
	"Status.Highest":                     "a query",
	"Status.Out":                         "chunks",
	"Status.Retries":                     "chunks",
	"Status.Differ":                      "points",
	"Status.Workers.Procs":               "processes",
	"Status.Workers.Working":             "chunks",
	"Status.Workers.Points":              "points",
	"Status.Workers.Failed":              "points",
	"Status.Workers.Rate":                "points a second, measured by the coordinator",
	"Status.Workers.Silent":              "seconds without a word, measured by the coordinator",
}

// clocks returns what in a type could be the time of a clock, or is not looked at.
func clocks(path string, of reflect.Type) (all []string) {
	if of.PkgPath() == "time" {
		return []string{path + " is a " + of.String()}
	}
	switch of.Kind() {
	case reflect.Bool, reflect.String:
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return clocks(path, of.Elem())
	case reflect.Struct:
		for i := range of.NumField() {
			all = append(all, clocks(path+"."+of.Field(i).Name, of.Field(i).Type)...)
		}
	case reflect.Int, reflect.Uint8, reflect.Uint32, reflect.Float64:
		if numbers[path] == "" {
			return []string{path + " is a number that nobody has looked at"}
		}
	default:
		return []string{path + " is a " + of.String() + ", which may be anything"}
	}
	return all
}

// No message has a time in it at which a clock shows something: only durations, which each
// machine measures by its own clock.
func TestMessagesHaveNoClock(t *testing.T) {
	for _, m := range messages {
		for _, why := range clocks(reflect.TypeOf(m).Name(), reflect.TypeOf(m)) {
			t.Error(why)
		}
	}
	type Inner struct{ At *time.Time }
	for want, m := range map[string]any{
		"X.Sent is a time.Time":                        struct{ Sent time.Time }{},
		"X.Took is a time.Duration":                    struct{ Took []time.Duration }{},
		"X.Inner.At is a time.Time":                    struct{ Inner }{},
		"X.Unix is a number that nobody has looked at": struct{ Unix int }{},
		"X.Any is a interface {}":                      struct{ Any any }{},
		"X.Any is a map[string]time.Time":              struct{ Any map[string]time.Time }{},
	} {
		if got := strings.Join(clocks("X", reflect.TypeOf(m)), "; "); !strings.Contains(got, want) {
			t.Errorf("%q, and not %q", got, want)
		}
	}
}

// The list of messages is complete: everything that has a method Encode is on it.
func TestAllMessagesAreListed(t *testing.T) {
	var listed, declared []string
	for _, m := range messages {
		listed = append(listed, reflect.TypeOf(m).Name())
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if method, ok := d.(*ast.FuncDecl); ok && method.Recv != nil && method.Name.Name == "Encode" {
				of := method.Recv.List[0].Type
				if pointer, ok := of.(*ast.StarExpr); ok {
					of = pointer.X
				}
				declared = append(declared, of.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(declared)
	if !slices.Equal(listed, declared) {
		t.Errorf("the messages are %v; the tests look at %v", declared, listed)
	}
}
