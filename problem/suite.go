package problem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/untwist/untwist/objective"
)

// Choice lists all names for a person to choose from, the BBOB functions in one word.
func Choice() string {
	return fmt.Sprintf("%s, bbob-1 … bbob-%d", strings.Join(order, ", "), len(bbobFunctions))
}

// Suites returns the names of the suites.
func Suites() []string { return []string{"paper", "classic", "large", "bbob"} }

// Suite returns the names of the problems of a suite: "paper" has those of the paper's table,
// "large" those that are made for many dimensions, "bbob" the 24 BBOB functions, "classic" all others.
func Suite(name string) ([]string, error) {
	const table = 4                                  // the paper's are the first in order
	large := slices.Index(order, "rosenbrock-chain") // and those for many dimensions the last
	switch name {
	case "paper":
		return append([]string(nil), order[:table]...), nil
	case "classic":
		return append([]string(nil), order[table:large]...), nil
	case "large":
		return append([]string(nil), order[large:]...), nil
	case "bbob":
		return bbobNames(), nil
	}
	return nil, objective.BadOption("Suite", "unknown suite %q: must be one of %s", name, strings.Join(Suites(), ", "))
}
