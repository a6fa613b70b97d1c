package page

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// written writes a page.
func written(t *testing.T, p Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fourParameters are parameters on different scales, one of them fixed.
func fourParameters() parameter.Space {
	return parameter.Space{
		{Name: "rate", Unit: "1/s", Min: new(0.05), Max: new(20.), Log: true},
		{Name: "width", Unit: "m", Min: new(-2.), Max: new(6.)},
		{Name: "count", Fixed: new(3.)},
		{Name: "slope", Min: new(0.), Max: new(1.)},
	}
}

// wavy is a function of log(rate) + width and log(rate) − width with several wells, which fails
// where width is large.
func wavy() objective.Objective {
	return objective.Fallible(4, func(_ context.Context, x []float64) (float64, error) {
		if x[1] > 5.5 {
			return 0, fmt.Errorf("width %.3g is too much <b>", x[1])
		}
		a, b := math.Log(x[0])+x[1]-1, math.Log(x[0])-x[1]
		return float64(a*a/2) + 3 - 3*math.Cos(2*a) + float64(b*b) + float64(b*b*b*b/50) + float64(x[3]*x[3]), nil
	})
}

// A sample is a run and what was kept of it.
type sample struct {
	result      untwist.Result
	evaluations Evaluations
	indices     sensitivity.Indices
}

// newSample makes the run.
func newSample() sample {
	space := fourParameters()
	watch, seen := NewWatch(space), sensitivity.NewSeen(len(space))
	o := untwist.Options{Parameters: space, Budget: flags.Usually(4000, 1500), Seed: 1, Seen: func(query int, point []float64, a objective.Answer) {
		a.Seconds, a.By = 0.25*float64(1+query%2), fmt.Sprintf("node-%d", query%2)
		watch.See(query, point, a)
		seen.See(query, point, a)
	}}
	r, err := untwist.Minimize(context.Background(), wavy(), o)
	if err != nil {
		panic(err)
	}
	s := r.Structure
	return sample{r, watch.Evaluations(), sensitivity.Of(sensitivity.Run{Space: space, Frame: s.Frame, Blocks: s.Blocks, Profiles: r.Profiles, Seen: seen})}
}

var once = sync.OnceValue(newSample)

// page is the page of the run, with all that a page can have. It may be changed.
func (s sample) page() Page {
	space := fourParameters()
	r := s.result
	r.Stages = slices.Clone(r.Stages)
	e := s.evaluations
	e.Failures, e.Workers = slices.Clone(e.Failures), slices.Clone(e.Workers)
	i := s.indices
	i.Parameters = slices.Clone(i.Parameters)
	return Page{
		Run:        report.Run{Subject: report.Subject{Name: "wavy", Dim: 3, Parameters: space}, Result: r, Took: 1500 * time.Millisecond, Sensitivity: &i},
		Parameters: space, Evaluations: e, Settings: []Setting{{"Journal", "run.journal"}}, Command: "untwist minimize wavy.toml", Version: "v1",
	}
}

// raised are the digits of exponents.
var raised = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-")

// read reads a number as pages write it, and returns half of the unit of its last digit.
func read(t *testing.T, text string) (v, half float64) {
	t.Helper()
	plain := strings.NewReplacer("−", "-", ",", "").Replace(text)
	mantissa, exponent, has := strings.Cut(plain, "×10")
	if !has {
		if rest, found := strings.CutPrefix(plain, "10"); found && strings.ContainsAny(rest, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻") {
			mantissa, exponent, has = "1", rest, true
		}
	}
	if has {
		mantissa += "e" + raised.Replace(exponent)
	}
	v, err := strconv.ParseFloat(mantissa, 64)
	if err != nil {
		t.Fatalf("%q is no number: %v", text, err)
	}
	return v, math.Abs(v) / 2e5 * 1.0001 // six digits
}

// same fails unless a number of a page is that of the JSON object to the digits shown.
func same(t *testing.T, what, text string, want float64) {
	t.Helper()
	if v, half := read(t, text); math.Abs(v-want) > half {
		t.Errorf("%s: the page has %s, the JSON object %v", what, text, want)
	}
}

// after returns the text of the element that follows some text.
func after(t *testing.T, page, text string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, text)
	if !found {
		t.Fatalf("the page has no %q", text)
	}
	rest = rest[strings.Index(rest, "<"):]
	m := regexp.MustCompile(`^(?:<[^>]*>)*([^<]*)<`).FindStringSubmatch(rest)
	return strings.TrimSpace(m[1])
}

