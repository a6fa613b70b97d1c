package live

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	text "text/template"
)

// script follows the events in a browser, and looks is how the line is shown in which it says
// so.
//
//go:embed live.js
var script string

//go:embed live.css
var looks string

//go:embed live.html
var aroundText string

var around = text.Must(text.New("live").Parse(aroundText))

// A frame is what is around the page.
type frame struct {
	run    string
	title  string // as HTML
	style  string
	policy string
}

func newFrame(c Config, run string) frame {
	f := frame{run: run, title: template.HTMLEscapeString(c.Title), style: string(c.Style) + looks}
	f.policy = "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(f.style) +
		"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return f
}

// hash is how a policy names a script or a style: a browser may use these, and no others.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// html returns the whole page. While the run goes on, the script is in it, and a browser without
// scripts loads it anew. All texts have been made for HTML.
func (f frame) html(p *painting) []byte {
	page := map[string]any{"Title": f.title, "Style": f.style, "Run": f.run, "Number": p.number}
	if !p.final {
		page["Script"] = script
	}
	var parts []string
	for _, q := range p.parts {
		parts = append(parts, string(q.html))
	}
	page["Parts"] = parts
	var b bytes.Buffer
	_ = around.Execute(&b, page) // into memory
	return b.Bytes()
}
