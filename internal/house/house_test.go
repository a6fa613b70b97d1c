package house

import (
	"fmt"
	"slices"
	"testing"
)

// A rule of the house says what is wrong with a room, a line for each thing.
type rule struct {
	name  string
	wrong func(room) []string
}

var rules = []rule{
	{"imports go down", upwards},
	{"algorithms are plain functions", notPlain},
	{"exported means usable", unusable},
	{"files and functions are short", long},
	{"rapid is seeded", unseeded},
	{"tests do not sleep", sleeping},
}

// mending are the rooms that still break a rule, and are being mended. A room
// that no longer breaks the rule must come off the list.
var mending = map[string][]string{
	"exported means usable":         {"hessian", "identify", "cmaes"},
	"files and functions are short": {"identify"},
}

func TestTheHouseIsInOrder(t *testing.T) {
	all := rooms(t)
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, complaint := range judge(rule, all, mending[rule.name]) {
				t.Error(complaint)
			}
		})
	}
}

// judge returns what is wrong with all rooms by one rule, where those in exempt
// may break it, and must.
func judge(by rule, all []room, exempt []string) (complaints []string) {
	for _, name := range exempt {
		if !slices.ContainsFunc(all, func(r room) bool { return r.name == name }) {
			complaints = append(complaints, fmt.Sprintf("there is no %s: take it off the list `mending`", name))
		}
	}
	for _, r := range all {
		wrong := by.wrong(r)
		switch {
		case !slices.Contains(exempt, r.name):
			for _, w := range wrong {
				complaints = append(complaints, fmt.Sprintf("%s: %s", r.name, w))
			}
		case len(wrong) == 0:
			complaints = append(complaints, fmt.Sprintf("%s is mended: take it off the list `mending`", r.name))
		}
	}
	return complaints
}

// wantComplaints fails unless a rule finds so much wrong with a room.
func wantComplaints(t *testing.T, by func(room) []string, r room, want int, about string) {
	t.Helper()
	if got := by(r); len(got) != want {
		t.Errorf("%s in %s: complaints %q, want %d", about, r.name, got, want)
	}
}

func TestTheHouseNoticesWhatIsMended(t *testing.T) {
	broken, fine := built(t, "cbo", "a.go", `import "os"`), built(t, "line", "a.go", `import "math"`)
	by := rule{"", notPlain}
	for _, c := range []struct {
		exempt []string
		want   int
	}{{nil, 1}, {[]string{"cbo"}, 0}, {[]string{"line"}, 2}, {[]string{"cbo", "line"}, 1}, {[]string{"cbo", "gone"}, 1}} {
		if got := judge(by, []room{broken, fine}, c.exempt); len(got) != c.want {
			t.Errorf("with %q exempt: complaints %q, want %d", c.exempt, got, c.want)
		}
	}
	names := map[string]bool{}
	for _, r := range rules {
		names[r.name] = true
	}
	for name := range mending {
		if !names[name] {
			t.Errorf("the list `mending` names no rule by %q", name)
		}
	}
}
