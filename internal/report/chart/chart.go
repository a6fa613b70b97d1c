// Package chart draws pictures as SVG, for HTML pages and for files.
//
//	<style>{{chart.CSS}}</style> … {{(chart.Convergence …).HTML}}
//	err := chart.Convergence(…).Save("convergence.svg")
//
// Start with Convergence, for one run, or with Lines, for many. Pictures for pages are 360
// units wide, so that their letters, 12 units high, are readable on a telephone; on a wide
// screen several stand beside each other, and in a file they are in the rows of a Sheet. The
// words are real text in the reader's own sans-serif font. The colours are for light and dark
// screens and for paper; in pages they are variables of the style that CSS returns. There are
// no scripts, no identifiers and nothing that has to be fetched. The same is drawn for the
// same, to the byte. Whatever is given is drawn somehow: values that are not finite are left
// out, and a picture of nothing says so in words. Names may contain anything; those that are
// too long are cut, and the whole name is shown when the pointer is over it. Components are
// called combinations where parameters have names, as people say who do not know Untwist, and
// are counted from 1.
package chart

import (
	"fmt"
	"html/template"
	"math"
	"path/filepath"
	"strings"

	"github.com/untwist/untwist/internal/atomicfile"
)

// A Scale says how numbers are laid out along an axis.
type Scale int

// The scales.
const (
	Linear Scale = iota
	Logarithmic
)

// wide is the width of pictures for pages.
const wide = 360.

// A point is one on paper, or one of a curve.
type point struct{ x, y float64 }

// bounded limits v to a range in which sums and a few products are finite.
func bounded(v float64) float64 { return max(-1e300, min(v, 1e300)) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// nothing is the picture of what cannot be drawn: it says why.
func nothing(label, why string) Picture {
	c := &canvas{wide: wide}
	c.text(place{at: point{4, 13}, class: "c-label", room: wide - 8}, label)
	c.text(place{at: point{wide / 2, 40}, anchor: middle, class: "c-note", room: wide - 16}, why)
	return c.done(60, strings.TrimPrefix(label+": "+why, ": "))
}

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
