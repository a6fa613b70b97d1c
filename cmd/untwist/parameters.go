package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// space returns the parameters of a program: those of the problem file, those of --param,
// or x1 … xN for --dim N. On top of a problem file, --param changes one of its parameters, and
// --bounds and --start change the limits of all, and where to look first.
func (f *subjectFlags) space(s *source) (parameter.Space, error) {
	inFile := s.file != nil && len(s.file.Parameters) > 0
	if !inFile && !s.given("param") {
		return f.numbered(s)
	}
	if s.given("dim") {
		return nil, s.wrong("dim", "the parameters have names, so their number is known")
	}
	var all parameter.Space
	if inFile {
		all = slices.Clone(s.file.Parameters)
	}
	for _, given := range f.params {
		p, err := parseParameter(given)
		if err != nil {
			return nil, s.wrong("param", "%v", err)
		}
		if !inFile {
			all = append(all, p)
			continue
		}
		i := slices.Index(all.Names(), p.Name)
		if i < 0 {
			return nil, s.wrong("param", "%s has no parameter %s", s.file.Path, p.Name)
		}
		p.Unit, p.Guess = all[i].Unit, guessWithin(all[i].Guess, p.Min, p.Max)
		all[i] = p
	}
	return all, f.rebound(s, all)
}

// rebound gives named parameters the limits of --bounds and the ranges of --start.
func (f *subjectFlags) rebound(s *source, all parameter.Space) error {
	for _, box := range []struct {
		flag string
		text string
		set  func(p *parameter.Parameter, lo, hi *float64)
	}{
		{"bounds", f.bounds, func(p *parameter.Parameter, lo, hi *float64) {
			p.Min, p.Max, p.Low, p.High, p.Guess = lo, hi, nil, nil, guessWithin(p.Guess, lo, hi)
		}},
		{"start", f.start, func(p *parameter.Parameter, lo, hi *float64) { p.Low, p.High = lo, hi }},
	} {
		if !s.given(box.flag) {
			continue
		}
		if !s.typed(box.flag) {
			return s.wrong(box.flag, "the limits of parameters with names are in [parameters]")
		}
		b, err := parseBox(box.text, len(all))
		if err != nil {
			return s.wrong(box.flag, "%v", err)
		}
		for i := range all {
			if lo, hi := side(b, i); all[i].Fixed == nil {
				box.set(&all[i], lo, hi)
			}
		}
	}
	return nil
}

// guessWithin returns a guess if it is within new limits, and otherwise nil.
func guessWithin(guess, lo, hi *float64) *float64 {
	if guess != nil && (lo == nil || *guess >= *lo) && (hi == nil || *guess <= *hi) {
		return guess
	}
	return nil
}

// parseParameter reads NAME=LO:HI[:log].
func parseParameter(given string) (parameter.Parameter, error) {
	name, limits, found := strings.Cut(given, "=")
	parts := strings.Split(limits, ":")
	p := parameter.Parameter{Name: name, Log: len(parts) == 3 && parts[2] == "log"}
	var v [2]float64
	ok := found && (len(parts) == 2 || p.Log)
	for i := range v {
		var err error
		if ok {
			v[i], err = strconv.ParseFloat(parts[i], 64)
			ok = err == nil
		}
	}
	if !ok {
		return p, fmt.Errorf("%q is not NAME=LO:HI or NAME=LO:HI:log with two numbers", given)
	}
	p.Min, p.Max = &v[0], &v[1]
	return p, nil
}

// numbered returns the parameters x1 … xN.
func (f *subjectFlags) numbered(s *source) (parameter.Space, error) {
	if !s.given("dim") {
		if s.file != nil {
			return nil, usageError{fmt.Errorf("%s: there is no table [parameters]: it says which parameters the program has, such as k = { min = 0, max = 5 }", s.file.Path)}
		}
		return nil, usageError{fmt.Errorf("--exec: which parameters does the program have? Give --param NAME=LO:HI for each, or --dim N with --bounds LO:HI")}
	}
	if s.first([]string{"bounds", "start", "x0"}) == "" {
		return nil, s.wrong("dim", "it is not known where to look: give --bounds LO:HI (limits), --start LO:HI (where to look first) or --x0 V,V,… (a known good point)")
	}
	dim := f.spec.Dim
	bounds, err := parseBox(f.bounds, dim)
	if err != nil {
		return nil, s.wrong("bounds", "%v", err)
	}
	start, err := parseBox(f.start, dim)
	if err != nil {
		return nil, s.wrong("start", "%v", err)
	}
	if f.bounds == "" && f.start == "" { // --x0 says where to look
		return parameter.Plain(dim), nil
	}
	return plainSpace(dim, start, bounds), nil
}

// side returns the two ends of a side of a box, nil where there are none.
func side(b objective.Box, i int) (lo, hi *float64) {
	if b.IsZero() {
		return nil, nil
	}
	if !math.IsInf(b.Lo[i], -1) {
		lo = &b.Lo[i]
	}
	if !math.IsInf(b.Hi[i], 1) {
		hi = &b.Hi[i]
	}
	return lo, hi
}
