package strategy

import (
	"math"
	"slices"

	"github.com/untwist/untwist/asktell"
	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A blockwise minimises in every block of several components by itself, all of
// them together: each generation of all of them is one batch.
type blockwise struct {
	*auto
	found  *identify.Finding
	u      *mat.Dense // row j is u_j
	blocks []*block
	talks  []*asktell.Talk // one for each block
	x      []float64       // all other blocks are as at x
	fx     float64
}

// A block is some components, y_j = y_j(x) + reach_j z_j.
type block struct {
	components []int
	reach      []float64
	best       objective.Best // in z
}

func newBlockwise(a *auto, found *identify.Finding) *blockwise {
	b := &blockwise{auto: a, found: found, u: mat.DenseCopyOf(found.Frame.Inverse().T())}
	for _, components := range found.Blocks {
		if len(components) == 1 {
			continue
		}
		k := &block{components: components}
		for _, j := range components {
			k.reach = append(k.reach, extent(found.Frame.Matrix().RawRowView(j)))
		}
		b.blocks = append(b.blocks, k)
	}
	return b
}

// wide searches each block by BIPOP-CMA-ES until two runs have come to the same
// value.
func (b *blockwise) wide() error {
	return b.together(func(k *block, tolerance float64, seed uint64) cmaes.Series {
		n := len(k.components)
		box := objective.Cube(n, -1, 1)
		for i, j := range k.components { // around the start box
			y := kernel.Dot(b.found.Frame.Matrix().RawRowView(j), b.x) / k.reach[i]
			box.Lo[i] -= y
			box.Hi[i] -= y
		}
		return cmaes.Series{
			Run:      cmaes.Config{Sigma: 0.5, Mean: make([]float64, n), Stop: cmaes.Stop{Fun: tolerance}},
			Box:      box,
			Schedule: cmaes.Confirmed{Schedule: cmaes.BIPOP{}, Tolerance: 1e4 * tolerance},
			Seed:     seed,
		}
	})
}

// near searches each block once more, near the best point.
func (b *blockwise) near() error {
	return b.together(func(k *block, tolerance float64, seed uint64) cmaes.Series {
		return cmaes.Series{
			Run:      cmaes.Config{Sigma: 0.003, Mean: make([]float64, len(k.components)), Stop: cmaes.Stop{Fun: tolerance}},
			Box:      objective.Cube(len(k.components), -1, 1),
			Schedule: cmaes.Once{},
			Seed:     seed,
		}
	})
}

// together runs a series in every block from the best point on, and asks for the
// point where the best of all blocks meet with every batch, so that a target is
// seen as soon as it is reached.
func (b *blockwise) together(series func(k *block, tolerance float64, seed uint64) cmaes.Series) error {
	if len(b.blocks) == 0 {
		return nil
	}
	b.task.Stage(objective.Stage{Name: "blocks", Purpose: objective.AlongThem})
	b.x, b.fx = slices.Clone(b.f.best.Point), b.f.best.Value
	tolerance := max(1e-12, 0x1p-44*math.Abs(b.fx)) // f is a sum, with the rounding of all its terms
	b.talks = nil
	for i, k := range b.blocks {
		k.best = objective.Best{Point: make([]float64, len(k.components)), Value: b.fx}
		s := series(k, tolerance, b.task.Seed+uint64(i)<<32)
		talk := asktell.New(len(k.components), func(f objective.Objective) error {
			_, err := s.Minimize(b.ctx, f)
			return err
		})
		defer talk.Stop()
		b.talks = append(b.talks, talk)
	}
	for {
		more, err := b.step()
		if !more || err != nil {
			return err
		}
	}
}

// A place is where a block is.
type place struct {
	k *block
	z []float64
}

// step advances every block by a batch, and reports whether there was any to
// advance.
func (b *blockwise) step() (bool, error) {
	wants, err := asktell.Wanted(b.talks)
	if err != nil {
		return false, err
	}
	inside := make([]int, 0, len(wants)) // those within the bounds
	x := make([]float64, len(b.x))
	for i, w := range wants {
		if b.at(x, place{b.blocks[w.Talk], w.Point}); b.inside(x) {
			inside = append(inside, i)
		}
	}
	values, err := objective.Ask(b.ctx, b.f, len(inside)+1, func(i int, row []float64) {
		if i < len(inside) {
			w := wants[inside[i]]
			b.at(row, place{b.blocks[w.Talk], w.Point})
			return
		}
		if b.meet(row); !b.inside(row) {
			copy(row, b.x)
		}
	})
	if err != nil {
		return false, err
	}
	all := slices.Repeat([]float64{math.Inf(1)}, len(wants))
	for i, at := range inside {
		all[at] = values[i]
		b.blocks[wants[at].Talk].best.Offer(wants[at].Point, values[i])
	}
	asktell.TellAll(b.talks, all)
	return len(wants) > 0, nil
}

// inside reports whether x is within the bounds, to rounding.
func (b *blockwise) inside(x []float64) bool {
	for k, v := range x {
		if v < b.task.Bounds.Lo[k]-1e-9 || v > b.task.Bounds.Hi[k]+1e-9 {
			return false
		}
	}
	return true
}

// at sets x to the point with some blocks at other places.
func (b *blockwise) at(x []float64, places ...place) {
	copy(x, b.x)
	for _, p := range places {
		for i, j := range p.k.components {
			kernel.AddScaled(x, p.z[i]*p.k.reach[i], b.u.RawRowView(j))
		}
	}
}

// meet sets x to the point where the best of all blocks meet.
func (b *blockwise) meet(x []float64) {
	var places []place
	for _, k := range b.blocks {
		places = append(places, place{k, k.best.Point})
	}
	b.at(x, places...)
}
