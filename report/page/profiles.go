package page

import (
	"fmt"
	"math"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/report/chart"
)

// A profilesView shows the function along combinations.
type profilesView struct {
	Pictures []picture
	More     string
}

// mostProfiles is how many profiles are drawn, the most important first.
const mostProfiles = 24

// newProfiles draws the profiles; nil if there are none.
func newProfiles(p Page, c coordinates) *profilesView {
	v := &profilesView{}
	n := 0
	for _, k := range c.all {
		if k.profile == nil {
			continue
		}
		if n++; n > mostProfiles {
			continue
		}
		name := fmt.Sprintf("Combination %d", k.index+1)
		if p.Run.Result.Structure.Frame.AlongAxes() {
			name = k.words
		}
		v.Pictures = append(v.Pictures, picture{chart.Profile(*k.profile, name, c.axis(k), "change of the function"), wells(*k.profile)})
	}
	if n == 0 {
		return nil
	}
	if n > mostProfiles {
		v.More = "and " + words.Count(n-mostProfiles, "more combination", "more combinations") + ", along which the function changes less."
	}
	return v
}

// axis says what is on the axis of a profile: the combination, with its unit if all its
// parameters have the same.
func (c coordinates) axis(k combination) string {
	unit, logs, others := "", 0, 0
	most := 0.0
	for _, w := range k.row {
		most = max(most, math.Abs(w))
	}
	for i, w := range k.row {
		if math.Abs(w) < most/1000 {
			continue
		}
		q := c.space[c.space.Free()[i]]
		if q.Log {
			logs++
			continue
		}
		if others++; others == 1 {
			unit = q.Unit
		} else if unit != q.Unit {
			unit = ""
		}
	}
	switch {
	case logs > 0 && others == 0:
		return "log(" + k.words + ")"
	case logs == 0 && unit != "":
		return k.words + " [" + unit + "]"
	}
	return k.words
}

// wells says in a sentence how many valleys a profile has and where.
func wells(p untwist.Profile) string {
	at := func(w untwist.Well) string { return size(w.Y) }
	text := ""
	switch n := len(p.Wells); {
	case n == 0:
		return "The line is the function along this combination, from left to right; no valley was found."
	case n == 1:
		text = fmt.Sprintf("One valley, lowest at %s", at(p.Wells[0]))
	default:
		text = fmt.Sprintf("%s valleys, marked: the lowest at %s, the next at %s, %s higher", words.Thousands(n), at(p.Wells[0]), at(p.Wells[1]), size(p.Wells[1].Value-p.Wells[0].Value))
	}
	if p.Open {
		return text + "; the function still falls at the end of the range."
	}
	return text + "."
}
