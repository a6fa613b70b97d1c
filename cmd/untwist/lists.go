package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

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
