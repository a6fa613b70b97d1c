package main

import (
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/problem"
)

// blemishLists are the flags for what is not clean. Those that are lists are multiplied.
type blemishLists struct {
	maps              names
	noises, couplings numbers

	kind                    text
	relative, scale, offset number
	digits                  whole
	failing, beyond         number
}

// register declares the flags.
func (f *blemishLists) register(flags *pflag.FlagSet) {
	f.relative, f.scale, f.offset, f.failing, f.beyond = atLeast0(), anyNumber(), anyNumber(), atLeast0(), anyNumber()
	flags.Var(&f.maps, "map", "`NAMES` of outer maps around the problems: none or any of "+strings.Join(problem.Maps(), ", "))
	flags.Var(&f.noises, "noise", "additive noise, relative to the spread of f: 0,1e-6 for example")
	flags.Var(&f.couplings, "coupling", "couplings of the components, relative to the spread of f: 0,0.1 for example")
	flags.Var(&f.kind, "coupling-kind", "`NAME` of the coupling: "+strings.Join(problem.CouplingKinds(), " or ")+" (default "+problem.CouplingKinds()[0]+")")
	flags.Var(&f.relative, "noise-relative", "noise relative to each value")
	flags.Var(&f.scale, "scale-value", "multiply all values by this")
	flags.Var(&f.offset, "offset", "add this to all values")
	flags.Var(&f.digits, "digits", "round values to this many significant digits")
	flags.Var(&f.failing, "failing", "the share of points that fail")
	flags.Var(&f.beyond, "failing-beyond", "points fail that are further from the minimum than this, in widths of the domain, in some direction")
}

// unknown reports whether the minimum of some case is not known.
func (f *blemishLists) unknown() bool {
	for _, v := range f.couplings {
		if v != 0 {
			return true
		}
	}
	return false
}

// given returns the first of the flags that was given, "" if none was.
func (f *blemishLists) given(from *source) string {
	return from.first([]string{
		"map", "noise", "coupling", "coupling-kind", "noise-relative", "scale-value", "offset", "digits", "failing", "failing-beyond",
	})
}

// all returns every combination.
func (f *blemishLists) all() (all []problem.Blemishes) {
	for _, m := range orElse(f.maps, "none") {
		if m == "none" {
			m = ""
		}
		for _, noise := range orElse(f.noises, 0) {
			for _, coupling := range orElse(f.couplings, 0) {
				b := problem.Blemishes{Map: m, Noise: noise, Coupling: coupling, FailingBeyond: f.beyond.value}
				if coupling != 0 {
					b.CouplingKind = string(f.kind)
				}
				put(&b.NoiseRelative, f.relative.value)
				put(&b.ScaleValue, f.scale.value)
				put(&b.Offset, f.offset.value)
				put(&b.Digits, f.digits.value)
				put(&b.Failing, f.failing.value)
				all = append(all, b)
			}
		}
	}
	return all
}
