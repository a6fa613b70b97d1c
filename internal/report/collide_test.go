package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
)

// A drawing is an SVG as far as its words go.
type drawing struct {
	Width  string `xml:"width,attr"`
	Height string `xml:"height,attr"`
	Glyphs []struct {
		ID string `xml:"id,attr"`
		D  string `xml:"d,attr"`
	} `xml:"defs>path"`
	Texts []struct {
		Transform string `xml:"transform,attr"`
		Words     string `xml:"desc"`
		Uses      []struct {
			Glyph     string `xml:"href,attr"`
			X         string `xml:"x,attr"`
			Transform string `xml:"transform,attr"`
		} `xml:"use"`
	} `xml:"g"`
}

// A label has its words and the box of their shapes on the paper.
type label struct {
	words          string
	x0, x1, y0, y1 float64
}

var digits = regexp.MustCompile(`-?[0-9.]+`)

func numbers(text string) (all []float64) {
	for _, word := range digits.FindAllString(text, -1) {
		v, _ := strconv.ParseFloat(word, 64)
		all = append(all, v)
	}
	return all
}

// written reads a picture: the labels, and how large it is.
func written(t *testing.T, path string) (all []label, wide, high float64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var picture drawing
	if err := xml.Unmarshal(data, &picture); err != nil {
		t.Fatal(err)
	}
	if len(data) > 2<<20 {
		t.Errorf("%s has %d bytes", filepath.Base(path), len(data))
	}
	shapes := map[string][]float64{}
	for _, g := range picture.Glyphs {
		shapes["#"+g.ID] = numbers(g.D)
	}
	for _, text := range picture.Texts {
		l := label{text.Words, math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
		at := numbers(text.Transform)
		turn, scale := 0., at[len(at)-1]
		if strings.Contains(text.Transform, "rotate") {
			turn = at[2] * math.Pi / 180
		}
		sin, cos := math.Sincos(turn)
		for _, use := range text.Uses {
			from, size := []float64{0, 0}, 1.
			if use.X != "" {
				from[0] = numbers(use.X)[0]
			} else if own := numbers(use.Transform); len(own) == 3 {
				from, size = own[:2], own[2]
			}
			shape := shapes[use.Glyph]
			if len(shape) == 0 {
				t.Fatalf("%q uses a glyph that is not there: %s", text.Words, use.Glyph)
			}
			for k := 0; k < len(shape); k += 2 {
				x, y := scale*(from[0]+size*shape[k]), scale*(from[1]+size*shape[k+1])
				x, y = at[0]+cos*x-sin*y, at[1]+sin*x+cos*y
				l.x0, l.x1, l.y0, l.y1 = min(l.x0, x), max(l.x1, x), min(l.y0, y), max(l.y1, y)
			}
		}
		all = append(all, l)
	}
	return all, numbers(picture.Width)[0], numbers(picture.Height)[0]
}

// apartFrom says that two labels do not meet.
func (l label) apartFrom(o label) bool {
	return l.x1 <= o.x0 || o.x1 <= l.x0 || l.y1 <= o.y0 || o.y1 <= l.y0
}

// checkLabels says which labels of a picture meet or leave the paper.
func checkLabels(t *testing.T, name, path string, least int) {
	t.Helper()
	all, wide, high := written(t, path)
	if len(all) < least {
		t.Errorf("%s has %d labels, want %d at least", name, len(all), least)
	}
	for i, l := range all {
		if l.x0 < 0 || l.y0 < 0 || l.x1 > wide || l.y1 > high {
			t.Errorf("%s: %q leaves the paper: %.1f to %.1f of %g, %.1f to %.1f of %g", name, l.words, l.x0, l.x1, wide, l.y0, l.y1, high)
		}
		for _, o := range all[:i] {
			if !l.apartFrom(o) {
				t.Errorf("%s: %q meets %q", name, l.words, o.words)
			}
		}
	}
}

// The test itself notices labels that meet and labels that leave the paper.
func TestLabelsThatMeetAreNoticed(t *testing.T) {
	a := label{"a", 0, 10, 0, 10}
	for _, c := range []struct {
		b    label
		want bool
	}{{label{"b", 9, 20, 9, 20}, false}, {label{"b", 11, 20, 0, 10}, true}, {label{"b", 2, 3, 4, 5}, false}, {label{"b", 0, 10, 10, 20}, true}} {
		if a.apartFrom(c.b) != c.want || c.b.apartFrom(a) != c.want {
			t.Errorf("%v", c.b)
		}
	}
}

// No label meets another or leaves the paper, whatever the number of components, and no
// picture is large.
func TestNoLabelsMeetForComponents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	for _, m := range []int{1, 2, 3, 10, 47, 100, 1000, 10000} {
		name := fmt.Sprintf("%d components", m)
		values := make([]float64, m)
		for i := range values {
			values[i] = 1e7 * math.Exp(-30*float64(i)/float64(m))
		}
		if err := Spectrum(path, "eigenvalues of the first Hessian", "|eigenvalue|", values); err != nil {
			t.Fatal(err)
		}
		checkLabels(t, "the spectrum of "+name, path, 4)
		if err := Profiles(path, waves(m)); err != nil {
			t.Fatal(err)
		}
		checkLabels(t, "the profiles of "+name, path, 5*min(m, mostPanels))
		if m > 1000 {
			continue // a dense matrix has 800 MB; see TestMarksOfManyCouplings
		}
		c := mat.NewDense(m, m, nil)
		for i := range m {
			for j := range m {
				c.Set(i, j, math.Pow(10, -float64((i*j)%19)/2))
			}
		}
		if err := Couplings(path, c, c, [][]int{ascending(m)}); err != nil {
			t.Fatal(err)
		}
		checkLabels(t, "the couplings of "+name, path, 7)
	}
}

