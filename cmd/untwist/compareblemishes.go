package main

import (
	"slices"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/problem"
)

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