// The numbers of a page are those of the JSON object.
func TestNumbersAreThoseOfTheJSON(t *testing.T) {
	p := once().page()
	text := written(t, p)
	out, err := json.Marshal(p.Run)
	if err != nil {
		t.Fatal(err)
	}
	var form struct {
		Value      float64 `json:"best_value"`
		Parameters []struct {
			Name     string
			Value    float64
			Unit, At string
		}
		Queries, Budget, Rounds int
		BestQuery               int `json:"best_query"`
		Failed                  int `json:"failed_queries"`
		Seed                    int
		Seconds                 float64
		Wells                   []struct {
			Component int
			Y, Above  []float64
		}
		Stages []struct {
			Purpose string
			Queries int
		}
	}
	if err := json.Unmarshal(out, &form); err != nil {
		t.Fatal(err)
	}
	same(t, "best value", after(t, text, "<dt>Best value"), form.Value)
	for _, q := range form.Parameters {
		row := regexp.MustCompile(`<th scope="row">` + q.Name + `</th><td class="number"[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>`).FindStringSubmatch(text)
		if row == nil {
			t.Fatalf("there is no row of %s", q.Name)
		}
		same(t, q.Name, row[1], q.Value)
		if row[2] != q.Unit || strings.HasPrefix(row[4], "yes") != (q.At != "") {
			t.Errorf("%s: %q, want %+v", q.Name, row, q)
		}
	}
	if got := after(t, text, `<th scope="row">Queries`); got != fmt.Sprintf("%s of %s allowed", thousands(form.Queries), thousands(form.Budget)) {
		t.Errorf("queries: %s, want %d of %d", got, form.Queries, form.Budget)
	}
	if got := after(t, text, `<th scope="row">Rounds`); !strings.HasPrefix(got, thousands(form.Rounds)+" ") {
		t.Errorf("rounds: %s, want %d", got, form.Rounds)
	}
	if got := after(t, text, "<dt>Failed"); form.Failed == 0 || got != thousands(form.Failed) {
		t.Errorf("failed: %s, want %d", got, form.Failed)
	}
	if got := after(t, text, `<th scope="row">Seed`); got != strconv.Itoa(form.Seed) {
		t.Errorf("seed: %s", got)
	}
	if got := after(t, text, `<th scope="row">Time of the run`); got != "1.5 s" || form.Seconds != 1.5 {
		t.Errorf("seconds: %s, want %v", got, form.Seconds)
	}
	if !strings.Contains(text, "at query "+thousands(form.BestQuery)+".") && !strings.Contains(text, "at query "+thousands(form.BestQuery)+". ") {
		t.Errorf("the best query, %d, is not there", form.BestQuery)
	}
	if len(form.Wells) == 0 {
		t.Fatal("there are no wells to compare")
	}
	for _, w := range form.Wells {
		if note := fmt.Sprintf("%s valleys, marked", thousands(len(w.Y))); !strings.Contains(text, note) {
			t.Errorf("component %d: the page does not say %q", w.Component+1, note)
		}
		if above := size(w.Above[1]-w.Above[0]) + " higher"; !strings.Contains(text, above) {
			t.Errorf("component %d: the page does not say %q", w.Component+1, above)
		}
	}
	for _, i := range p.Run.Sensitivity.Parameters {
		if !i.Fixed && !strings.Contains(text, `<th scope="row">`+i.Name+`</th><td class="number" data-label="Sensitivity">`+percent(i.Total)+`</td><td class="number" data-label="Error (95 %)">± `+percent(i.Error)) {
			t.Errorf("the sensitivity of %s, %v ± %v, is not there", i.Name, i.Total, i.Error)
		}
	}
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// allowed are the elements that pages have.
var allowed = strings.Fields(`html head meta title style body main header section h1 h2 h3 p dl div dt dd table caption thead tbody tr th td br wbr span ul li
	figure figcaption pre code svg g path line rect text tspan circle polyline polygon title desc defs use clipPath linearGradient stop pattern`)

// wellFormed fails unless a page has only elements and attributes that do nothing, all closed.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!DOCTYPE html>")))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta", "br", "wbr"}, xml.HTMLEntity
	figures, captions := 0, 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("this is not well formed: %v", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(allowed, start.Name.Local) {
			t.Errorf("there is an element %s", start.Name.Local)
		}
		switch start.Name.Local {
		case "figure":
			figures++
		case "figcaption":
			captions++
		}
		for _, a := range start.Attr {
			if name := a.Name.Local; strings.HasPrefix(name, "on") || name == "style" || name == "src" || name == "href" && !strings.HasPrefix(a.Value, "#") {
				t.Errorf("<%s> has the attribute %s=%q", start.Name.Local, name, a.Value)
			}
		}
	}
	if figures != captions {
		t.Errorf("%d pictures, and %d sentences below them", figures, captions)
	}
	if !strings.Contains(page, `content="default-src 'none'; style-src 'unsafe-inline'"`) {
		t.Error("the page does not forbid everything")
	}
	for _, bad := range []string{"NaN", "%!", "ZgotmplZ", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// Sensitivities that are all smaller than their errors are not shown as a table.
func TestSensitivitiesSmallerThanTheirErrors(t *testing.T) {
	p := once().page()
	for i := range p.Run.Sensitivity.Parameters {
		p.Run.Sensitivity.Parameters[i].Error = 1.5
	}
	text := written(t, p)
	if !strings.Contains(text, "no sensitivity is larger than its error") || strings.Contains(text, `data-label="Sensitivity"`) {
		t.Error("numbers are shown that say nothing")
	}
}

// Whatever names, units and reasons are, they are no part of the page's own text.
func TestHostileNames(t *testing.T) {
	bad := `</td><script>alert('x')</script><img src=x onerror=alert(1)>&{{.}}"]]>`
	p := once().page()
	clean := written(t, p)
	wellFormed(t, clean)
	for i := range p.Parameters {
		p.Parameters[i].Name += bad + strconv.Itoa(i)
		p.Parameters[i].Unit = bad
	}
	p.Run.Subject.Name, p.Command, p.Version, p.Missing = bad, bad, bad, []string{bad}
	p.Settings = []Setting{{bad, bad}}
	p.Run.Result.Notes, p.Run.Result.Strategy = []string{bad}, bad
	for i := range p.Evaluations.Failures {
		p.Evaluations.Failures[i].Reason = bad
	}
	for i := range p.Evaluations.Workers {
		p.Evaluations.Workers[i].Name = bad
	}
	for i := range p.Run.Sensitivity.Parameters {
		p.Run.Sensitivity.Parameters[i].Name = bad
	}
	p.Run.Result.Stages[0].Name = bad
	text := written(t, p)
	wellFormed(t, text)
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") {
		t.Error("a name has become an element")
	}
	if strings.Count(text, "&lt;script") < 15 {
		t.Error("the names are not there")
	}
}

// The same run gives the same page.
func TestDeterministic(t *testing.T) {
	a, b := once().page(), once().page()
	if written(t, a) != written(t, b) {
		t.Error("two pages of the same run differ")
	}
	var all, some bytes.Buffer
	if err := errors.Join(a.WriteMain(&all), a.WriteChanging(&some)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(written(t, a), all.String()) {
		t.Error("WriteMain does not write what the page has")
	}
	for _, id := range []string{`<header id="summary">`, `<section id="best">`, `<section id="convergence">`, `<section id="failures">`, `<section id="costs">`} {
		if !strings.Contains(some.String(), id) || !strings.Contains(all.String(), id) {
			t.Errorf("there is no %s", id)
		}
	}
	for _, id := range []string{"learnt", "profiles", "sensitivity", "settings"} {
		if strings.Contains(some.String(), `id="`+id) || !strings.Contains(all.String(), `<section id="`+id+`">`) {
			t.Errorf("%s is where it should not be, or is missing", id)
		}
	}
}

// What failed is said: how often, where, and why.
func TestFailures(t *testing.T) {
	text := written(t, once().page())
	for _, want := range []string{"by an error", "Where width is above 5 m,", "elsewhere 0 % did.", "width 5.", "is too much &lt;b&gt; (in others with other numbers)", "rate = ", " m, count = 3, slope = "} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	p := once().page()
	p.Evaluations = Evaluations{}
	if text := written(t, p); !strings.Contains(text, "This is the first failure; the reasons of the others were not kept.") {
		t.Error("the first failure is not shown")
	}
}

// Pages of runs that have learnt nothing, go on, or are probes.
func TestOtherPages(t *testing.T) {
	account := untwist.Account{Value: math.Inf(1), Budget: 10}
	some := untwist.Account{Value: 2.5, Point: []float64{1, 2}, BestQuery: 3, Queries: 7, Budget: 10, Curve: []objective.Sample{{Queries: 1, Value: 3}, {Queries: 3, Value: 2.5}, {Queries: 7, Value: 2.5}}}
	failed := some
	failed.Failed, failed.Failures = 7, untwist.Failures{objective.TimedOut: 7}
	failed.Point, failed.Value, failed.Curve = nil, math.Inf(1), []objective.Sample{{Queries: 7, Value: math.Inf(1)}}
	noise := untwist.Noise{Kind: objective.RandomNoise, Sigma: 0.125}
	subject := report.Subject{Name: "f", Dim: 2}
	run := func(a untwist.Account) report.Run {
		return report.Run{Subject: subject, Result: untwist.Result{Account: a}}
	}
	noisy := run(some)
	noisy.Result.Noise, noisy.Result.ValueMean, noisy.Result.ValueError = &noise, new(2.4), new(0.01)
	single, named, greatest, half, first := run(some), run(some), run(some), run(some), run(account)
	first.Result.Queries, first.Result.Budget, first.Took = 4, 10, 20*time.Second
	single.Result.Noise = &noise
	named.Subject.Value, named.Subject.Unit, greatest.Subject.Maximize = "cost", "EUR", true
	half.Result.Queries, half.Result.Budget, half.Result.Resumed, half.Took = 30, 60, 10, 20*time.Second
	polynomial := run(some)
	polynomial.Sensitivity = &sensitivity.Indices{Mean: 2, Variance: 4, Terms: 7, HeldOut: 100, Explained: 0.999, Parameters: []sensitivity.Index{{Name: "a", Total: 0.75, Error: 0.01}, {Name: "b", Total: 0.5, Error: 0.01}}}
	notSeparable := run(some)
	notSeparable.Result.Structure = &untwist.Structure{Dim: 2, Linear: -1, Frame: identity(t, 2), Certificate: certify.Certificate{Verdict: certify.NotSeparable, Coupling: 0.3, Splits: 20, Culprit: -1}}
	peaks := notSeparable
	peaks.Subject.Maximize = true
	for name, c := range map[string]struct {
		page Page
		want []string
		not  []string
	}{
		"peaks":         {Page{Run: peaks}, []string{"its valleys are the function&#39;s peaks"}, nil},
		"nothing yet":   {Page{Run: run(account), Running: true}, []string{"The run goes on: no value is known yet after 0 queries.", "Now: the first points.", "The time left is not known yet."}, []string{`id="best"`, `id="learnt"`, `id="failures"`}},
		"running":       {Page{Run: run(some), Running: true}, []string{"The run goes on: the lowest value found is 2.5 after 7 queries.", "still going on", `id="convergence"`}, []string{`id="learnt"`, "Ended"}},
		"no look":       {Page{Run: run(some)}, []string{"The lowest value found is 2.5 after 7 queries.", "did not look for combinations"}, nil},
		"old journal":   {Page{Run: run(some), Missing: []string{"What was learnt is not shown, because of numerics 2."}}, []string{"because of numerics 2.", `id="best"`, `id="convergence"`}, []string{`id="learnt"`}},
		"all failed":    {Page{Run: run(failed)}, []string{"7 of 7 queries failed (100 %): 7 by timeout."}, []string{`id="best"`, `id="convergence"`, "∞"}},
		"noise":         {Page{Run: noisy}, []string{"mean value at the best point is 2.4 ± 0.01 after", "Noise, standard deviation", "0.125", "chosen by repeated queries"}, nil},
		"one noisy":     {Page{Run: single}, []string{"owest noisy value found is 2.5 after", "It is too low by chance", "single noisy values"}, nil},
		"named":         {Page{Run: named}, []string{"owest cost found is 2.5 EUR after", "<dt>Best cost</dt><dd>2.5 EUR", "best cost [EUR]"}, []string{"lowest value"}},
		"greatest":      {Page{Run: greatest}, []string{"ighest value found is 2.5 after", "Report of a maximisation"}, []string{"lowest value"}},
		"first batch":   {Page{Run: first, Running: true}, []string{"Now: the first points.", "Time left: at most about 30 s, until the budget is spent"}, nil},
		"learning":      {Page{Run: run(some), Running: true, Stage: "hessians"}, []string{"Now: how the function curves. Next the combinations are tested", "the value usually falls only in that search", "The time left is not known yet."}, nil},
		"half done":     {Page{Run: half, Running: true, Stage: "lines"}, []string{"The value usually falls now", "Time left: at most about 30 s, until the budget is spent"}, nil},
		"nearly":        {Page{Run: half, Running: true, Stage: "polish", Allowed: 25 * time.Second}, []string{"Time left: at most about 5 s, until the time is spent"}, nil},
		"by polynomial": {Page{Run: polynomial}, []string{"by a polynomial of 7 terms that was fitted to them, since the function is not known to split into single combinations", `data-label="Sensitivity">75 %`}, []string{"Most of it through"}},
		"coupled":       {Page{Run: notSeparable}, []string{"The function does not split into parts", "differed from the sum of what each did by 30 %"}, []string{"The combinations</h3>"}},
		"probe": {OfProbe(report.Probe{Subject: subject, Findings: untwist.Findings{Account: some, Structure: untwist.Structure{Dim: 2, Linear: -1, Frame: identity(t, 2), Blocks: [][]int{{0}, {1}}, Certificate: certify.Certificate{Verdict: certify.Separable, Splits: 20, Culprit: -1}}}}),
			[]string{"Report of a probe", "is a sum of 2 functions of one variable, each of one parameter alone, as 7 queries show.", "A probe does not search for the minimum."}, []string{"Best value"}},
	} {
		text := written(t, c.page)
		wellFormed(t, text)
		text = strings.ReplaceAll(text, "The lowest", "the lowest")
		for _, want := range c.want {
			if !strings.Contains(text, strings.ReplaceAll(want, "The lowest", "the lowest")) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: the page has %q", name, not)
			}
		}
	}
}

func identity(t *testing.T, d int) *frame.Frame {
	t.Helper()
	w := mat.NewDense(d, d, nil)
	for i := range d {
		w.Set(i, i, 1)
	}
	f, err := frame.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// random is a run of five million queries of d dimensions that has learnt all there is.
func random(t *testing.T, d int) Page {
	t.Helper()
	stream := rng.Seed(1).Stream("page")
	w, before := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			w.Set(i, j, stream.Float64()-0.5)
			before.Set(i, j, stream.Float64())
		}
		w.Set(i, i, 40)
	}
	f, err := frame.New(w)
	if err != nil {
		t.Fatal(err)
	}
	r := untwist.Result{Account: untwist.Account{Point: make([]float64, d), Value: 1e-9, Queries: 5_000_000, Budget: 5_000_000, BestQuery: 4_999_999}, Strategy: "auto"}
	s := &untwist.Structure{Dim: d, Frame: f, Linear: -1, Before: before, After: before, Certificate: certify.Certificate{Verdict: certify.Separable, Splits: 20, Culprit: -1}}
	s.Spectrum = identify.Spectrum{Kind: identify.Eigenvalues}
	indices := &sensitivity.Indices{Variance: 1, Explained: 1}
	for i := range d {
		r.Point[i] = stream.Float64()
		s.Blocks = append(s.Blocks, []int{i})
		s.Spectrum.Values = append(s.Spectrum.Values, 1/float64(i+1))
		q := untwist.Profile{Component: i}
		for k := range 200 {
			q.Y, q.Value = append(q.Y, float64(k)), append(q.Value, stream.Float64())
		}
		q.Wells = []untwist.Well{{Y: 3, Value: 0}, {Y: 9, Value: 0.5}}
		r.Profiles = append(r.Profiles, q)
		x := sensitivity.Index{Name: fmt.Sprintf("x%d", i+1), Total: stream.Float64(), Error: 0.01}
		for range d {
			x.Through = append(x.Through, x.Total/float64(d))
		}
		indices.Parameters = append(indices.Parameters, x)
	}
	r.Structure = s
	for n := 1; n < r.Queries; n += 1 + n/10 {
		r.Curve = append(r.Curve, objective.Sample{Queries: n, Value: 1 / float64(n)})
	}
	for k := range 300 {
		r.Stages = append(r.Stages, untwist.Stage{Stage: objective.Stage{Name: fmt.Sprintf("stage %d", k%7), Purpose: objective.ToSearch}, Queries: r.Queries / 300})
	}
	return Page{Run: report.Run{Subject: report.Subject{Name: "random", Dim: d}, Result: r, Sensitivity: indices}}
}

