package strategy

import (
	"fmt"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
)

// Learnt is what a strategy has found out about f.
type Learnt struct {
	// Finding is what is known of the coordinates; nil: nothing.
	Finding *identify.Finding
	// Interactions say which variables interact; nil: nobody has asked.
	Interactions *identify.Interactions
	// Profiles are the components that were looked at along lines, each with its
	// coordinate y = ⟨w̃_j, x⟩ for Y, and its values less the lowest of them: f_j up to a
	// constant. The first well is the one chosen unless bounds forbid it.
	Profiles []frame.Profile
	// Notes are what else the user should know, in words.
	Notes []string
}

// Note adds a note.
func (l *Learnt) Note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}
