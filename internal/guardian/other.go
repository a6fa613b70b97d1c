//go:build !linux

package guardian

import (
	"errors"
	"os"
	"time"
)

var errSystem = errors.New("programs can be run on Linux only")

func launch(id, folder string, grace time.Duration) (*os.File, *os.Process, error) {
	return nil, nil, errSystem
}

func (g *Guardian) send(m message, files ...*os.File) error { return errSystem }

func sweep(id string, leaders []int) error { return nil }
