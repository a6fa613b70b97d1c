package page

import (
	"fmt"
	"strings"

	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
)

// A profilesView shows the function along combinations.
type profilesView struct {
	Pictures []picture
	More     string
}

// mostProfiles is how many profiles are drawn. If there are more, only the most important ones
// are, fewProfiles of them.
const mostProfiles, fewProfiles = 24, 12

// newProfiles draws the profiles; nil if there are none.
func newProfiles(p Page, c coordinates) *profilesView {
	var all []combination
	for _, k := range c.all {
		if k.profile != nil {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return nil
	}
	v := &profilesView{}
	above := "above its lowest"
	if s := p.Run.Subject; s.Value != "" || s.Unit != "" {
		above = strings.TrimSpace(s.Quantity() + " above its lowest " + unitOf(s.Unit))
	}
	n := len(all)
	c.all = all
	if all = c.told(n); n > mostProfiles {
		all = c.told(fewProfiles)
		v.More = "and " + words.Count(n-fewProfiles, "more combination", "more combinations") + ", along which the function changes less."
	}
	for _, k := range all {
		name := fmt.Sprintf("Combination %d", k.index+1)
		if p.Run.Result.Structure.Frame.AlongAxes() {
			name = k.words
		}
		v.Pictures = append(v.Pictures, picture{chart.Profile(k.shown.profile(*k.profile), name, k.axis(), above).HTML(), wells(k)})
	}
	return v
}

// unitOf is a unit in brackets, as axes have it; "" if there is none.
func unitOf(unit string) string {
	if unit == "" {
		return ""
	}
	return "[" + unit + "]"
}

// wells says in a sentence how many valleys a profile has and where.
func wells(k combination) string {
	p := *k.profile
	text := ""
	switch n := len(p.Wells); {
	case n == 0:
		return "The line is the function along this combination, from left to right; no valley was found."
	case n == 1:
		text = "One valley, lowest at about " + k.value(p.Wells[0].Y)
	default:
		text = fmt.Sprintf("%s valleys, marked: the lowest at about %s, the next at about %s, %s higher", words.Thousands(n),
			k.value(p.Wells[0].Y), k.value(p.Wells[1].Y), size(p.Wells[1].Value-p.Wells[0].Value))
	}
	if p.Open {
		return text + "; the function still falls at the end of the range."
	}
	return text + "."
}
