//go:build !unix

package store

import "os"

// Without such locks, only one program may use a store.
func lock(*os.File) (bool, error) { return true, nil }
func unlock(*os.File)             {}
