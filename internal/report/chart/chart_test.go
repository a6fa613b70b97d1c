package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	given "github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// anyValue draws numbers of all kinds.
func anyValue() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-10, 10), rapid.Float64(), rapid.Float64Range(0, 1e-300), rapid.Float64Range(1e6, 1e6+1e-6),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e5, 1e-5}),
		rapid.Custom(func(t *rapid.T) float64 { return math.Pow(10, rapid.Float64Range(-40, 40).Draw(t, "exponent")) }))
}

// anyName draws names of all kinds.
func anyName() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(), rapid.SampledFrom([]string{"", "x", "pressure", "<script>alert(1)</script>", `"&'`, "]]>", "\x00\x01\ufffe", "\xff\xfe", "\u202eabc", "日本語の長い名前です、とても長い名前です", "MMMMMMMMMMMM"}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.StringN(1, 3, -1).Draw(t, "piece"), rapid.IntRange(1, 100).Draw(t, "times"))
		}))
}

func anyCurve(t *rapid.T) []objective.Sample {
	var curve []objective.Sample
	queries := 0
	values := anyValue()
	if rapid.Bool().Draw(t, "narrow") {
		lo := rapid.Float64Range(-1e9, 1e9).Draw(t, "lo")
		values = rapid.Float64Range(lo, lo+math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "range")))
	}
	for range rapid.IntRange(0, 40).Draw(t, "samples") {
		queries += rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 1_000_000)).Draw(t, "queries")
		curve = append(curve, objective.Sample{Queries: queries, Value: values.Draw(t, "value")})
	}
	return curve
}

func anyStages(t *rapid.T) []untwist.Stage {
	var stages []untwist.Stage
	for range rapid.IntRange(0, 15).Draw(t, "stages") {
		s := untwist.Stage{Queries: rapid.OneOf(rapid.IntRange(-1, 30), rapid.IntRange(0, 1_000_000)).Draw(t, "queries")}
		s.Name = rapid.OneOf(rapid.SampledFrom(strings.Fields("look slope hessians scales certificate lines polish wells")), anyName()).Draw(t, "name")
		stages = append(stages, s)
	}
	return stages
}

func anyProfile(t *rapid.T) untwist.Profile {
	p := untwist.Profile{Component: rapid.IntRange(0, 2000).Draw(t, "component"), Open: rapid.Bool().Draw(t, "open")}
	p.Y = rapid.SliceOfN(anyValue(), 0, 50).Draw(t, "y")
	p.Value = rapid.SliceOfN(anyValue(), 0, 50).Draw(t, "values")
	for range rapid.IntRange(0, 40).Draw(t, "wells") {
		p.Wells = append(p.Wells, untwist.Well{Y: anyValue().Draw(t, "well"), Value: anyValue().Draw(t, "depth")})
	}
	return p
}

func anyBars(t *rapid.T) []Bar {
	var bars []Bar
	shares := rapid.OneOf(rapid.Float64Range(0, 0.3), anyValue())
	for range rapid.IntRange(0, 40).Draw(t, "bars") {
		b := Bar{Name: anyName().Draw(t, "name"), Error: rapid.OneOf(rapid.Float64Range(0, 0.1), anyValue()).Draw(t, "error")}
		for range rapid.IntRange(0, 10).Draw(t, "parts") {
			b.Parts = append(b.Parts, Part{rapid.IntRange(-1, 1200).Draw(t, "component"), shares.Draw(t, "share")})
		}
		bars = append(bars, b)
	}
	return bars
}

