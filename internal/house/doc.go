// Package house has no code, only the test that keeps the packages on their
// floors: imports go down, rooms of one floor do not import one another, and
// algorithms do not reach for clocks, files, goroutines or chance.
package house
