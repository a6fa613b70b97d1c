package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A several flag takes values with commas between them, and may be given several times.
type several interface{ several() }

// names is a flag for words with commas between them.
type names []string

func (n *names) several()       {}
func (n *names) String() string { return strings.Join(*n, ",") }
func (*names) Type() string     { return "NAMES" }
func (n *names) Set(given string) error {
	for _, word := range strings.Split(given, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return errors.New("a name is missing")
		}
		*n = append(*n, word)
	}
	return nil
}

// counts is a flag for whole numbers of at least 1.
type counts []int

func (c *counts) several()       {}
func (c *counts) String() string { return strings.Trim(fmt.Sprint(*c), "[]") }
func (*counts) Type() string     { return "N,N" }
func (c *counts) Set(given string) error {
	for _, word := range strings.Split(given, ",") {
		var n count
		if err := n.Set(strings.TrimSpace(word)); err != nil {
			return fmt.Errorf("%q %w", strings.TrimSpace(word), err)
		}
		*c = append(*c, int(n))
	}
	return nil
}

// numbers is a flag for finite numbers.
type numbers []float64

func (n *numbers) several()       {}
func (n *numbers) String() string { return strings.Trim(fmt.Sprint(*n), "[]") }
func (*numbers) Type() string     { return "V,V" }
func (n *numbers) Set(given string) error {
	for _, word := range strings.Split(given, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q must be a number that is finite", strings.TrimSpace(word))
		}
		*n = append(*n, v)
	}
	return nil
}

// methodTexts is a flag for methods. The command of NAME=exec:CMD may have commas in it: it
// ends where another NAME=exec: begins, or with the argument.
type methodTexts []string

func (m *methodTexts) several()       {}
func (m *methodTexts) String() string { return strings.Join(*m, ",") }
func (*methodTexts) Type() string     { return "LIST" }
func (m *methodTexts) Set(given string) error {
	for rest := given; ; {
		item, more, cut := strings.Cut(rest, ",")
		if execMethod.MatchString(item) {
			item, more, cut = rest, "", false
			if next := nextExec.FindStringIndex(rest); next != nil {
				item, more, cut = rest[:next[0]], rest[next[0]+1:], true
			}
		}
		if item = strings.TrimSpace(item); item == "" {
			return errors.New("a method is missing")
		}
		*m = append(*m, item)
		if !cut {
			return nil
		}
		rest = more
	}
}

var (
	execMethod = regexp.MustCompile(`^\s*[^=,]+=exec:`)
	nextExec   = regexp.MustCompile(`,\s*[^\s=,]+=exec:`)
)
