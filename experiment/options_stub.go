package experiment

import (
	"fmt"
	"strings"

	"github.com/untwist/untwist/problem"
)

// optionsOf returns what is not clean in a problem, in words. It stands in for
// problem.Blemishes.String.
func optionsOf(s problem.Spec) string {
	var all []string
	b := s.Blemishes
	if b.Coupling != 0 {
		all = append(all, fmt.Sprintf("coupling=%g", b.Coupling))
	}
	if b.Map != "" {
		all = append(all, "map="+b.Map)
	}
	if b.Noise != 0 {
		all = append(all, fmt.Sprintf("noise=%g", b.Noise))
	}
	if b.Digits != 0 {
		all = append(all, fmt.Sprintf("digits=%d", b.Digits))
	}
	return strings.Join(all, " ")
}