func anyLines(t *rapid.T) Lines {
	l := Lines{
		Title: anyName().Draw(t, "title"), Steps: rapid.Bool().Draw(t, "steps"), Bars: rapid.Bool().Draw(t, "bars"), Loose: rapid.Bool().Draw(t, "loose"),
		X: Axis{Label: anyName().Draw(t, "x"), Scale: Scale(rapid.IntRange(0, 1).Draw(t, "x scale"))},
		Y: Axis{Label: anyName().Draw(t, "y"), Scale: Scale(rapid.IntRange(0, 1).Draw(t, "y scale")), Floor: rapid.SampledFrom([]float64{0, 1e-9, 5}).Draw(t, "floor")},
	}
	for range rapid.IntRange(0, 4).Draw(t, "panels") {
		p := Panel{Title: anyName().Draw(t, "panel"), Levels: []Level{{anyName().Draw(t, "level"), anyValue().Draw(t, "at")}}}
		for range rapid.IntRange(0, 5).Draw(t, "series") {
			n := rapid.IntRange(0, 9).Draw(t, "points")
			some := func(name string) []float64 { return rapid.SliceOfN(anyValue(), n, n).Draw(t, name) }
			s := Series{Name: anyName().Draw(t, "name"), X: some("x"), Lower: some("lower"), Median: some("median"), Upper: some("upper"), End: rapid.Float64Range(0, 9).Draw(t, "end")}
			slices.Sort(s.X)
			p.Series = append(p.Series, s)
		}
		l.Panels = append(l.Panels, p)
	}
	return l
}

func anyMatrix(t *rapid.T) *mat.Dense {
	n := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(50, 130)).Draw(t, "rows")
	if n == 0 {
		return rapid.SampledFrom([]*mat.Dense{nil, {}}).Draw(t, "none")
	}
	c := mat.NewDense(n, n, nil)
	some := rapid.SliceOfN(anyValue(), 7, 7).Draw(t, "couplings")
	for i := range n {
		for j := range n {
			c.Set(i, j, some[(i*j+i)%7])
		}
	}
	return c
}

func anyBlocks(t *rapid.T, m *mat.Dense) [][]int {
	order := rapid.Permutation(ranks.First(size(m))).Draw(t, "order")
	var blocks [][]int
	for len(order) > 0 {
		n := min(len(order), rapid.IntRange(1, 5).Draw(t, "block"))
		blocks, order = append(blocks, order[:n]), order[n:]
	}
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		blocks = append(blocks, []int{3, -1})
	}
	return blocks
}

// Whatever is drawn is XML, texts do not meet, all is on the paper, and it is the same again.
func TestAnything(t *testing.T) {
	for name, draw := range map[string]func(t *rapid.T) func() []Picture{
		"convergence": func(t *rapid.T) func() []Picture {
			curve, stages, label := anyCurve(t), anyStages(t), anyName().Draw(t, "label")
			scale := Scale(rapid.IntRange(0, 1).Draw(t, "scale"))
			return func() []Picture { return []Picture{Convergence(curve, stages, scale, label)} }
		},
		"spectrum": func(t *rapid.T) func() []Picture {
			label, values := anyName().Draw(t, "label"), rapid.SliceOfN(anyValue(), 0, 150).Draw(t, "values")
			return func() []Picture { return []Picture{Spectrum(label, values)} }
		},
		"profile": func(t *rapid.T) func() []Picture {
			p, title, x, y := anyProfile(t), anyName().Draw(t, "title"), anyName().Draw(t, "x"), anyName().Draw(t, "y")
			return func() []Picture { return []Picture{Profile(p, title, x, y)} }
		},
		"bars": func(t *rapid.T) func() []Picture {
			bars, label := anyBars(t), anyName().Draw(t, "label")
			return func() []Picture { return []Picture{Bars(bars, label, "combination")} }
		},
		"lines": func(t *rapid.T) func() []Picture {
			l := anyLines(t)
			return func() []Picture { return []Picture{l.Draw()} }
		},
		"couplings": func(t *rapid.T) func() []Picture {
			before, after := anyMatrix(t), anyMatrix(t)
			blocks := anyBlocks(t, after)
			names := rapid.SliceOfN(anyName(), size(before), size(before)).Draw(t, "names")
			return func() []Picture { return Couplings(before, after, blocks, names) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				picture := draw(rt)
				first := picture()
				if !slices.Equal(picture(), first) {
					rt.Fatal("it is another picture the second time")
				}
				for _, d := range read(t, first...) {
					if wrong := d.wrong(); len(wrong) > 0 {
						rt.Fatalf("%q in %s", wrong, first[0].body)
					}
				}
			})
		})
	}
}

