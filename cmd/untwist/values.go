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

// must reads a value that has to be ok. What it must be is said where it is not.
func must[T any](read func(string) (T, error), ok func(T) bool, what string) func(string) (T, error) {
	return func(given string) (T, error) {
		v, err := read(given)
		if err != nil || !ok(v) {
			err = errors.New("must be " + what)
		}
		return v, err
	}
}

// whatever is ok with every value.
func whatever[T any](T) bool { return true }

// optional is a flag for a value that is nil if it was left out.
func optional[T any](to **T, kind string, read func(string) (T, error)) pflag.Value {
	return value[*T]{to, kind, func(given string) (*T, error) {
		v, err := read(given)
		return &v, err
	}}
}

// whole is a flag for a whole number of at least 0; nil: it was left out.
func whole(to **int) pflag.Value {
	return optional(to, "N", must(strconv.Atoi, func(n int) bool { return n >= 0 }, "a whole number of at least 0"))
}

// seed is a flag for a whole number of at least 0.
func seed(to *uint64) pflag.Value {
	read := func(given string) (uint64, error) { return strconv.ParseUint(given, 10, 64) }
	return value[uint64]{to, "N", must(read, whatever, "a whole number from 0 to 2⁶⁴−1")}
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
	positive := func(d time.Duration) bool { return d > 0 }
	return value[time.Duration]{to, "TIME", must(time.ParseDuration, positive, "a time above 0 with its unit: 90s, 10m, 2h30m")}
}

// toggle declares a flag that is on or off, and needs no value.
func toggle(flags *pflag.FlagSet, to *bool, name, usage string) {
	flags.Var(value[bool]{to, "bool", must(strconv.ParseBool, whatever, "true or false")}, name, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}

// A number reads the numbers that a flag takes.
type number func(given string) (float64, error)

var (
	anyNumber = finite(whatever, "finite")
	atLeast0  = finite(func(v float64) bool { return v >= 0 }, "at least 0")
	above0    = finite(func(v float64) bool { return v > 0 }, "above 0")
	aShare    = finite(func(v float64) bool { return v > 0 && v <= 1 }, "above 0 and at most 1")
	below1    = finite(func(v float64) bool { return v >= 0 && v < 1 }, "at least 0 and below 1")
)

// finite reads finite numbers that are allowed.
func finite(allowed func(float64) bool, what string) number {
	read := func(given string) (float64, error) { return strconv.ParseFloat(given, 64) }
	ok := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) && allowed(v) }
	return must(read, ok, "a number that is "+what)
}

// flag is a flag for a number, and optional one that is nil if it was left out.
func (n number) flag(to *float64) pflag.Value      { return value[float64]{to, "V", n} }
func (n number) optional(to **float64) pflag.Value { return optional(to, "V", n) }

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
	return list[float64]{to, "V,V", atCommas, quoting(anyNumber)}
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
