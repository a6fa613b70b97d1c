package problem

import "github.com/untwist/untwist/objective"

// Suite returns the names of the problems of a suite.
func Suite(name string) ([]string, error) {
	switch name {
	case "paper":
		return order[:4], nil
	case "classic":
		return order[4:], nil
	case "bbob":
		return []string{"bbob-1"}, nil
	}
	return nil, objective.BadOption("Suite", "unknown suite %q: must be one of paper, classic, bbob", name)
}
