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
	"math"
	"strings"
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

// finite says that v is neither NaN nor infinite.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// nothing is the picture of what cannot be drawn: it says why.
func nothing(label, why string) Picture {
	c := &canvas{wide: wide}
	c.text(place{at: point{4, 13}, class: "c-label", room: wide - 8}, label)
	c.text(place{at: point{wide / 2, 40}, anchor: middle, class: "c-note", room: wide - 16}, why)
	return c.done(60, strings.TrimPrefix(label+": "+why, ": "))
}
