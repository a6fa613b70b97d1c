package journal

import "github.com/untwist/untwist/objective"

// An Opener is an objective that wants to know its journal, to Amend it for one. Its error closes
// the journal.
type Opener interface{ Opened(*Journal) error }

// An Archive is an objective all of whose values are in a journal, which is then ReadOnly.
type Archive interface{ Archived() }

// For returns the settings with which the journal of an objective is opened.
func (c Config) For(f objective.Objective) Config {
	if o, ok := f.(Opener); ok {
		c.Opened = o.Opened
	}
	_, c.ReadOnly = f.(Archive)
	return c
}
