package experiment

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/store"
)

// invented returns a sweep in which all runs succeed, and frames that were found have errors
// near 0.2.
func invented(s Sweep) Swept {
	all := Swept{Sweep: s}
	for _, at := range s.Places {
		p := Point{Place: at, Problem: s.Cases[at.Case].Problem, Budget: 1000, errors: map[uint64]float64{0: 0.2}}
		p.runs = []store.Run{{Reached: 100 + at.Method, Queries: 100 + at.Method, Gap: -1}}
		p.measure()
		all.Points = append(all.Points, p)
	}
	return all
}

// Each method has one colour in all figures of all sweeps, and no two have the same; the survey
// is told apart by hollow points.
func TestColoursAreThoseOfMethods(t *testing.T) {
	// The sample of a name, the last of its shapes, is drawn just before it.
	sampled := regexp.MustCompile(`class="([a-z0-9 -]*c-l([0-9])[a-z0-9 -]*)"[^>]*/><text[^>]*>([^<]*)<`)
	colours := map[string]string{} // by method
	figures := 0
	for name, make := range sweeps {
		s, err := make(Extent{Dim: 10, Runs: 1})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		files, err := invented(s).Draw(dir)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, p := range s.Places {
			lines = append(lines, inFigures(p.Line))
		}
		for _, file := range files {
			figures++
			picture, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, sample := range sampled.FindAllStringSubmatch(string(picture), -1) {
				line := html.UnescapeString(sample[3])
				if !slices.Contains(lines, line) {
					continue
				}
				found++
				method, road, _ := strings.Cut(line, ", ")
				if known, is := colours[method]; is && known != sample[2] {
					t.Errorf("%s: %s is %s, and %s elsewhere", filepath.Base(file), line, sample[2], known)
				}
				colours[method] = sample[2]
				level := strings.Contains(sample[1], "c-d5")
				if hollow := strings.Contains(sample[1], "c-hollow"); !level && hollow != (road == "survey") || level != (strings.HasPrefix(line, "CBO on") && name == "errors") {
					t.Errorf("%s: the sample of %s is %s", filepath.Base(file), line, sample[1])
				}
			}
			if found < 6 {
				t.Errorf("%s: %d lines in the legend", filepath.Base(file), found)
			}
		}
	}
	methods := map[string]string{} // by colour
	for method, colour := range colours {
		if other, is := methods[colour]; is {
			t.Errorf("%s and %s are both %s", method, other, colour)
		}
		methods[colour] = method
	}
	if _, is := colours["cbo"]; is || len(colours) != len(drawnMethods) || figures != 2*2+2*2+3 {
		t.Errorf("%d figures, colours %v", figures, colours)
	}
}

// Shares are in percent, and the floor of the gaps says what lies there.
func TestAxesOfSweeps(t *testing.T) {
	for name, want := range map[string][]string{
		"allocation-d10-1run-large-success.svg":      {"share of the budget that may go into finding W̃, in %", "10", "100"},
		"approximate-d10-1run-couplings-gap.svg":     {"final gap", "≤ 0.005"},
		"approximate-d10-1run-couplings-queries.svg": {"queries up to success, in thousands", "CBO on f", "0.1"},
	} {
		kind, _, _ := strings.Cut(name, "-")
		s, err := sweeps[kind](Extent{Dim: 10, Runs: 1})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := invented(s).Draw(dir); err != nil {
			t.Fatal(err)
		}
		picture, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range want {
			if !strings.Contains(string(picture), ">"+words+"<") {
				t.Errorf("%s has no %q", name, words)
			}
		}
	}
}
