// Package experiment compares methods on problems, and repeats the paper's experiments, from
// their settings to their pictures.
//
// A Grid is case × method × seed, where a case is a problem of some dimension. Its cases and
// methods are values, so that anyone's problems, strategies and optimisers can be in it. Run
// makes its runs and keeps each in a store as it finishes. Compare makes a Comparison of them,
// which can write and draw itself. Start there, with Table1, which is the paper's table, or
// with Figure1. The same seed gives the same bits, except for times. Only methods named Write
// or Draw write files; while runs are made only the store is written.
//
// Reference: Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions", section 4.
package experiment
