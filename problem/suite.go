package problem

import (
	"fmt"
	"strings"

	"github.com/untwist/untwist/objective"
)

// Choice lists all names for a person to choose from, the BBOB functions in one word.
func Choice() string {
	return fmt.Sprintf("%s, bbob-1 … bbob-%d", strings.Join(order, ", "), len(bbobFunctions))
}

// Suites returns the names of the suites.
func Suites() []string { return []string{"paper", "classic", "bbob"} }

// Suite returns the names of the problems of a suite: "paper" has those of the paper's table,
// "bbob" the 24 BBOB functions, "classic" all others.
func Suite(name string) ([]string, error) {
	const table = 4 // the paper's are the first in order
	switch name {
	case "paper":
		return append([]string(nil), order[:table]...), nil
	case "classic":
		return append([]string(nil), order[table:]...), nil
	case "bbob":
		return bbobNames(), nil
	}
	return nil, objective.BadOption("Suite", "unknown suite %q: must be one of %s", name, strings.Join(Suites(), ", "))
}
