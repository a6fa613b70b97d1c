package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/words"
)

var (
	// A figure is a number of four digits or more, or so many of so many.
	aFigure = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:·d)?|\d[\d,]* of (?:the |all )?\d[\d,]*`)
	// What is in code, or quoted, is none: it is asked for, or printed.
	noText = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\"[^\"\n]*\"|(?m:^    [^\n]*$)")
	number = regexp.MustCompile(`\d+`)
	linked = regexp.MustCompile(`\]\(([^)#\s:]+)`)
)

// limits are numbers that are not measured: of parameters, processes, points that are asked for at a time or kept, of the least default budget, and of points
// that failures are counted over.
var limits = []string{"1,000", "1,024", "10,000", "20,000", "32,768", "65,536"}

// planned returns what README.md and docs/problem-file.md say of budgets: exactly, and to two digits.
func planned() (all []string) {
	for _, d := range []int{3, 5, 10, 20, 30, 50, 100, 200, 1000} {
		for _, n := range []int{identify.Least(d), 10*d*d + 300*d + 1000} {
			unit := 1
			for n/unit >= 100 {
				unit *= 10
			}
			all = append(all, words.Thousands(n), words.Thousands((n+unit/2)/unit*unit))
		}
	}
	return all
}

// unmeasured returns the figures of a document that it has from nowhere: not from a page of docs/data that it links to, not as
// what a command on it asks for, and not among numbers that are known.
func unmeasured(text, data string, known []string) (all []string) {
	has := map[string]bool{}
	for _, figure := range append(aFigure.FindAllString(data, -1), known...) {
		has[figure] = true
	}
	for _, code := range noText.FindAllString(text, -1) {
		for _, n := range number.FindAllString(code, -1) {
			has[n] = true
		}
	}
	for _, figure := range aFigure.FindAllString(noText.ReplaceAllString(text, " "), -1) {
		if !has[figure] && !has[strings.ReplaceAll(figure, ",", "")] && !strings.HasSuffix(figure, "·d") {
			all = append(all, figure)
		}
	}
	return all
}

// README.md and the documents have no figure of their own: each is on a page of docs/data that they link to.
func TestFigures(t *testing.T) {
	known := append(planned(), limits...)
	documents(t, func(path string, text []byte) {
		if path != "README.md" && (filepath.Dir(path) != "docs" || path == "docs/reference.md") {
			return
		}
		data := ""
		for _, link := range linked.FindAllSubmatch(text, -1) {
			if page := filepath.Join(filepath.Dir(path), string(link[1])); filepath.Dir(page) == "docs/data" && filepath.Ext(page) == ".md" {
				more, err := os.ReadFile("../../" + page)
				if err != nil {
					t.Fatal(err)
				}
				data += string(more)
			}
		}
		for _, figure := range unmeasured(string(text), data, known) {
			t.Errorf("%s: %s is on no page of docs/data that is linked from there", path, figure)
		}
	})
}

func TestTheHouseNoticesFigures(t *testing.T) {
	for _, c := range []struct {
		text, data string
		want       int
	}{
		{"It takes 1,234 queries, in 12 of 15 runs.", "", 2},
		{"It takes 1,234 queries, in 12 of 15 runs.", "| 1,234 | 12 of 15 |", 0},
		{"It takes 1,234 queries.", "12,345", 1},
		{"With `--budget 1234` it takes 1,234 queries.", "", 0},
		{"```sh\nuntwist --budget 1234\n```\nIt takes 1,234 or 1,235 queries.", "", 1},
		{"    untwist 12 of 15\n", "", 0},
		{"It says \"query 1,234 failed\".", "", 0},
		{"With 5,000·d queries and d = 1,000.", "", 0},
		{"Three of 15, 999.", "", 0},
	} {
		if got := unmeasured(c.text, c.data, limits); len(got) != c.want {
			t.Errorf("%q: %q, want %d", c.text, got, c.want)
		}
	}
}
