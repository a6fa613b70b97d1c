// Package acceptance has the tests that measure: whole runs of the library and of the program,
// on many functions, budgets and seeds.
package acceptance
