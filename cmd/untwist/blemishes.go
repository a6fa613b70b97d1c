package main

import (
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/problem"
)

// blemishFlags are the flags that make a built-in problem less clean.
type blemishFlags struct {
	single               bool
	coupling             number
	kind, outer          text
	noise, noiseRelative number
	scale, offset        number
	digits               count
	failing, beyond      number
}

// blemishes are the names of the flags, in the order in which they are applied.
var blemishes = []string{
	"single", "coupling", "coupling-kind", "map", "noise", "noise-relative", "scale-value", "offset", "digits", "failing", "failing-beyond",
}

// register declares the flags.
func (f *blemishFlags) register(flags *pflag.FlagSet) {
	f.coupling, f.noise = atLeast0(), atLeast0()
	f.registerWith(flags, &f.coupling, &f.outer, &f.noise)
}

// registerWith declares the flags, with these values for three that may be lists.
func (f *blemishFlags) registerWith(flags *pflag.FlagSet, coupling, outer, noise pflag.Value) {
	f.noiseRelative, f.beyond = atLeast0(), atLeast0()
	f.scale, f.offset = above0(), anyNumber()
	f.failing = number{allow: func(v float64) bool { return v >= 0 && v < 1 }, must: "at least 0 and below 1"}
	flags.BoolVar(&f.single, "single", false, "compute a built-in problem in single precision")
	flags.Var(coupling, "coupling", "add a coupling between components to a built-in problem, of `D` standard deviations of it; the minimum is then not known")
	flags.Var(&f.kind, "coupling-kind", "one of "+strings.Join(problem.CouplingKinds(), ", ")+" (default "+problem.CouplingKinds()[0]+")")
	flags.Var(outer, "map", "put a map around a built-in problem: one of "+strings.Join(problem.Maps(), ", "))
	flags.Var(noise, "noise", "add Gaussian noise of `S` standard deviations of a built-in problem over its domain")
	flags.Var(&f.noiseRelative, "noise-relative", "multiply the values of a built-in problem by 1 + `S`·ξ, ξ Gaussian")
	flags.Var(&f.scale, "scale-value", "multiply the values of a built-in problem by `A`")
	flags.Var(&f.offset, "offset", "add `B` to the values of a built-in problem, after the scale")
	flags.Var(&f.digits, "digits", "round the values of a built-in problem to `N` significant digits")
	flags.Var(&f.failing, "failing", "let a built-in problem fail at a share `P` of all points")
	flags.Var(&f.beyond, "failing-beyond", "let a built-in problem fail beyond a random plane, `T` widths of its domain from its minimiser")
}

// blemishes returns what the flags ask for.
func (f *blemishFlags) blemishes() problem.Blemishes {
	return problem.Blemishes{
		Single:   f.single,
		Coupling: f.coupling.or0(), CouplingKind: string(f.kind), Map: string(f.outer),
		Noise: f.noise.or0(), NoiseRelative: f.noiseRelative.or0(),
		ScaleValue: f.scale.or0(), Offset: f.offset.or0(), Digits: int(f.digits),
		Failing: f.failing.or0(), FailingBeyond: f.beyond.value,
	}
}

// or0 returns the number, 0 if the flag was left out.
func (n *number) or0() float64 {
	if n.value == nil {
		return 0
	}
	return *n.value
}
