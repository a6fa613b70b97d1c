package experiment

import (
	"strconv"

	"github.com/untwist/untwist/objective"
)

// A Budget is a number of queries as a formula in the dimension d, "1000*d" for example.
type Budget string

// At returns the budget in d dimensions.
func (b Budget) At(d int) (int, error) {
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return 0, objective.BadOption("Budget", "%q is not a formula", string(b))
	}
	return n, nil
}
