package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A path is a way to run the kernels. All paths give the same bits.
type path int

const (
	plain  path = iota // Go
	avx2               // assembly for AVX2 with FMA
	avx512             // assembly for AVX-512
)

var pathNames = []string{"go", "avx2", "avx512"}

func (p path) String() string { return pathNames[p] }

// lanes is how many float64s a vector of the path has.
func (p path) lanes() int {
	switch p {
	case avx512:
		return 8
	case avx2:
		return 4
	}
	return 2
}

// environment is the variable that forces a path: go, avx2 or avx512. If it is not
// set, the best path that the processor has is used. Results do not depend on the
// path, so the variable is useful only in tests and benchmarks.
const environment = "UNTWIST_KERNEL"

// active is the path in use. It is chosen once, before main starts.
var active = choose(os.Getenv(environment), available())

// choose returns the path called name, or the last available path if name is empty. It
// panics if there is no path of that name: a test that asks for a path must not run on
// another.
func choose(name string, available []path) path {
	if name == "" {
		return available[len(available)-1]
	}
	p := path(slices.Index(pathNames, name))
	if !slices.Contains(available, p) {
		var names []string
		for _, p := range available {
			names = append(names, p.String())
		}
		panic(fmt.Sprintf("%s=%s: this processor has the paths %s", environment, name, strings.Join(names, ", ")))
	}
	return p
}
