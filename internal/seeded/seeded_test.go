package seeded

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDraw draws numbers, and logs them.
func TestDraw(t *testing.T) {
	var all []int64
	rapid.Check(t, func(t *rapid.T) { all = append(all, rapid.Int64().Draw(t, "x")) })
	t.Log("drawn:", all)
}

// Two runs of a test draw the same cases; with another seed it draws others.
func TestTheSameCasesEachTime(t *testing.T) {
	drawn := func(args ...string) string {
		out, err := exec.Command(os.Args[0], append([]string{"-test.v", "-test.run=^TestDraw$"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, numbers, found := strings.Cut(string(out), "drawn: ")
		if !found {
			t.Fatalf("nothing is drawn: %s", out)
		}
		numbers, _, _ = strings.Cut(numbers, "\n")
		return numbers
	}
	first := drawn()
	if again := drawn(); again != first {
		t.Errorf("drawn %s, then %s", first, again)
	}
	if drawn("-rapid.seed="+seed) != first {
		t.Errorf("with -rapid.seed=%s other cases are drawn", seed)
	}
	if drawn("-rapid.seed=2") == first {
		t.Error("-rapid.seed=2 draws the same cases")
	}
	if drawn("-rapid.seed=0") == first {
		t.Error("-rapid.seed=0 draws the same cases")
	}
}
