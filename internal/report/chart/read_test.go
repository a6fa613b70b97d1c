package chart

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A label is a text of a picture and the box around it.
type label struct {
	text string
	box
}

// A drawing is what a test reads of a picture.
type drawing struct {
	wide, high float64
	spoken     string
	labels     []label
	titles     []string
	marks      []point // of all that is not text: corners and centres
}

// read reads pictures, and fails unless they are XML with what every picture has.
func read(t testing.TB, pictures ...Picture) []drawing {
	t.Helper()
	var picture template.HTML
	for _, p := range pictures {
		picture += p.HTML()
	}
	in := xml.NewDecoder(strings.NewReader("<page>" + string(picture) + "</page>"))
	var all []drawing
	var path []xml.StartElement
	var now *label
	for {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %.2000s", err, picture)
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Copy())
			switch token.Name.Local {
			case "page", "div", "title", "g":
			case "svg":
				if len(path) == 2 {
					all = append(all, begun(t, token))
					continue
				}
				in := box{x0: value(t, token, "x"), y0: value(t, token, "y")} // one that shows only what is in it
				at, _ := moved(path)
				all[len(all)-1].marks = append(all[len(all)-1].marks, point{at.x + in.x0, at.y + in.y0}, point{at.x + in.x0 + value(t, token, "width"), at.y + in.y0 + value(t, token, "height")})
			case "text":
				at, _ := moved(path)
				now = &label{box: box{x0: at.x + value(t, token, "x"), y0: at.y + value(t, token, "y")}}
			default:
				marks := corners(t, token, path)
				nested := slices.ContainsFunc(path[2:], func(e xml.StartElement) bool { return e.Name.Local == "svg" })
				if d := &all[len(all)-1]; !nested {
					d.marks = append(d.marks, marks...)
				}
			}
		case xml.CharData:
			d := &all[max(0, len(all)-1)]
			switch path[len(path)-1].Name.Local {
			case "title":
				d.titles = append(d.titles, string(token))
			case "text":
				now.text += string(token)
			default:
				if strings.TrimSpace(string(token)) != "" {
					t.Fatalf("%q is outside of all texts", token)
				}
			}
		case xml.EndElement:
			if token.Name.Local == "text" {
				d := &all[len(all)-1]
				d.labels = append(d.labels, boxed(*now, attribute(path[len(path)-1], "text-anchor")))
			}
			path = path[:len(path)-1]
		}
	}
	return all
}

// begun reads the beginning of a picture.
func begun(t testing.TB, e xml.StartElement) drawing {
	t.Helper()
	view := numbersOf(attribute(e, "viewBox"))
	if len(view) != 4 || view[0] != 0 || view[1] != 0 || !(view[2] >= wide) || !(view[3] > 20) {
		t.Fatalf("the view is %v", view)
	}
	if attribute(e, "role") != "img" || attribute(e, "aria-label") == "" {
		t.Fatalf("nothing can be read aloud: %v", e.Attr)
	}
	return drawing{wide: view[2], high: view[3], spoken: attribute(e, "aria-label")}
}

// narrow are letters that are narrow in every font.
const narrow = "iIjlfrt!.,:;'`|()[]{}/-\" ⁰¹²³⁴⁵⁶⁷⁸⁹⁻"

// moved returns how elements are shifted and scaled by the groups that they are in.
func moved(path []xml.StartElement) (shift point, scale float64) {
	scale = 1
	for _, g := range path {
		if by := numbersOf(attribute(g, "transform")); g.Name.Local == "g" && len(by) >= 2 {
			shift = point{shift.x + by[0], shift.y + by[1]}
			if len(by) == 3 {
				scale = by[2]
			}
		}
	}
	return shift, scale
}

// boxed returns the box of a label whose place is given: a letter is 0.6 times as wide as it
// is high, a narrow one less, and one of Chinese and the like as wide.
func boxed(l label, anchor string) label {
	width := 0.
	for _, r := range l.text {
		switch {
		case strings.ContainsRune(narrow, r):
			width += 0.34 * letters
		case r > 0x2E80:
			width += letters
		default:
			width += 0.6 * letters
		}
	}
	switch anchor {
	case "middle":
		l.x0 -= width / 2
	case "end":
		l.x0 -= width
	}
	l.x1, l.y1, l.y0 = l.x0+width, l.y0+2, l.y0-9
	return l
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func value(t testing.TB, e xml.StartElement, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(attribute(e, name), 64)
	if err != nil || !finite(v) {
		t.Fatalf("%s of %v: %v", name, e, err)
	}
	return v
}

var number = regexp.MustCompile(`-?[0-9.]+`)

func numbersOf(s string) (all []float64) {
	for _, word := range number.FindAllString(s, -1) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			v = math.NaN()
		}
		all = append(all, v)
	}
	return all
}

