package auto

import (
	"fmt"
	"os"
)

func dbg(format string, args ...any) {
	if os.Getenv("DBG") != "" {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}
