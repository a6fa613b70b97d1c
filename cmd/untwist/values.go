package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// A value is a flag: where it is put, what it is called, and how it is read. A flag that was
// left out has the zero value.
type value[T comparable] struct {
	to   *T
	kind string
	read func(string) (T, error)
}

func (v value[T]) String() string {
	if *v.to == *new(T) {
		return ""
	}
	return fmt.Sprint(reflect.Indirect(reflect.ValueOf(*v.to)))
}
func (v value[T]) Type() string { return v.kind }
func (v value[T]) Set(given string) error {
	read, err := v.read(given)
	if err == nil {
		*v.to = read
	}
	return err
}

// count is a flag for a whole number of at least 1. It may be written 20000, 2e4 or 2.5e4, as
// long as it is whole.
func count(to *int) pflag.Value { return value[int]{to, "N", wholeNumber} }

// whole is a flag for a whole number of at least 0; nil: it was left out.
func whole(to **int) pflag.Value {
	return value[*int]{to, "N", func(given string) (*int, error) {
		n, err := strconv.Atoi(given)
		if err != nil || n < 0 {
			err = errors.New("must be a whole number of at least 0")
		}
		return &n, err
	}}
}

// seed is a flag for a whole number of at least 0.
func seed(to *uint64) pflag.Value {
	return value[uint64]{to, "N", func(given string) (uint64, error) {
		n, err := strconv.ParseUint(given, 10, 64)
		if err != nil {
			err = errors.New("must be a whole number from 0 to 2⁶⁴−1")
		}
		return n, err
	}}
}

// text is a flag for words. An empty one is refused, since it would be taken for a flag that
// was left out.
func text[T ~string](to *T) pflag.Value {
	return value[T]{to, "TEXT", func(given string) (_ T, err error) {
		if given == "" {
			err = errors.New("must not be empty")
		}
		return T(given), err
	}}
}

// duration is a flag for a time above 0.
func duration(to *time.Duration) pflag.Value {
	return value[time.Duration]{to, "TIME", func(given string) (time.Duration, error) {
		v, err := time.ParseDuration(given)
		if err != nil || v <= 0 {
			err = errors.New("must be a time above 0 with its unit: 90s, 10m, 2h30m")
		}
		return v, err
	}}
}

// toggle declares a flag that is on or off, and needs no value.
func toggle(flags *pflag.FlagSet, to *bool, name, usage string) {
	flags.Var(value[bool]{to, "bool", func(given string) (bool, error) {
		v, err := strconv.ParseBool(given)
		if err != nil {
			err = errors.New("must be true or false")
		}
		return v, err
	}}, name, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}

// numbers are those that a flag takes.
type numbers struct {
	allow func(float64) bool
	must  string
}

var (
	anyNumber = numbers{func(float64) bool { return true }, "finite"}
	atLeast0  = numbers{func(v float64) bool { return v >= 0 }, "at least 0"}
	above0    = numbers{func(v float64) bool { return v > 0 }, "above 0"}
	aShare    = numbers{func(v float64) bool { return v > 0 && v <= 1 }, "above 0 and at most 1"}
	below1    = numbers{func(v float64) bool { return v >= 0 && v < 1 }, "at least 0 and below 1"}
)

// read reads a number.
func (n numbers) read(given string) (float64, error) {
	v, err := strconv.ParseFloat(given, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || !n.allow(v) {
		err = fmt.Errorf("must be a number that is %s", n.must)
	}
	return v, err
}

// flag is a flag for a number, and optional one that is nil if it was left out.
func (n numbers) flag(to *float64) pflag.Value { return value[float64]{to, "V", n.read} }
func (n numbers) optional(to **float64) pflag.Value {
	return value[*float64]{to, "V", func(given string) (*float64, error) {
		v, err := n.read(given)
		return &v, err
	}}
}

// A several flag takes values with commas between them, and may be given several times.
type several interface{ several() }

// A list is such a flag: how it is split into words, and how one of them is read.
type list[T any] struct {
	to    *[]T
	kind  string
	split func(string) []string
	read  func(string) (T, error)
}

func (l list[T]) several()       {}
func (l list[T]) String() string { return strings.Trim(fmt.Sprint(*l.to), "[]") }
func (l list[T]) Type() string   { return l.kind }
func (l list[T]) Set(given string) error {
	for _, word := range l.split(given) {
		v, err := l.read(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		*l.to = append(*l.to, v)
	}
	return nil
}

func atCommas(given string) []string { return strings.Split(given, ",") }

// present reads a word that may not be missing.
func present(what string) func(string) (string, error) {
	return func(word string) (_ string, err error) {
		if word == "" {
			err = fmt.Errorf("a %s is missing", what)
		}
		return word, err
	}
}

// quoting names the word in what is wrong with it.
func quoting[T any](read func(string) (T, error)) func(string) (T, error) {
	return func(word string) (T, error) {
		v, err := read(word)
		if err != nil {
			err = fmt.Errorf("%q %w", word, err)
		}
		return v, err
	}
}

// nameList, countList and numberList are flags for words, for whole numbers of at least 1, and
// for finite numbers.
func nameList(to *[]string) pflag.Value { return list[string]{to, "NAMES", atCommas, present("name")} }
func countList(to *[]int) pflag.Value   { return list[int]{to, "N,N", atCommas, quoting(wholeNumber)} }
func numberList(to *[]float64) pflag.Value {
	return list[float64]{to, "V,V", atCommas, quoting(anyNumber.read)}
}

// methodList is a flag for methods. The command of NAME=exec:CMD may have commas in it: it
// ends where another NAME=exec: begins, or with the argument.
func methodList(to *[]string) pflag.Value {
	return list[string]{to, "LIST", atMethods, present("method")}
}

func atMethods(rest string) (all []string) {
	for {
		item, more, cut := strings.Cut(rest, ",")
		if execMethod.MatchString(item) {
			item, more, cut = rest, "", false
			if next := nextExec.FindStringIndex(rest); next != nil {
				item, more, cut = rest[:next[0]], rest[next[0]+1:], true
			}
		}
		if all = append(all, item); !cut {
			return all
		}
		rest = more
	}
}

var (
	execMethod = regexp.MustCompile(`^\s*[^=,]+=exec:`)
	nextExec   = regexp.MustCompile(`,\s*[^\s=,]+=exec:`)
)
