package identify

import (
	"io"
	"os"
)

func tr() io.Writer {
	if os.Getenv("TR") != "" {
		return os.Stderr
	}
	return nil
}
