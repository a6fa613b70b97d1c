package several

// sums is for functions that are a sum over the coordinates.
func (l *limits) sums() (done bool, err error) { return false, nil }
