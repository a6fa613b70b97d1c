package program

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// programs are what the test binary can be when it is started again by a test: its first
// word is "as", its second the name.
var programs = map[string]func(args []string){}

// as is the command of one of the programs.
func as(t testing.TB, name string, args ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{self, "as", name}, args...)
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as" {
		programs[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
