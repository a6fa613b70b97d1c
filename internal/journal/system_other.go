//go:build !linux

package journal

import (
	"errors"
	"os"
)

func supported() error { return errLinux }

var errLinux = errors.New("journals need Linux")

func gripOn(*os.File) (grip, error)        { return nobody, errLinux }
func startOf(int) string                   { return "" }
func reserve(*os.File, int64, int64) error { return errLinux }
func full(error) bool                      { return false }
