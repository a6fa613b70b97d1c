package needs

import (
	"flag"
	"strconv"
)

// Parallel lets so many tests run at the same time, unless told otherwise: for those that wait.
func Parallel(tests int) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if !told {
		_ = flag.Set("test.parallel", strconv.Itoa(tests))
	}
}
