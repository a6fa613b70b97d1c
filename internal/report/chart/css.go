package chart

import (
	"fmt"
	"html/template"
	"strings"
)

// A palette is the colours of pictures on one kind of paper.
type palette struct {
	paper, text, soft string           // soft is that of notes and axes
	grid, odd         string           // faint lines, and every second stage
	line, well        string           // what matters
	parts             [hues + 1]string // of bars; the first is that of the others
	shades            [shades]string   // of couplings, from weak to strong
}

var light = palette{
	paper: "#ffffff", text: "#1a1d21", soft: "#555b63", grid: "#dfe3e8", odd: "#eef1f5",
	line: "#005a9c", well: "#b3400a",
	parts:  [...]string{"#757575", "#0973e6", "#b55e14", "#08382e", "#964398", "#4c3807", "#45008d"},
	shades: [...]string{"#fdf1d8", "#fbdca6", "#f5bd72", "#e9944a", "#d2653a", "#ab3a3d", "#771c40", "#3a0a2e"},
}

var dark = palette{
	paper: "#15181d", text: "#eceff3", soft: "#aab2bd", grid: "#2e343c", odd: "#20252c",
	line: "#6cb8f0", well: "#ff9d5c",
	parts:  [...]string{"#9d9d9d", "#62affc", "#e84e2c", "#2eeaa4", "#f9cffa", "#fcb714", "#7a6cfc"},
	shades: [...]string{"#2a2230", "#432642", "#692b4d", "#943a4c", "#c05745", "#e28249", "#f5b868", "#fdf0c8"},
}

// variables returns the colours as variables of CSS.
func (p palette) variables() string {
	var out strings.Builder
	for _, v := range [][2]string{
		{"paper", p.paper}, {"text", p.text}, {"soft", p.soft}, {"grid", p.grid}, {"odd", p.odd}, {"line", p.line}, {"well", p.well},
	} {
		fmt.Fprintf(&out, "--chart-%s:%s;", v[0], v[1])
	}
	for k, c := range p.parts {
		fmt.Fprintf(&out, "--chart-p%d:%s;", k, c)
	}
	for k, c := range p.shades {
		fmt.Fprintf(&out, "--chart-s%d:%s;", k+1, c)
	}
	return out.String()
}

// rules are how the elements of pictures look.
const rules = `
.chart{display:block;width:100%;max-width:30rem;height:auto;break-inside:avoid;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.chart text{fill:var(--chart-text);font:12px sans-serif}
.chart .c-title{font-weight:bold}
.chart .c-note{fill:var(--chart-soft)}
.chart path{fill:none;stroke:var(--chart-soft);stroke-width:1}
.chart .c-grid{stroke:var(--chart-grid)}
.chart .c-stage{stroke:var(--chart-soft);stroke-width:.6;stroke-dasharray:2 2}
.chart .c-even{fill:transparent}
.chart .c-odd{fill:var(--chart-odd)}
.chart .c-line{stroke:var(--chart-line);stroke-width:1.6;stroke-linejoin:round}
.chart .c-dot,.chart .c-point{fill:var(--chart-line)}
.chart .c-well{fill:var(--chart-well);stroke:var(--chart-paper);stroke-width:1}
.chart .c-ring{fill:var(--chart-paper);stroke:var(--chart-well);stroke-width:1.5}
.chart .c-number{fill:var(--chart-well)}
.chart .c-cells{shape-rendering:crispEdges}
.chart .c-cells path{stroke-width:inherit}
.chart .c-block{stroke:var(--chart-line);stroke-width:1.2}
.chart .c-part{stroke:var(--chart-paper);stroke-width:.8}
.chart .c-in{fill:var(--chart-paper)}
.chart .c-whisker{stroke:var(--chart-text);stroke-width:1.2}
.chart .c-halo{stroke:var(--chart-paper);stroke-width:3.2}
.chart-pair{display:flex;flex-wrap:wrap;gap:1rem;max-width:62rem}
.chart-pair>.chart{flex:1 1 20rem;min-width:min(100%,20rem)}
.chart-pair>.chart:last-child:not(:first-child){flex:0 1 30rem}
`

// CSS returns the style of the pictures, for a style element of the page. The colours are
// variables whose names begin with --chart-; those of --chart-paper and --chart-text are
// good for the page itself. They are dark ones where the reader prefers that, except in
// print.
func CSS() template.CSS {
	var out strings.Builder
	out.WriteString(":root{" + light.variables() + "}\n")
	out.WriteString("@media screen and (prefers-color-scheme:dark){:root{" + dark.variables() + "}}")
	out.WriteString(rules)
	for k := range hues + 1 {
		fmt.Fprintf(&out, ".chart .c-p%d{fill:var(--chart-p%d)}\n", k, k)
	}
	for k := 1; k <= shades; k++ {
		fmt.Fprintf(&out, ".chart .c-s%d{stroke:var(--chart-s%d)}.chart .c-f%d{fill:var(--chart-s%d)}\n", k, k, k, k)
	}
	return template.CSS(out.String())
}
