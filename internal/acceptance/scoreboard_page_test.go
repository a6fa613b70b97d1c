package acceptance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	in "github.com/untwist/untwist/internal/words"
)

const boardPage = "../../docs/data/scoreboard.md"

// boardText returns the table of rows under these σ, and what all scores come to.
func boardText(t *testing.T, b *board, sigmas []float64, rows []boardRow) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("|")
	for _, sigma := range sigmas {
		fmt.Fprintf(&text, " | σ = %g", sigma)
	}
	text.WriteString(" |\n|---|" + strings.Repeat("---|", len(sigmas)) + "\n")
	for _, r := range rows {
		text.WriteString("| " + strings.TrimSuffix(r.name, " d=20"))
		for _, sigma := range sigmas {
			text.WriteString(" | ")
			if n := b.stored(r, sigma); slices.Contains(r.sigmas, sigma) && n.all > 0 {
				text.WriteString(fmt.Sprint(n.right))
				if n.all != 15 {
					fmt.Fprintf(&text, " of %d", n.all)
				}
				if n.right > 0 {
					text.WriteString("; " + in.Thousands(n.median))
				}
			}
		}
		text.WriteString(" |\n")
	}
	return text.String()
}

// stored returns the tally of a cell in the file.
func (b *board) stored(r boardRow, sigma float64) tally {
	var all []score
	for seed := range r.seeds {
		if s, ok := b.known[fmt.Sprintf("%s,%d", r.cell(sigma), seed)]; ok {
			all = append(all, s)
		}
	}
	return tallyOf(all, r.spec.Coupling > 0)
}

// docs/data/scoreboard.md has the tables of testdata/scoreboard.csv; with -whole -update they are written.
func TestScoreboardPage(t *testing.T) {
	b := storedBoard(t)
	parts := map[string][]boardRow{}
	sum := tally{}
	jump, where := 0.0, ""
	for _, r := range wholeBoard() {
		part := "pairs"
		switch {
		case r.spec.Dim != 20:
			part = "dimensions"
		case r.spec.Coupling > 0:
			part = "couplings"
		case len(r.sigmas) > len(boardPair):
			part = "noise"
		}
		parts[part] = append(parts[part], r)
		before := tally{}
		for i, sigma := range r.sigmas {
			n := b.stored(r, sigma)
			sum.all, sum.wrong, sum.told, sum.tells = sum.all+n.all, sum.wrong+n.wrong, sum.told+n.told, sum.tells+n.tells
			if i > 1 && len(r.sigmas) == len(boardDecades) && min(n.right, before.right) >= 12 {
				if q := float64(n.median) / float64(before.median); q > jump {
					jump, where = q, r.cell(sigma)
				}
			}
			before = n
		}
	}
	texts := map[string]string{
		"noise":      boardText(t, b, boardDecades, parts["noise"]),
		"pairs":      boardText(t, b, boardPair, parts["pairs"]),
		"couplings":  boardText(t, b, boardPair, parts["couplings"]),
		"dimensions": boardText(t, b, boardDecades, parts["dimensions"]),
		"sums": fmt.Sprintf("In %d of %s runs a frame is called separating that is not right (a row is off by more than 0.01); one in 500 is the goal. "+
			"σ is told to a factor of 2 in %s of the %s runs that have noise and see it. Where 12 of 15 runs or more are right at a σ and at the next, the median is at most %.2f "+
			"times that before (%s).\n", sum.wrong, in.Thousands(sum.all), in.Thousands(sum.told), in.Thousands(sum.tells), jump, where),
	}
	page, err := os.ReadFile(boardPage)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		if *flags.Whole && *flags.Update {
			rewrite(t, boardPage, name, text)
		} else if want := "<!-- " + name + " -->\n" + text + "<!-- end of " + name + " -->\n"; !strings.Contains(string(page), want) {
			t.Errorf("%s does not have %q as in %s:\n%s", boardPage, name, boardFile, text)
		}
	}
}
