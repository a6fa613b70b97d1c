// Package experiment repeats what the paper shows, from its settings to its
// pictures. An experiment is a plain struct whose method computes, the same bits
// for the same seed; drawing goes through report, and only that writes files.
// Start with Figure1.
//
// Reference: Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions".
package experiment
