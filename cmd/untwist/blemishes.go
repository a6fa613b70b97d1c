package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/problem"
)

// blemishes are the names of the flags, in the order in which they are applied.
var blemishes = []string{
	"single", "coupling", "coupling-kind", "map", "noise", "noise-relative", "scale-value", "offset", "digits", "failing", "failing-beyond",
}

// registerBlemishes declares the flags that make a built-in problem less clean.
func registerBlemishes(flags *pflag.FlagSet, b *problem.Blemishes) {
	registerBlemishLists(flags, b, atLeast0.flag(&b.Coupling), text(&b.Map), atLeast0.flag(&b.Noise))
}

// registerBlemishLists declares them with these values for three that may be lists.
func registerBlemishLists(flags *pflag.FlagSet, b *problem.Blemishes, coupling, outer, noise pflag.Value) {
	flags.BoolVar(&b.Single, "single", false, "compute a built-in problem in single precision")
	flags.Var(coupling, "coupling", "add a coupling between components to a built-in problem, of `D` standard deviations of it; the minimum is then not known")
	flags.Var(text(&b.CouplingKind), "coupling-kind", "one of "+strings.Join(problem.CouplingKinds(), ", ")+" (default "+problem.CouplingKinds()[0]+")")
	flags.Var(outer, "map", "put a map around a built-in problem: one of "+strings.Join(problem.Maps(), ", "))
	flags.Var(noise, "noise", "add Gaussian noise of `S` standard deviations of a built-in problem over its domain")
	flags.Var(atLeast0.flag(&b.NoiseRelative), "noise-relative", "multiply the values of a built-in problem by 1 + `S`·ξ, ξ Gaussian")
	flags.Var(above0.flag(&b.ScaleValue), "scale-value", "multiply the values of a built-in problem by `A`")
	flags.Var(anyNumber.flag(&b.Offset), "offset", "add `B` to the values of a built-in problem, after the scale")
	flags.Var(count(&b.Digits), "digits", "round the values of a built-in problem to `N` significant digits")
	flags.Var(below1.flag(&b.Failing), "failing", "let a built-in problem fail at a share `P` of all points")
	flags.Var(atLeast0.optional(&b.FailingBeyond), "failing-beyond", "let a built-in problem fail beyond a random plane, `T` widths of its domain from its minimiser")
}

// blemishLists are the flags for what is not clean. Those that are lists are multiplied.
type blemishLists struct {
	problem.Blemishes
	couplings, noises []float64
	maps              []string
}

// register declares the flags.
func (f *blemishLists) register(flags *pflag.FlagSet) {
	registerBlemishLists(flags, &f.Blemishes, numberList(&f.couplings), nameList(&f.maps), numberList(&f.noises))
}

// unknown reports whether the minimum of some case is not known.
func (f *blemishLists) unknown() bool {
	return slices.ContainsFunc(f.couplings, func(v float64) bool { return v != 0 })
}

// all returns every combination.
func (f *blemishLists) all() (all []problem.Blemishes) {
	for _, outer := range orElse(f.maps, "none") {
		for _, noise := range orElse(f.noises, 0) {
			for _, coupling := range orElse(f.couplings, 0) {
				b := f.Blemishes
				b.Noise, b.Coupling = noise, coupling
				if outer != "none" {
					b.Map = outer
				}
				if coupling == 0 && f.unknown() { // the kind is for the others
					b.CouplingKind = ""
				}
				all = append(all, b)
			}
		}
	}
	return all
}
