// Package flags has the sizes of tests, and the flags of those that measure. A test imports it, and takes them all.
//
// Tests have three sizes. By default they are quick, so that "go test ./..." ends in a minute or two. With UNTWIST_TESTS=usual in the
// environment, as in .ci/run, they have more seeds, functions and dimensions. With -whole a test measures everything, in minutes or
// hours; it is for single tests, as in .ci/long.
package flags

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Flags that are as they say.
var (
	Whole  = flag.Bool("whole", false, "measure everything: all problems, dimensions and seeds")
	Update = flag.Bool("update", false, "rewrite golden files and, with -whole, tables of the documents; say why in CHANGELOG under Numerics")
)

var (
	seeds    = flag.Int("seeds", 0, "measure with so many seeds (default: as many as each test needs)")
	from     = flag.Uint64("from", 0, "the first seed")
	dims     = flag.String("dims", "", "measure in these dimensions only, for example 10,30")
	problems = flag.String("problems", "", "measure on these problems only, for example rosenbrock,bbob-8")
	cells    = flag.String("cells", "", "measure only cells whose names have all of these words, for example 'rastrigin paper'")
)

// Few returns n with -whole, and otherwise less.
func Few(n, less int) int {
	if *Whole {
		return n
	}
	return less
}

// Usual reports whether tests are not quick: nor are they where somebody has said what to measure.
func Usual() bool { return *Whole || os.Getenv("UNTWIST_TESTS") == "usual" || Some() }

// Usually returns n in the usual size and with -whole, and less where tests are quick.
func Usually(n, less int) int {
	if Usual() {
		return n
	}
	return less
}

// Sample returns all of a list in the usual size and with -whole, and where tests are quick n of it, the first and others at equal
// distances.
func Sample[T any](all []T, n int) []T {
	if Usual() || n >= len(all) {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// Some reports whether only a part is measured, or other seeds, which is nothing for documents.
func Some() bool { return *seeds != 0 || *from != 0 || *dims != "" || *problems != "" || *cells != "" }

// From returns the first seed.
func From() uint64 { return *from }

// Count returns how many seeds to measure with, n if nobody has said it.
func Count(n int) int {
	if *seeds > 0 {
		return *seeds
	}
	return n
}

// Seeds returns the seeds to measure with, n of them if nobody has said it.
func Seeds(n int) []uint64 {
	all := make([]uint64, Count(n))
	for i := range all {
		all[i] = *from + uint64(i)
	}
	return all
}

// Dims returns the dimensions to measure in.
func Dims(otherwise ...int) []int {
	if *dims == "" {
		return otherwise
	}
	var all []int
	for word := range strings.SplitSeq(*dims, ",") {
		d, err := strconv.Atoi(word)
		if err != nil || d < 1 {
			panic(fmt.Sprintf("-dims %s: %q is no dimension", *dims, word))
		}
		all = append(all, d)
	}
	return all
}

// Problems returns the problems to measure on, those given if nobody has named any.
func Problems(otherwise ...string) []string {
	if *problems == "" {
		return otherwise
	}
	return strings.Split(*problems, ",")
}

// Problem reports whether the problem of this name is measured.
func Problem(name string) bool { return slices.Contains(Problems(name), name) }

// Cells reports whether only some cells are to be measured, and Cell whether that of this name is.
func Cells() bool { return *cells != "" }

// Cell reports whether all words of -cells are words of the name.
func Cell(name string) bool {
	for word := range strings.FieldsSeq(*cells) {
		if !slices.Contains(strings.Fields(name), word) {
			return false
		}
	}
	return true
}