// A page of any number of dimensions can be written, and none is too large.
func TestSizes(t *testing.T) {
	most := flags.Usually(1000, 200)
	for _, d := range []int{1, 2, 30, most} {
		text := written(t, random(t, d))
		wellFormed(t, text)
		if len(text) > 2_000_000 {
			t.Errorf("d = %d: %d bytes", d, len(text))
		}
		t.Logf("d = %d: %d bytes", d, len(text))
		if more := fmt.Sprintf("and %d more combinations", most-12); strings.Contains(text, more) != (d == most) {
			t.Errorf("d = %d: how many profiles are left out?", d)
		}
	}
}

// The page of a structured problem has groups by their names, their sizes and what each does.
func TestGroups(t *testing.T) {
	g := &untwist.InteractionGraph{Kind: "blocks", Groups: [][]int{{0, 2}, {1, 3, 4}}, Alone: []int{5}, Unseen: []int{6}, Edges: 4, Margin: 1234, Queries: 99,
		Effects: []float64{0.25, 70}, Changes: []float64{8}}
	var space parameter.Space
	for _, name := range []string{"mass", "drag", "lift", "span", "chord", "sweep", "paint"} {
		space = append(space, parameter.Parameter{Name: name})
	}
	p := OfProbe(report.Probe{Subject: report.Subject{Name: "wing", Dim: 7, Parameters: space},
		Findings: untwist.Findings{Account: untwist.Account{Value: 1, Queries: 99, Status: objective.Converged}, Structure: untwist.Structure{Dim: 7, Linear: -1, Certificate: certify.None(), Interactions: g}}})
	var out strings.Builder
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Which parameters have to do with which", "drag, span and chord", "mass and lift", ">70<", ">0.25<", "1 alone", "sweep", "each at most 8", "1 unseen", "paint",
		"with 99 queries: 2 blocks of parameters, 1 alone, 1 unseen", "1,230 times", "which of 7 parameters interact"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}
