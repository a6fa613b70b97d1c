// Package experiment repeats the paper's experiments, from their settings to their
// pictures, and compares methods on other problems in the same way.
//
// A Grid is problem × method × seed. Run makes its runs and keeps each in a store as it
// finishes. Tabulate makes a Table of them, which can write and draw itself. Start there,
// or with Figure1. The same seed gives the same bits, except for times. Only methods named
// Write or Draw write files; while runs are made only the store is written.
//
// Reference: Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions", section 4.
package experiment