var command = regexp.MustCompile(`([MLHVhvz])([-0-9. ]*)`)

// corners returns the corners of an element.
func corners(t testing.TB, e xml.StartElement, path []xml.StartElement) (all []point) {
	t.Helper()
	shift, scale := moved(path)
	switch e.Name.Local {
	case "rect":
		x, y := shift.x+value(t, e, "x"), shift.y+value(t, e, "y")
		return []point{{x, y}, {x + value(t, e, "width"), y + value(t, e, "height")}}
	case "circle":
		x, y, r := shift.x+value(t, e, "cx"), shift.y+value(t, e, "cy"), value(t, e, "r")
		return []point{{x - r, y - r}, {x + r, y + r}}
	case "path":
		at := point{}
		d := attribute(e, "d")
		if rest := command.ReplaceAllString(d, ""); rest != "" {
			t.Fatalf("%q is in the path %.200s", rest, d)
		}
		for _, c := range command.FindAllStringSubmatch(d, -1) {
			v := numbersOf(c[2])
			switch {
			case c[1] == "z" && len(v) == 0:
			case (c[1] == "M" || c[1] == "L") && len(v) == 2:
				at = point{v[0], v[1]}
			case c[1] == "H" && len(v) == 1:
				at.x = v[0]
			case c[1] == "V" && len(v) == 1:
				at.y = v[0]
			case c[1] == "h" && len(v) == 1:
				at.x += v[0]
			case c[1] == "v" && len(v) == 1:
				at.y += v[0]
			default:
				t.Fatalf("%q is in the path %.200s", c[0], d)
			}
			all = append(all, point{shift.x + scale*at.x, shift.y + scale*at.y})
		}
		return all
	}
	t.Fatalf("a picture has %s", e.Name.Local)
	return nil
}

// wrong says what is wrong with a picture: texts that meet or leave the paper, and marks that
// leave it.
func (d drawing) wrong() (all []string) {
	const rounding = 0.06
	paper := box{-rounding, d.wide + rounding, -rounding, d.high + rounding}
	for i, l := range d.labels {
		if l.x0 < paper.x0 || l.y0 < paper.y0 || l.x1 > paper.x1 || l.y1 > paper.y1 {
			all = append(all, fmt.Sprintf("%q leaves the paper, from %.1f, %.1f to %.1f, %.1f of %g, %g", l.text, l.x0, l.y0, l.x1, l.y1, d.wide, d.high))
		}
		for _, o := range d.labels[:i] {
			if l.meets(o.box) {
				all = append(all, fmt.Sprintf("%q meets %q", l.text, o.text))
			}
		}
	}
	for _, p := range d.marks {
		if !(p.x >= paper.x0 && p.y >= paper.y0 && p.x <= paper.x1 && p.y <= paper.y1) {
			all = append(all, fmt.Sprintf("a mark is at %.1f, %.1f of %g, %g", p.x, p.y, d.wide, d.high))
		}
	}
	return all
}

// inOrder fails if something is wrong with pictures.
func inOrder(t testing.TB, pictures ...Picture) []drawing {
	t.Helper()
	all := read(t, pictures...)
	if len(all) == 0 {
		t.Fatal("there is no picture")
	}
	for _, d := range all {
		if wrong := d.wrong(); len(wrong) > 0 {
			t.Errorf("%.200s: %.1000q", d.spoken, wrong)
		}
	}
	return all
}

// The test itself notices what is wrong.
func TestWrongPicturesAreNoticed(t *testing.T) {
	c := &canvas{wide: wide}
	c.text(place{at: point{10, 20}, room: wide}, "one text")
	c.text(place{at: point{40, 25}, room: wide}, "another text")
	c.text(place{at: point{355, 60}, room: wide}, "too far to the right")
	c.dot("c-dot", point{359, 50}, 3, "")
	c.line("c-line", point{0, 0}, point{100, 100})
	got := read(t, c.done(99, "test"))[0].wrong()
	want := []string{`"another text" meets "one text"`, `"too far to the right" leaves the paper`, "a mark is at 362.0, 53.0", "a mark is at 100.0, 100.0"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for k := range want {
		if !strings.HasPrefix(got[k], want[k]) {
			t.Errorf("%q, want %q", got[k], want[k])
		}
	}
}
