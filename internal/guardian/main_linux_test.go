package guardian

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// actor is the first word of the command line of the programs in these tests, which are
// this executable.
const actor = "guardian-test-program"

// race tells the race detector not to wait for a second at the end of every program.
const race = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	name, value, _ := strings.Cut(race, "=")
	os.Setenv(name, value)
	if os.Args[0] == actor {
		play(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
