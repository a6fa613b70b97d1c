package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// colours are those of pictures, a line each: a name, the colour on light paper, and that on dark paper. soft is for notes and
// axes, grid for faint lines, odd for every second stage, line, well and star for what matters. The parts of bars are p1 to p6,
// the others p0; s1 to s8 are couplings, from weak to strong, and g1 to g8 the ground of landscapes, from low to high.
//
//go:embed colours.txt
var colours string

// A palette has the names of the colours, and what they are on one kind of paper.
type palette [][2]string

func palettes() (light, dark palette) {
	for line := range strings.Lines(colours) {
		f := strings.Fields(line)
		light, dark = append(light, [2]string{f[0], f[1]}), append(dark, [2]string{f[0], f[2]})
	}
	return light, dark
}

// rules are how the elements of pictures look, a line for each.
//
//go:embed chart.css
var rules string

// CSS returns the style of the pictures, for a style element of the page. The colours are
// variables whose names begin with --chart-; those of --chart-paper and --chart-text are
// good for the page itself. They are dark ones where the reader prefers that, except in
// print.
func CSS() template.CSS {
	declared := func(p palette) string {
		var out strings.Builder
		for _, v := range p {
			fmt.Fprintf(&out, "--chart-%s:%s;", v[0], v[1])
		}
		return out.String()
	}
	light, dark := palettes()
	return template.CSS(":root{" + declared(light) + "}\n@media screen and (prefers-color-scheme:dark){:root{" + declared(dark) + "}}\n" + rules)
}

// class is one that a rule is for.
var class = regexp.MustCompile(`c-[a-z0-9]+`)

// ownStyle returns the style of a picture as a file: only the rules that it needs, and without
// variables, which not all programs know that show or convert SVG.
func ownStyle(body string) string {
	var needed strings.Builder
	for rule := range strings.Lines(rules) {
		selector, _, _ := strings.Cut(rule, "{")
		classes := class.FindAllString(selector, -1)
		if strings.HasPrefix(rule, ".chart ") && (len(classes) == 0 || slices.ContainsFunc(classes, func(c string) bool { return strings.Contains(body, c) })) {
			needed.WriteString(rule)
		}
	}
	in := func(p palette) string {
		var pairs []string
		for _, v := range p {
			pairs = append(pairs, "var(--chart-"+v[0]+")", v[1])
		}
		return strings.NewReplacer(pairs...).Replace(needed.String())
	}
	light, dark := palettes()
	return in(light) + "@media screen and (prefers-color-scheme:dark){" + in(dark) + "}\n"
}
