package program

// Quote writes words as a command that can be pasted into a shell. Split is its inverse.
func Quote(words []string) string { return join(words) }