// The marks of the couplings of 10,000 components have room.
func TestMarksOfManyCouplings(t *testing.T) {
	style := small(9, 0, 0)
	for _, m := range []int{3, 47, 100, 999, 1000, 9999, 10000, 123456} {
		marks := numbered(ascending(m), style)
		for k := 1; k < len(marks); k++ {
			room := along * vg.Length(marks[k].Value-marks[k-1].Value) / vg.Length(m)
			if need := (style.Width(marks[k].Label) + style.Width(marks[k-1].Label)) / 2; need > room {
				t.Errorf("%d: %s needs %v and has %v", m, marks[k].Label, need, room)
			}
		}
	}
}

// waves are profiles with numbers of many sizes.
func waves(m int) []untwist.Profile {
	all := make([]untwist.Profile, m)
	for j := range all {
		all[j].Component = j
		size := math.Pow(10, float64(j%31)-15)
		for i := range 40 {
			y := float64(i)/4 - 5.12
			all[j].Y, all[j].Value = append(all[j].Y, y*size), append(all[j].Value, -size*(10*math.Cos(6*y)-y*y))
		}
	}
	return all
}

func TestNoLabelsMeetForMethods(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{1, 2, 8, 12, 30} {
		name := fmt.Sprintf("%d methods", n)
		title := strings.Repeat("a long title ", 20)
		path := filepath.Join(dir, "a.svg")
		if err := Runtimes(path, title, methods(n)); err != nil {
			t.Fatal(err)
		}
		checkLabels(t, "the runtimes of "+name, path, n+8)
		courses := make([]Course, n)
		for i, d := range methods(n) {
			courses[i] = Course{Name: d.Name, Queries: []float64{1, 1e3, 1e7}}
			for k := range 3 {
				v := math.Pow(10, 3-float64(5*k))
				courses[i].Lower, courses[i].Median, courses[i].Upper = append(courses[i].Lower, v/2), append(courses[i].Median, v), append(courses[i].Upper, 2*v)
			}
		}
		if err := Race(path, title, "least gap so far", courses, 1e-8, 10); err != nil {
			t.Fatal(err)
		}
		checkLabels(t, "the race of "+name, path, n+8)
		if err := RaceLinear(path, title, "least gap so far", courses, 1e-8); err != nil {
			t.Fatal(err)
		}
		checkLabels(t, "the linear race of "+name, path, n+8)
	}
}

func TestNoLabelsMeetForRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	var stages []untwist.Stage
	for i, name := range strings.Fields("look reduction hessians refinement certificate lines polish wells lines polish wells restart polish") {
		stages = append(stages, untwist.Stage{Stage: objective.Stage{Name: name}, Queries: 1 << i})
	}
	for _, most := range []int{1, 1000, 12345678} {
		for _, last := range []float64{1e-31, 0, -3, -1e9, 1e4} {
			var curve []objective.Sample
			for q := 1; q <= most; q += 1 + most/50 {
				curve = append(curve, objective.Sample{Queries: q, Value: last + 1e5/float64(q*q)})
			}
			for scale, draw := range map[string]func(string, string, string, []objective.Sample, []untwist.Stage) error{"log": Convergence, "linear": ConvergenceLinear} {
				if err := draw(path, "auto: gap 10⁻³¹ after many queries", "gap", curve, stages); err != nil {
					t.Fatal(err)
				}
				checkLabels(t, fmt.Sprintf("%d queries to %g, %s", most, last, scale), path, 8)
			}
		}
	}
}

func TestNoLabelsMeetInLandscapes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	for _, half := range []float64{12.34, 1e9, 1e-7} {
		for _, n := range []int{1, 2, 3} {
			panels := []Landscape{wild("one"), wild("two"), wild("three"), wild("four")}[:n]
			for i := range panels {
				panels[i].Lo, panels[i].Hi = -half, half
			}
			if err := Landscapes(path, panels, []string{"said once", "and twice"}); err != nil {
				t.Fatal(err)
			}
			checkLabels(t, fmt.Sprintf("%d panels of %g", n, half), path, 14*n)
		}
	}
}
