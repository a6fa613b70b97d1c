package main

import (
	"errors"
	"strconv"
	"time"
)

// A duration is a flag for a time above 0. 0: the flag was left out.
type duration time.Duration

func (d *duration) value() time.Duration { return time.Duration(*d) }
func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}
func (*duration) Type() string { return "TIME" }
func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil || v <= 0 {
		return errors.New("must be a time above 0 with its unit: 90s, 10m, 2h30m")
	}
	*d = duration(v)
	return nil
}

// A whole is a flag for a whole number of at least 0. value is nil if the flag was left out.
type whole struct{ value *int }

func (w *whole) String() string {
	if w.value == nil {
		return ""
	}
	return strconv.Itoa(*w.value)
}
func (*whole) Type() string { return "N" }
func (w *whole) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return errors.New("must be a whole number of at least 0")
	}
	w.value = &n
	return nil
}

// A yesNo is a flag that is either on or off.
type yesNo bool

func (b *yesNo) String() string { return strconv.FormatBool(bool(*b)) }
func (*yesNo) Type() string     { return "bool" }
func (*yesNo) IsBoolFlag() bool { return true }
func (b *yesNo) Set(s string) error {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New("must be true or false")
	}
	*b = yesNo(v)
	return nil
}
