// Package lists makes lists of others.
package lists

// Map returns what of makes of every element of a list.
func Map[T, U any](list []T, of func(T) U) []U {
	all := make([]U, len(list))
	for i, v := range list {
		all[i] = of(v)
	}
	return all
}
