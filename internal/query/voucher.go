package query

import "github.com/untwist/untwist/objective"

// A Voucher is an Objective that can find out, when nothing more will be asked, whether the
// answers that it told can be trusted.
type Voucher interface {
	objective.Objective
	// Vouch returns a *VoidError if they cannot.
	Vouch() error
}
