package live

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
)

// script follows the events in a browser, and looks is how the line is shown in which it says
// so.
//
//go:embed live.js
var script string

//go:embed live.css
var looks string

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
// scripts loads it anew.
func (f frame) html(p *painting) []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n" +
		"<link rel=\"icon\" href=\"data:,\">\n")
	fmt.Fprintf(&b, "<title>%s – Untwist</title>\n<style>%s</style>\n", f.title, f.style)
	said, follow := "The run is over. This is its report.", ""
	if !p.final {
		fmt.Fprintf(&b, "<meta name=\"untwist-live\" content=\"%s %d\">\n<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>\n", f.run, p.number)
		said = "The run goes on. This is what was known when the page was loaded."
		follow = "<script>" + script + "</script>\n"
	}
	b.WriteString("</head>\n<body>\n<main>\n")
	for _, q := range p.parts {
		b.Write(q.html)
		b.WriteByte('\n')
	}
	b.WriteString("</main>\n<p id=\"live\" role=\"status\">" + said + "</p>\n" + follow + "</body>\n</html>\n")
	return b.Bytes()
}
