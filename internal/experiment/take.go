package experiment

import (
	"context"
	"slices"

	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// Take copies those runs of a complete grid that s lacks from another store, in the file at
// path, of which it changes nothing. It returns how many it has copied. Frames are not copied:
// they are found again if a run needs one. Of curves it leaves out what says nothing.
func (g Grid) Take(ctx context.Context, s *store.Store, path string) (int, error) {
	from, err := g.openStore(ctx, path, store.Read)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	theirs, err := from.All(ctx)
	if err != nil {
		return 0, err
	}
	ours, err := s.All(ctx)
	if err != nil {
		return 0, err
	}
	wanted := map[store.Key]bool{}
	for _, c := range g.Cases {
		for _, m := range g.Methods {
			for k := range uint64(g.runs(m)) {
				wanted[store.Key{Problem: c.Key(), Method: m.Key(), Seed: g.Seed + k}] = true
			}
		}
	}
	for _, r := range ours {
		delete(wanted, r.Key)
	}
	n := 0
	for _, r := range theirs {
		if !wanted[r.Key] {
			continue
		}
		r.Curve = corners(r.Curve)
		if err := s.Put(ctx, r); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Take copies runs from another store: see Grid.Take.
func (g Table1) Take(ctx context.Context, s *store.Store, path string) (int, error) {
	return g.grid().Take(ctx, s, path)
}

// corners returns a curve without samples that have the value of both neighbours. The gap
// after any number of queries, and when a gap was reached, stay the same.
func corners(curve []objective.Sample) []objective.Sample {
	out := slices.Clone(curve[:0])
	for i, s := range curve {
		if i == 0 || i == len(curve)-1 || s.Value != curve[i-1].Value || s.Value != curve[i+1].Value {
			out = append(out, s)
		}
	}
	return out
}
