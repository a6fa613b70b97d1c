package store

import (
	"cmp"
	"runtime/debug"
	"sync"
)

// released is the version of a program that is built without what the go command knows of the
// repository; its linker sets it:
//
//	go build -buildvcs=false -ldflags "-X github.com/untwist/untwist/internal/store.released=$(git describe --always)" ./cmd/untwist
var released string

// Version returns the version of this module with which the program was built: a tag, or the
// commit. By go run, by go test and with -buildvcs=false it is not known, and Version says so.
var Version = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && released == "" {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == "github.com/untwist/untwist" && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return cmp.Or(released, "(devel) of an unknown commit")
})
