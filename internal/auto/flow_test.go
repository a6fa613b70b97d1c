package auto

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The flow that docs/auto.md draws: each arrow is a call in the file that it names, of a
// function in the other.
func TestTheFlowIsTheCode(t *testing.T) {
	page, err := os.ReadFile("../../docs/auto.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- flow -->\n```text\n")
	flow, _, found := strings.Cut(rest, "```\n<!-- end of flow -->")
	if !found {
		t.Fatal("docs/auto.md has no flow")
	}
	arrow := regexp.MustCompile(`^[│├└─ ]*(\w+) +(\w+)\.go → (\S+) `)
	for _, text := range strings.Split(strings.TrimSpace(flow), "\n") {
		m := arrow.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%q is no arrow", text)
			continue
		}
		name, from, to := m[1], m[2]+".go", m[3]
		if call := regexp.MustCompile(`(^|[^ \w]|\t| = | := |return )` + name + `\(`); !call.MatchString(source(t, from)) {
			t.Errorf("%s does not call %s", from, name)
		}
		definition := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + name + `\(`)
		if strings.HasSuffix(to, ".go") && !definition.MatchString(source(t, to)) {
			t.Errorf("%s has no function %s", to, name)
		}
	}
}

// source returns a file without its comments.
func source(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)//.*$`).ReplaceAllString(string(text), "")
}
