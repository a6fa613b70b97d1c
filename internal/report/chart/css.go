package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// A palette is the colours of pictures on one kind of paper.
type palette struct {
	paper, text, soft string           // soft is that of notes and axes
	grid, odd         string           // faint lines, and every second stage
	line, well, star  string           // what matters; star is filled
	parts             [hues + 1]string // of bars; the first is that of the others
	shades            [shades]string   // of couplings, from weak to strong
	ground            [bands]string    // of landscapes, from low to high
}

var light = palette{
	paper: "#ffffff", text: "#1a1d21", soft: "#555b63", grid: "#dfe3e8", odd: "#eef1f5",
	line: "#005a9c", well: "#b3400a", star: "#ffcd28",
	parts:  [...]string{"#757575", "#0973e6", "#b55e14", "#08382e", "#964398", "#4c3807", "#45008d"},
	shades: [...]string{"#fdf1d8", "#fbdca6", "#f5bd72", "#e9944a", "#d2653a", "#ab3a3d", "#771c40", "#3a0a2e"},
	ground: [...]string{"#709cc8", "#84aacf", "#98b7d6", "#acc5dd", "#bfd2e3", "#d3e0ea", "#e7edf1", "#fbfbf8"},
}

var dark = palette{
	paper: "#15181d", text: "#eceff3", soft: "#aab2bd", grid: "#2e343c", odd: "#20252c",
	line: "#6cb8f0", well: "#ff9d5c", star: "#ffcd28",
	parts:  [...]string{"#9d9d9d", "#62affc", "#e84e2c", "#2eeaa4", "#f9cffa", "#fcb714", "#7a6cfc"},
	shades: [...]string{"#2a2230", "#432642", "#692b4d", "#943a4c", "#c05745", "#e28249", "#f5b868", "#fdf0c8"},
	ground: [...]string{"#3f6c99", "#386088", "#325578", "#2c4a68", "#263f58", "#213549", "#1c2b3a", "#18222c"},
}

// variables returns the names of the colours, and what they are.
func (p palette) variables() [][2]string {
	all := [][2]string{
		{"paper", p.paper}, {"text", p.text}, {"soft", p.soft}, {"grid", p.grid}, {"odd", p.odd}, {"line", p.line}, {"well", p.well}, {"star", p.star},
	}
	for letter, colours := range map[string][]string{"p": p.parts[:], "g": append([]string{p.paper}, p.ground[:]...), "s": append([]string{p.paper}, p.shades[:]...)} {
		for k, c := range colours {
			all = append(all, [2]string{fmt.Sprint(letter, k), c})
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return all
}

// rules are how the elements of pictures look.
//
//go:embed chart.css
var rules string

// style returns how the elements of pictures look, a line for each.
func style() string {
	var out strings.Builder
	out.WriteString(rules)
	for _, v := range []struct {
		colour, stroke, fill string
		n                    int
	}{{"p", "l", "p", hues}, {"s", "s", "f", shades}, {"g", "g", "h", bands}} {
		for k := range v.n + 1 {
			fmt.Fprintf(&out, ".chart .c-%s%d{fill:var(--chart-%s%d)}\n.chart .c-%s%d{stroke:var(--chart-%s%d)}\n", v.fill, k, v.colour, k, v.stroke, k, v.colour, k)
		}
	}
	return out.String()
}

// CSS returns the style of the pictures, for a style element of the page. The colours are
// variables whose names begin with --chart-; those of --chart-paper and --chart-text are
// good for the page itself. They are dark ones where the reader prefers that, except in
// print.
func CSS() template.CSS {
	declared := func(p palette) string {
		var out strings.Builder
		for _, v := range p.variables() {
			fmt.Fprintf(&out, "--chart-%s:%s;", v[0], v[1])
		}
		return out.String()
	}
	return template.CSS(":root{" + declared(light) + "}\n@media screen and (prefers-color-scheme:dark){:root{" + declared(dark) + "}}\n" + style())
}

// class is one that a rule is for.
var class = regexp.MustCompile(`c-[a-z0-9]+`)

// ownStyle returns the style of a picture as a file: only the rules that it needs, and without
// variables, which not all programs know that show or convert SVG.
func ownStyle(body string) string {
	var needed strings.Builder
	for rule := range strings.Lines(style()) {
		selector, _, _ := strings.Cut(rule, "{")
		classes := class.FindAllString(selector, -1)
		if strings.HasPrefix(rule, ".chart ") && (len(classes) == 0 || slices.ContainsFunc(classes, func(c string) bool { return strings.Contains(body, c) })) {
			needed.WriteString(rule)
		}
	}
	in := func(p palette) string {
		var pairs []string
		for _, v := range p.variables() {
			pairs = append(pairs, "var(--chart-"+v[0]+")", v[1])
		}
		return strings.NewReplacer(pairs...).Replace(needed.String())
	}
	return in(light) + "@media screen and (prefers-color-scheme:dark){" + in(dark) + "}\n"
}
