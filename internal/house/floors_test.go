package house

import (
	"fmt"
	"slices"
	"testing"
)

// floors is the house, from the ground up; "." is the root package. Rooms that
// are yet to be built have their place already.
var floors = [][]string{
	{"internal/kernel", "internal/words", "internal/canon", "internal/atomicfile", "internal/guardian", "internal/ranks", "internal/lists", "internal/quadratic"},
	{"objective", "internal/rng"},
	{"internal/query"},
	{"internal/grains"},
	{"frame", "jointdiag", "powermethod", "internal/outer", "internal/parameter", "internal/nearby"},
	{"certify", "hessian", "cbo", "cmaes", "problem", "internal/line", "internal/descent", "internal/model", "internal/interact", "internal/journal", "internal/asktell", "internal/leastsquares"},
	{"identify"},
	{"strategy", "internal/auto", "internal/several", "internal/mixed", "internal/sensitivity"},
	{"."},
	{"internal/experiment", "internal/report", "internal/report/chart", "internal/report/page", "internal/report/live", "internal/store", "internal/program", "internal/cluster", "internal/cluster/wire"},
	{"cmd/untwist", "examples", "examples/gofunc", "examples/gonum", "examples/microring", "examples/network", "examples/own"},
}

// doors are the imports allowed within a floor.
var doors = map[string][]string{
	"internal/cluster":     {"internal/cluster/wire"},
	"internal/experiment":  {"internal/store", "internal/report/chart"},
	"internal/report":      {"internal/report/chart"},
	"internal/report/page": {"internal/report", "internal/report/chart"},
	"internal/auto":        {"strategy"},
	"internal/several":     {"strategy"},
	"internal/mixed":       {"strategy", "internal/auto", "internal/several"},
}

// sheds stand beside the house: tests use them, and no room does.
var sheds = []string{"internal/acceptance", "internal/acceptance/flags", "internal/house", "internal/needs", "internal/seeded"}

func floorOf(room string) int {
	return slices.IndexFunc(floors, func(floor []string) bool { return slices.Contains(floor, room) })
}

// upward says why an import is not allowed, or "".
func upward(from, to string) string {
	switch {
	case slices.Contains(sheds, to):
		return fmt.Sprintf("%s imports %s, which is for tests", from, to)
	case floorOf(to) < 0:
		return homeless(to)
	case slices.Contains(sheds, from), floorOf(to) < floorOf(from), slices.Contains(doors[from], to):
		return ""
	}
	return fmt.Sprintf("%s (floor %d) imports %s (floor %d); imports go down only", from, floorOf(from), to, floorOf(to))
}

func homeless(room string) string {
	return fmt.Sprintf("%s has no floor: give it one in internal/house", room)
}

// upwards returns the imports of a room that are not allowed.
func upwards(r room) (complaints []string) {
	if floorOf(r.name) < 0 && !slices.Contains(sheds, r.name) {
		return []string{homeless(r.name)}
	}
	for _, f := range r.files {
		for _, where := range f.imports() {
			if to, ours := within(where.path); ours {
				if why := upward(r.name, to); why != "" {
					complaints = append(complaints, f.name+": "+why)
				}
			}
		}
	}
	return complaints
}

func TestTheHouseNoticesImportsThatGoUp(t *testing.T) {
	importing := func(from, to string) room {
		return built(t, from, "x.go", fmt.Sprintf("import %q", module+"/"+to))
	}
	for _, c := range [][2]string{
		{"objective", "cbo"}, {"cbo", "strategy"}, {"cbo", "problem"}, {"frame", "frame"}, {"frame", "jointdiag"},
		{"strategy", "internal/auto"}, {"internal/store", "internal/report"}, {"internal/report", "cmd/untwist"}, {"new", "frame"}, {"frame", "new"},
		{"frame", "internal/seeded"}, {"internal/canon", "internal/atomicfile"},
	} {
		wantComplaints(t, upwards, importing(c[0], c[1]), 1, c[1])
	}
	for _, c := range [][2]string{
		{"strategy", "cbo"}, {".", "objective"}, {"internal/experiment", "internal/store"}, {"internal/auto", "strategy"}, {"certify", "frame"},
		{"internal/store", "internal/atomicfile"},
	} {
		wantComplaints(t, upwards, importing(c[0], c[1]), 0, c[1])
	}
	root := fmt.Sprintf("import untwist %q", module)
	wantComplaints(t, upwards, built(t, "strategy", "x.go", root), 1, "the root")
	wantComplaints(t, upwards, built(t, "cmd/untwist", "x.go", root), 0, "the root")
	wantComplaints(t, upwards, built(t, "new", "x.go", ""), 1, "a room without a floor")
	wantComplaints(t, upwards, built(t, "cbo", "x_test.go", root), 0, "a test") // tests look where they like
}