// However large what is drawn, pictures are small.
func TestPicturesAreSmall(t *testing.T) {
	n := given.Usually(1000, 500)
	noise := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			if i/17%2 == j/17%2 {
				noise.Set(i, j, math.Pow(10, -8.5*math.Abs(math.Sin(float64(i*i+7*j*j)))))
			}
		}
	}
	var curve []objective.Sample
	for q := range 300_000 {
		curve = append(curve, objective.Sample{Queries: q + 1, Value: 1e6 / float64(q+1)})
	}
	var stages []untwist.Stage
	for i := range 5000 {
		stages = append(stages, untwist.Stage{Stage: objective.Stage{Name: fmt.Sprint("stage ", i)}, Queries: 600})
	}
	p := untwist.Profile{}
	for i := range 100_000 {
		y := float64(i) / 100
		p.Y, p.Value = append(p.Y, y), append(p.Value, math.Sin(y))
		p.Wells = append(p.Wells, untwist.Well{Y: y, Value: math.Sin(y)})
	}
	values := make([]float64, 100_000)
	bars := make([]Bar, 10_000)
	for i := range values {
		values[i] = 1 / float64(i+1)
	}
	for i := range bars {
		bars[i].Name = strings.Repeat("long ", 20)
		for j := range 100 {
			bars[i].Parts = append(bars[i].Parts, Part{j, 1 / float64(1+i+j)})
		}
	}
	for _, c := range []struct {
		name    string
		picture Picture
		most    int
	}{
		{"convergence", Convergence(curve, stages, Linear, "gap"), 20_000}, {"logarithmic", Convergence(curve, stages, Logarithmic, "gap"), 20_000},
		{"spectrum", Spectrum("x", values), 8_000}, {"profile", Profile(p, "x", "y", "z"), 12_000}, {"bars", Bars(bars, "x", "combination"), 60_000},
		{"couplings", Sheet("", 2, Couplings(noise, noise, nil, nil)), 70_000},
	} {
		if got := len(c.picture.body); got > c.most {
			t.Errorf("%s has %d bytes, want %d at most", c.name, got, c.most)
		} else {
			t.Logf("%s has %d bytes", c.name, got)
		}
		inOrder(t, c.picture)
	}
}

// What is not ours is escaped, and long names are whole in titles.
func TestNamesAreEscaped(t *testing.T) {
	const evil = `<script>alert("&'")</script>`
	long := evil + strings.Repeat(" and on", 30)
	p := untwist.Profile{Y: []float64{0, 1}, Value: []float64{0, 1}}
	one := mat.NewDense(2, 2, []float64{0, 1, 1, 0})
	for name, picture := range map[string]Picture{
		"convergence": Convergence([]objective.Sample{{Queries: 1, Value: 1}}, []untwist.Stage{{Stage: objective.Stage{Name: long}, Queries: 3}}, Linear, long),
		"spectrum":    Spectrum(long, []float64{1}), "profile": Profile(p, long, long, long), "bars": Bars([]Bar{{Name: long}}, long, "combination"),
		"couplings": Sheet(long, 2, Couplings(one, one, nil, []string{long, evil})),
		"lines":     Lines{Title: long, Panels: []Panel{{Title: long, Series: []Series{{Name: long, X: []float64{1}, Median: []float64{1}}}}}}.Draw(),
		"nothing":   Spectrum(long, nil),
	} {
		if strings.Contains(picture.SVG(), "<script") {
			t.Errorf("%s: %s", name, picture.body)
		}
		for _, d := range inOrder(t, picture) {
			if name != "couplings" && name != "nothing" && !slices.Contains(d.titles, long) {
				t.Errorf("%s: no title of %q is the name", name, d.titles)
			}
		}
	}
}

func texts(d drawing) (all []string) {
	for _, l := range d.labels {
		all = append(all, l.text)
	}
	return all
}

// wantTexts fails unless a picture has some texts.
func wantTexts(t *testing.T, d drawing, want ...string) {
	t.Helper()
	for _, s := range want {
		if !slices.Contains(texts(d), s) {
			t.Errorf("%q is not among %q", s, texts(d))
		}
	}
}
