// Package house has no code, only the tests that keep the house in order: the
// packages stay on their floors, the algorithms reach for no clock, file,
// goroutine or chance, what is exported can be used from outside, files and
// functions stay short, and tests draw the same cases each time and do not
// sleep.
//
// The tests read the tree themselves, in their own process. The go command
// notes which files and folders a test opens, so that it runs the tests again
// when a file is added, although it keeps the results of tests.
package house
