package house

import "testing"

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
	{"public packages have an example that runs", unshown},
	{"rapid is seeded", unseeded},
	{"tests do not sleep", sleeping},
}

func TestTheHouseIsInOrder(t *testing.T) {
	all := rooms(t)
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, r := range all {
				for _, wrong := range rule.wrong(r) {
					t.Errorf("%s: %s", r.name, wrong)
				}
			}
		})
	}
}

// wantComplaints fails unless a rule finds so much wrong with a room.
func wantComplaints(t *testing.T, by func(room) []string, r room, want int, about string) {
	t.Helper()
	if got := by(r); len(got) != want {
		t.Errorf("%s in %s: complaints %q, want %d", about, r.name, got, want)
	}
}
