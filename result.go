package untwist

import (
	"fmt"
	"math"
	"strings"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A Result is what a search has found and what it cost.
type Result struct {
	// Point is the best point ever evaluated, and Value is f there, to the
	// bit. If nothing was evaluated they are nil and +Inf.
	Point []float64
	Value float64

	// Status says why the search stopped.
	Status objective.Status
	// Strategy and Seed are what it was made with.
	Strategy string
	Seed     uint64

	// Queries is how many points f was asked for, of Budget allowed.
	Queries, Budget int
	// BestQuery is the number of the query that found Point.
	BestQuery int
	// TargetQuery is the number of the first query at or below the target, or
	// 0. The rest of its batch was spent as well.
	TargetQuery int

	// Failed is how many queries gave NaN or +Inf, and FailedPoint is the
	// first such point.
	Failed      int
	FailedPoint []float64

	// Structure is what was found out about f, nil if the strategy does not look;
	// Profiles are the components along which it looked, and Notes what else is to be
	// known, in words.
	Structure *Structure
	Profiles  []Profile
	Notes     []string

	// Stages says where the queries went, in order.
	Stages []Stage
	// Curve is the best value at log-spaced numbers of queries and at the end.
	Curve []objective.Sample
}

// A Stage is a part of a search.
type Stage struct {
	Name    string `json:"name"`
	Queries int    `json:"queries"`
}

// A Purpose is what queries are for.
type Purpose string

// The purposes.
const (
	ToFind    Purpose = "to find coordinates"
	ToCheck   Purpose = "to check them"
	AlongThem Purpose = "along them"
	ToSearch  Purpose = "by CMA-ES or CBO"
)

// Purpose says what the queries of the stage are for.
func (s Stage) Purpose() Purpose {
	switch s.Name {
	case "first look", "reduction", "hessians", "refinement":
		return ToFind
	case "certificate":
		return ToCheck
	case "scales", "lines", "wells", "polish", "blocks", "model":
		return AlongThem
	}
	return ToSearch
}

// Spent returns how many queries the stages of a purpose took.
func (r Result) Spent(purpose Purpose) int {
	sum := 0
	for _, s := range r.Stages {
		if s.Purpose() == purpose {
			sum += s.Queries
		}
	}
	return sum
}

// String says in words what was learnt about f, and where the queries went.
func (r Result) String() string {
	var s strings.Builder
	if r.Structure != nil {
		if r.Structure.Frame == nil && r.Status == objective.TargetReached {
			s.WriteString("the target was reached before coordinates were found; ")
		} else {
			s.WriteString(r.Structure.String() + "; ")
		}
	}
	fmt.Fprintf(&s, "%s queries", words.Thousands(r.Queries))
	if r.Structure != nil {
		var parts []string
		for _, purpose := range []Purpose{ToFind, ToCheck, AlongThem, ToSearch} {
			if n := r.Spent(purpose); n > 0 {
				parts = append(parts, fmt.Sprintf("%s %s", words.Thousands(n), purpose))
			}
		}
		fmt.Fprintf(&s, ": %s", strings.Join(parts, ", "))
	}
	if several, component, above := r.wells(); several > 0 {
		fmt.Fprintf(&s, "; there are other wells along %s, the second-best of component %d only %.1g higher than its best",
			count(several, "coordinate"), component, above)
	}
	for _, n := range r.Notes {
		s.WriteString("; " + n)
	}
	return s.String()
}

// wells returns how many components have several wells, and of the well that is
// closest to the one chosen the component and how much higher it is.
func (r Result) wells() (several, component int, above float64) {
	above = math.Inf(1)
	for _, p := range r.Profiles {
		if len(p.Wells) < 2 || math.IsInf(p.Wells[1].Value, 1) {
			continue
		}
		several++
		if v := p.Wells[1].Value; v < above {
			component, above = p.Component, v
		}
	}
	return several, component, above
}
