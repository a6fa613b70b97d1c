// Package experiment repeats what the paper shows, from its settings to its
// pictures, and compares methods on other problems in the same way.
//
// A Grid is problem × method × seed: Run makes its runs and keeps each in a store as it
// finishes, Tabulate makes a Table of them, which writes and draws itself. Start there,
// or with Figure1. Everything is the same bits for the same seed, times aside; only what
// is named Write or Draw writes files, and only the store is written while runs are made.
//
// Reference: Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions", section 4.
package experiment
