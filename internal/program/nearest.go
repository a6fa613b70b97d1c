package program

import "fmt"

// nearest suggests the known name that is most like the given one: ` (did you mean "…"?)`,
// or nothing if none is like it.
func nearest(given string, known []string) string {
	best, least := "", max(2, len(given)/3)+1
	for _, name := range known {
		if d := distance(given, name); d < least && d < len(name) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance is Levenshtein's: how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
