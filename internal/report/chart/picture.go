package chart

import (
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"github.com/untwist/untwist/internal/atomicfile"
)

// A Picture is what was drawn. All in it that is not ours was escaped.
type Picture struct {
	wide, high float64
	label      string // what is read aloud
	body       string
}

// svg returns the picture as an element, with attributes of one's own.
func (p Picture) svg(attributes, style string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="chart"%s viewBox="0 0 %s %s" role="img" aria-label="%s" font-family="sans-serif" font-size="%s">%s%s</svg>`,
		attributes, num(p.wide), num(p.high), template.HTMLEscapeString(p.label), num(letters), style, p.body)
}

// HTML returns the picture for a page that has CSS in its head.
func (p Picture) HTML() template.HTML { return template.HTML(p.svg("", "")) }

// SVG returns the picture as a file, which has its style in it and its own paper.
func (p Picture) SVG() string {
	size := fmt.Sprintf(` width="%s" height="%s"`, num(1.5*p.wide), num(1.5*p.high))
	p.body = fmt.Sprintf(`<rect class="c-paper" x="0" y="0" width="%s" height="%s"/>`, num(p.wide), num(p.high)) + p.body + "\n"
	return p.svg(size, "<style>\n"+ownStyle(p.body)+"</style>") + "\n"
}

// Save writes the picture to a file, whose name ends with .svg. If that fails, the file stays
// as it was.
func (p Picture) Save(path string) error {
	if filepath.Ext(path) != ".svg" {
		return fmt.Errorf("%s: %s", path, OnlySVG)
	}
	return atomicfile.Write(path, []byte(p.SVG()))
}

// OnlySVG is what to tell those who ask for another format.
const OnlySVG = "pictures are written as SVG, which browsers and word processors read; rsvg-convert and inkscape turn it into PDF, for LaTeX, or PNG"

// Sheet puts pictures into rows of so many, and what belongs to all of them below. Its title
// is above all; "": it has none.
func Sheet(title string, columns int, all []Picture, foot ...Picture) Picture {
	wide := 0.
	for k := range all {
		wide = max(wide, all[k].wide*float64(k%columns+1))
	}
	for _, p := range foot {
		wide = max(wide, p.wide)
	}
	c, y := newCanvas(wide, title)
	if y > 0 {
		y += 4
	}
	spoken := []string{clean(title)}
	put := func(p Picture, x float64) {
		fmt.Fprintf(&c.out, `<g transform="translate(%s %s)">%s</g>`, num(x), num(y), p.body)
		if p.label != "" {
			spoken = append(spoken, p.label)
		}
	}
	for k := 0; k < len(all); k += columns {
		high := 0.
		for j, p := range all[k:min(k+columns, len(all))] {
			put(p, p.wide*float64(j))
			high = max(high, p.high)
		}
		y += high
	}
	for _, p := range foot {
		put(p, (wide-p.wide)/2)
		y += p.high
	}
	return c.done(y, cut(strings.TrimPrefix(strings.Join(spoken, "; "), "; "), 20_000))
}

// Pair returns pictures beside each other or, where there is no room, below each other, and
// the last, which says what their colours mean, below them.
func Pair(all []Picture) (out template.HTML) {
	for _, p := range all {
		out += p.HTML()
	}
	return `<div class="chart-pair">` + out + `</div>`
}
