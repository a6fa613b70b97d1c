package certify

import (
	"cmp"
	"context"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Test says how to test a frame. Its zero value tests in [-1, 1]^d.
type Test struct {
	// Box is where points are drawn. Default [-1, 1]^d.
	Box objective.Box
	// Bounds limit what is asked; sides may be infinite. Default: no limit.
	Bounds objective.Box
	// Slack is the error E that the frame is known to have, if that is above 1e-7.
	Slack float64
	// Nearly is the Coupling up to which a frame of single components that does not
	// separate f is called NearlySeparable; 0: none is.
	Nearly float64
	// Quadratic says that f is known to be a quadratic. Its frame may be a conjugate
	// basis with very long directions, along which differences say nothing. It has been
	// certified by the Hessian already.
	Quadratic bool
	// Most is how many random splits are tested at most; 0: 20, and 80 where f has noise. A
	// verdict takes ten.
	Most int
	// Grain is how exact the values of f are. Default objective.Rounding.
	Grain objective.Grain
	// Random is where random numbers come from. Default: the stream ("certify") of
	// Seed.
	Random objective.Random
	Seed   uint64
}

// Certify tests whether f separates in the coordinates of a frame, into blocks of
// components (nil: single ones). For n blocks it asks 80 queries for random splits (320 where
// f has noise) and
// 3(2n + 2) more for all blocks, each split from the others. Where the frame leaves
// directions out it asks 12 for these. Where f fails it asks more. An error of f comes
// with the evidence so far. A single block of several components separates nothing: its
// verdict is NotSeparable whatever f is.
func (t Test) Certify(ctx context.Context, f objective.Objective, w *frame.Frame, blocks [][]int) (Certificate, error) {
	if w == nil {
		return None(), objective.BadOption("Frame", "is nil")
	}
	p, blocks, err := t.prober(ctx, f, w, blocks)
	if err != nil {
		return None(), err
	}
	c, err := p.splits(len(blocks), func() (x, a, b []float64) { return p.halves(w, blocks) })
	if err == nil && len(blocks) > 1 {
		err = p.alone(&c, w, blocks)
	}
	if err == nil && w.Components() < w.Dim() {
		err = p.beyond(&c, w)
	}
	if err != nil {
		return c, err
	}
	c.decide(w.Components(), len(blocks), t.Slack, t.Nearly, p.noisy())
	if yes := c.Verdict == Separable || c.Verdict == Blocks; yes && !t.Quadratic && mat.Norm(w.Inverse(), 2) > longest {
		c.Verdict = Unknown
	}
	return c, nil
}

// Splits tests random splits only, for 80 queries where f does not fail: enough to say
// no, and to say yes to what is exact. A nil frame stands for the coordinates as given.
func (t Test) Splits(ctx context.Context, f objective.Objective, w *frame.Frame, blocks [][]int) (Certificate, error) {
	if w == nil && blocks != nil {
		w = frame.Identity(f.Dim())
	}
	p, blocks, err := t.prober(ctx, f, w, blocks)
	if err != nil {
		return None(), err
	}
	components, draw := f.Dim(), p.axes
	if w != nil {
		components, draw = w.Components(), func() (x, a, b []float64) { return p.halves(w, blocks) }
	}
	c, err := p.splits(len(blocks), draw)
	if err == nil {
		c.decide(components, len(blocks), t.Slack, t.Nearly, p.noisy())
	}
	return c, err
}

// prober puts the defaults in, those of the blocks too, and returns an
// *objective.OptionError if a field is bad. A nil frame stands for the coordinates.
func (t Test) prober(ctx context.Context, f objective.Objective, w *frame.Frame, blocks [][]int) (*prober, [][]int, error) {
	d := f.Dim()
	if t.Box.IsZero() {
		t.Box = objective.Cube(d, -1, 1)
	}
	if t.Bounds.IsZero() {
		t.Bounds = objective.Cube(d, math.Inf(-1), math.Inf(1))
	}
	if err := t.check(d); err != nil {
		return nil, nil, err
	}
	if t.Grain == (objective.Grain{}) {
		t.Grain = objective.Rounding
	}
	if t.Random == nil {
		t.Random = rng.Seed(t.Seed).Stream("certify")
	}
	components := d
	if w != nil {
		if components = w.Components(); w.Dim() != d {
			return nil, nil, objective.BadOption("Frame", "it has %d coordinates, and f %d", w.Dim(), d)
		}
	}
	if blocks == nil {
		blocks = Singles(components)
	}
	if err := CheckBlocks(blocks, components); err != nil {
		return nil, nil, err
	}
	usual := splits
	if t.Grain.Noisy() {
		usual = noisySplits
	}
	return &prober{ctx: ctx, f: f, box: t.Box, bounds: t.Bounds, grain: t.Grain, random: t.Random, most: cmp.Or(t.Most, usual)}, blocks, nil
}

// check returns an *objective.OptionError if a field is bad.
func (t Test) check(d int) error {
	if err := CheckBox(t.Box, t.Bounds, d); err != nil {
		return err
	}
	if !(t.Slack >= 0) {
		return objective.BadOption("Slack", "%v, must be a number of at least 0", t.Slack)
	}
	if !(t.Nearly >= 0) {
		return objective.BadOption("Nearly", "%v, must be a number of at least 0", t.Nearly)
	}
	if t.Most < 0 {
		return objective.BadOption("Most", "%d, must not be negative", t.Most)
	}
	if g := t.Grain; !(g.Relative >= 0 && g.Absolute >= 0) {
		return objective.BadOption("Grain", "%v and %v, must be numbers of at least 0", g.Relative, g.Absolute)
	}
	return nil
}

// overhang is the part of its width by which a box may stick out of the bounds: what
// rounding makes of a box that touches them.
const overhang = 1e-3

// CheckBox returns an *objective.OptionError if a box in which points are drawn is not
// finite, or not within the bounds. Both need d coordinates.
func CheckBox(box, bounds objective.Box, d int) error {
	if err := box.Check(d); err != nil {
		return objective.BadOption("Box", "%v", err)
	}
	if err := box.CheckFinite(); err != nil {
		return objective.BadOption("Box", "%v", err)
	}
	if err := bounds.Check(d); err != nil {
		return objective.BadOption("Bounds", "%v", err)
	}
	for k := range d {
		if slack := float64(overhang * (box.Hi[k] - box.Lo[k])); box.Lo[k]+slack < bounds.Lo[k] || box.Hi[k]-slack > bounds.Hi[k] {
			return objective.BadOption("Box", "must lie within the bounds; coordinate %d: %v:%v is not within %v:%v",
				k+1, box.Lo[k], box.Hi[k], bounds.Lo[k], bounds.Hi[k])
		}
	}
	return nil
}

// Singles returns m blocks of one component each.
func Singles(m int) [][]int {
	blocks := make([][]int, m)
	for i := range m {
		blocks[i] = []int{i}
	}
	return blocks
}

// CheckBlocks returns an *objective.OptionError unless each of so many components is in
// exactly one block.
func CheckBlocks(blocks [][]int, components int) error {
	seen := make([]bool, components)
	n := 0
	for _, block := range blocks {
		for _, j := range block {
			if j < 0 || j >= components || seen[j] {
				return objective.BadOption("Blocks", "component %d is in two blocks, or is not one of 0 to %d (they count from 0)", j, components-1)
			}
			seen[j] = true
			n++
		}
		if len(block) == 0 {
			return objective.BadOption("Blocks", "a block is empty")
		}
	}
	if n < components {
		return objective.BadOption("Blocks", "the blocks hold %d of %d components", n, components)
	}
	return nil
}
