// Package seeded makes tests that use rapid draw the same cases each time.
// Import it for that alone, in a file of the tests:
//
//	import _ "github.com/untwist/untwist/internal/seeded"
//
// The flag -rapid.seed still chooses other cases; -rapid.seed=0 chooses new ones
// each time.
package seeded

import (
	"flag"

	_ "pgregory.net/rapid" // registers the flag before init is called
)

// seed is the default of -rapid.seed. Any number but 0 will do.
const seed = "1"

func init() {
	f := flag.Lookup("rapid.seed")
	if f == nil {
		panic("seeded: rapid has no flag rapid.seed")
	}
	if err := f.Value.Set(seed); err != nil {
		panic("seeded: " + err.Error())
	}
	f.DefValue = seed
}
