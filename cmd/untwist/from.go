package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
)

// mostEarlier is how many points of an earlier run another one starts from.
const mostEarlier = 10

// earlierPoints returns the best points of an earlier run that lie within the limits of a
// subject. Parameters are matched by their names, if both runs have them. The words of an
// error go on after the flag's name.
func earlierPoints(file, current string, s subject) ([][]float64, error) {
	now, err := filepath.Abs(current)
	if earlier, _ := filepath.Abs(file); current != "" && err == nil && now == earlier {
		return nil, fmt.Errorf("%s is the journal of this run; to go on with it, leave --from out", file)
	}
	summary, err := journal.Read(file, nil) // the header
	if err != nil {
		return nil, unwrapped(err)
	}
	pick, err := match(readAbout(summary.Header).names(), summary.Dim, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	limits := s.bounds
	if s.space != nil {
		limits = s.space.Limits()
	}
	var best []journal.Query
	pointless := false
	_, err = journal.Read(file, func(q journal.Query) error {
		pointless = pointless || q.Point == nil
		if q.Point == nil || q.Failure != nil || math.IsNaN(q.Value) || math.IsInf(q.Value, 0) ||
			len(best) == mostEarlier && q.Value >= best[len(best)-1].Value {
			return nil
		}
		q.Point = pick(q.Point)
		if !limits.IsZero() && limits.Outside(q.Point) >= 0 ||
			slices.ContainsFunc(best, func(b journal.Query) bool { return slices.Equal(b.Point, q.Point) }) {
			return nil
		}
		at, _ := slices.BinarySearchFunc(best, q, func(a, b journal.Query) int {
			return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Number, b.Number))
		})
		best = slices.Insert(best, at, q)
		best = best[:min(len(best), mostEarlier)]
		return nil
	})
	switch {
	case err != nil:
		return nil, unwrapped(err)
	case len(best) == 0 && pointless:
		return nil, fmt.Errorf("%s has no points: it was kept with --journal-points=false", file)
	case len(best) == 0:
		return nil, fmt.Errorf("%s has no point with a value within the limits of this run", file)
	}
	points := make([][]float64, len(best))
	for i, q := range best {
		points[i] = q.Point
	}
	return points, nil
}

// unwrapped returns the words of an error about a file, without the name of a system call.
func unwrapped(err error) error {
	if where, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", where.Path, where.Err)
	}
	return err
}

// match finds the parameters of a subject among those of an earlier run: by their names,
// or by their order where one of the two has no names that somebody chose. A fixed parameter
// has its value. It returns what makes a point of the subject from one of the earlier run.
func match(names []string, dim int, s subject) (pick func([]float64) []float64, err error) {
	space := s.space
	if space == nil {
		space = parameter.Plain(s.objective.Dim())
	}
	ordered := names == nil || isPlain(names) || isPlain(space.Names())
	if ordered && len(space) != dim {
		return nil, fmt.Errorf("its points have %d numbers, but %d are needed", dim, len(space))
	}
	at := make([]int, len(space)) // where a number comes from
	for i, p := range space {
		if at[i] = i; !ordered {
			at[i] = slices.Index(names, p.Name)
		}
		if p.Fixed == nil && at[i] < 0 {
			return nil, fmt.Errorf("it has no parameter %s", p.Name)
		}
	}
	return func(point []float64) []float64 {
		out := make([]float64, len(space))
		for i, p := range space {
			if p.Fixed != nil {
				out[i] = *p.Fixed
			} else {
				out[i] = point[at[i]]
			}
		}
		return out
	}, nil
}

// isPlain says that names are x1, x2, …, which nobody has chosen.
func isPlain(names []string) bool { return slices.Equal(names, parameter.Plain(len(names)).Names()) }
