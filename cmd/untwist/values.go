package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
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
	return fmt.Sprint(*v.to)
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
