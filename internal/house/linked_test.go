package house

import (
	"os/exec"
	"strings"
	"testing"
)

// Programs that import only the root package do not link NATS, nor do the tests of the
// messages that go through it.
func TestTheRootDoesNotLinkNATS(t *testing.T) {
	list := func(room string) string {
		out, err := exec.Command("go", "list", "-deps", module+room).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if strings.Contains(list(""), "nats-io") {
		t.Error("the root package links NATS")
	}
	if strings.Contains(list("/internal/cluster/wire"), "nats-io") {
		t.Error("the messages link NATS")
	}
	if !strings.Contains(list("/internal/cluster"), "nats-io/nats-server") {
		t.Error("the test does not see what is linked")
	}
}
