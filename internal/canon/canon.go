// Package canon writes values as canonical bytes: the same value gives the same bytes in
// every program, on every machine and in every order of its maps, and two values that
// differ in anything give different bytes.
package canon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// Tag is the key of the struct tag by which a field says that it does not count:
//
//	Observe func(State) `fingerprint:"-"`
const Tag = "fingerprint"

// omitZero is the value of Tag for a field that was added later: its zero value is what a value
// without it meant.
const omitZero = "omitzero"

// Marshal writes v as JSON, in one line. Structs are objects with their exported fields
// in order, nil ones left out. A value in an interface is an object with its type. Matrices
// are their rows. Numbers are the shortest that read back to the same bits; those that are
// not finite are strings. A type that has a MarshalJSON or MarshalText writes itself.
//
// A function or a channel that is not nil has no canonical bytes, nor has a struct with
// fields that are not exported. The error names the field. Types are told apart by package
// and name: two that are declared inside functions under one name are not.
func Marshal(v any) ([]byte, error) {
	w := &writer{}
	if err := w.value(reflect.ValueOf(v), ""); err != nil {
		return nil, err
	}
	return w.Bytes(), nil
}

// deepest is how far values may be nested. What is deeper goes round in circles.
const deepest = 1000

type writer struct {
	bytes.Buffer
	depth int
}

// value writes a value; path is where it stands, for errors.
func (w *writer) value(v reflect.Value, path string) error {
	if !v.IsValid() || empty(v) {
		w.WriteString("null")
		return nil
	}
	if w.depth++; w.depth > deepest {
		return fmt.Errorf("%.80s… is nested without end", strings.TrimPrefix(path, "."))
	}
	defer func() { w.depth-- }()
	if done, err := w.special(v, path); done || err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		w.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		w.number(v.Float())
	case reflect.String:
		return w.text(v.String())
	case reflect.Pointer:
		return w.value(v.Elem(), path)
	case reflect.Interface:
		return w.dynamic(v.Elem(), path)
	case reflect.Slice, reflect.Array:
		return w.list(v.Len(), func(i int) error { return w.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i)) })
	case reflect.Struct:
		return w.structure(v, path)
	case reflect.Map:
		return w.table(v, path)
	default:
		return fmt.Errorf("%s is a %s, which has no canonical form", strings.TrimPrefix(path, "."), v.Kind())
	}
	return nil
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// special writes matrices and values that write themselves, and reports whether v is one.
func (w *writer) special(v reflect.Value, path string) (bool, error) {
	if !v.CanInterface() || v.Kind() == reflect.Interface || promoted(v.Type()) {
		return false, nil
	}
	switch x := v.Interface().(type) {
	case mat.Matrix:
		rows, cols := x.Dims()
		return true, w.list(rows, func(i int) error {
			return w.list(cols, func(j int) error { w.number(x.At(i, j)); return nil })
		})
	case json.Marshaler:
		text, err := x.MarshalJSON()
		if err != nil {
			return true, fmt.Errorf("%s: %w", strings.TrimPrefix(path, "."), err)
		}
		return true, json.Compact(&w.Buffer, text)
	case interface{ MarshalText() ([]byte, error) }:
		text, err := x.MarshalText()
		if err != nil {
			return true, fmt.Errorf("%s: %w", strings.TrimPrefix(path, "."), err)
		}
		return true, w.text(string(text))
	}
	return false, nil
}

// promoted reports whether a struct may write itself by a method of a field that it embeds,
// which knows nothing of its other fields.
func promoted(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			return true
		}
	}
	return false
}

// dynamic writes the value in an interface with its type.
func (w *writer) dynamic(v reflect.Value, path string) error {
	t := v.Type()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.String()
	if t.PkgPath() != "" {
		name = t.PkgPath() + "." + t.Name()
	}
	w.WriteString(`{"type":`)
	if err := w.text(name); err != nil {
		return err
	}
	w.WriteString(`,"value":`)
	if err := w.value(v, path); err != nil {
		return err
	}
	w.WriteByte('}')
	return nil
}

// structure writes the fields of a struct that count.
func (w *writer) structure(v reflect.Value, path string) error {
	t := v.Type()
	w.WriteByte('{')
	first := true
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Tag.Get(Tag) == "-" {
			continue
		}
		here := path + "." + field.Name
		if !field.IsExported() {
			return fmt.Errorf("%s is not exported, so that it has no canonical form", strings.TrimPrefix(here, "."))
		}
		if empty(v.Field(i)) || field.Tag.Get(Tag) == omitZero && v.Field(i).IsZero() {
			continue
		}
		if !first {
			w.WriteByte(',')
		}
		first = false
		if err := w.text(field.Name); err != nil {
			return err
		}
		w.WriteByte(':')
		if err := w.value(v.Field(i), here); err != nil {
			return err
		}
	}
	w.WriteByte('}')
	return nil
}

// table writes a map as pairs of key and value, in the order of their canonical forms.
func (w *writer) table(v reflect.Value, path string) error {
	var pairs []string
	for at := v.MapRange(); at.Next(); {
		pair := writer{depth: w.depth}
		if err := pair.value(at.Key(), path); err != nil {
			return err
		}
		key := pair.String()
		pair.WriteByte(',')
		if err := pair.value(at.Value(), path+"["+key+"]"); err != nil {
			return err
		}
		pairs = append(pairs, pair.String())
	}
	slices.Sort(pairs)
	return w.list(len(pairs), func(i int) error {
		w.WriteString("[" + pairs[i] + "]")
		return nil
	})
}

// list writes n things with commas between.
func (w *writer) list(n int, write func(i int) error) error {
	w.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		if err := write(i); err != nil {
			return err
		}
	}
	w.WriteByte(']')
	return nil
}

// number writes a number so that it reads back to the same bits.
func (w *writer) number(v float64) {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		text = `"` + text + `"`
	}
	w.WriteString(text)
}

func (w *writer) text(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%q is not UTF-8, so that it has no canonical form", s)
	}
	quoted, err := json.Marshal(s)
	w.Write(quoted)
	return err
}
