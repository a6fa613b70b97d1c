// Package seeded makes tests that use rapid draw the same cases each time.
// Import it for that alone, in a file of the tests:
//
//	import _ "github.com/untwist/untwist/internal/seeded"
//
// The flag -rapid.seed still chooses other cases; -rapid.seed=0 chooses new ones
// each time. Where tests are quick, a quarter of the usual cases is drawn; -rapid.checks
// says otherwise.
package seeded

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flags before init is called
)

// seed and quick are the defaults of -rapid.seed and, where tests are quick, of -rapid.checks. Any seed but 0 will do.
const seed, quick = "1", "25"

func init() {
	set("rapid.seed", seed)
	if os.Getenv("UNTWIST_TESTS") != "usual" {
		set("rapid.checks", quick)
	}
}

func set(name, value string) {
	f := flag.Lookup(name)
	if f == nil {
		panic("seeded: rapid has no flag " + name)
	}
	if err := f.Value.Set(value); err != nil {
		panic("seeded: " + err.Error())
	}
	f.DefValue = value
}
