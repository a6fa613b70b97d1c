package guardian

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if role := os.Getenv("GUARDIAN_TEST_ROLE"); role != "" {
		play(role)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
