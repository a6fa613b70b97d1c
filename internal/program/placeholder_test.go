package program

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var testNames = []string{"k", "d", "x.1", "odd name"}

// show writes a form with its placeholders in angle brackets.
func show(f form) string {
	return string(f.fill(nil, func(p piece) []byte { return []byte("<" + p.name + p.format + ">") }))
}

func TestPlaceholders(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"--k={k}":                      "--k=<k>",
		"{k}{d}{x.1}{odd name}":        "<k><d><x.1><odd name>",
		"{all} {in} {out}":             "<all> <in> <out>",
		"{unknown}":                    "<unknown>",
		"{k:%.6e}":                     "<k%.6e>",
		"{k:%12.3f}":                   "<k%12.3f>",
		"{{k}}":                        "{k}",
		"{{{k}}}":                      "{<k>}",
		"{{ {k} }}":                    "{ <k> }",
		`{"a":{"k":{k}}}`:              `{"a":{"k":<k>}}`,
		`{"k":{k},"d":{d}}`:            `{"k":<k>,"d":<d>}`,
		`{for(i=1;i<=NF;i++){s+=$i}}`:  `{for(i=1;i<=NF;i++){s+=$i}}`,
		`{s += $1; print s; fflush()}`: `{s += $1; print s; fflush()}`,
		"{k":                           "{k",
		"k}":                           "k}",
		"{}":                           "{}",
		"{ k }":                        "{ k }",
		"{a:1}":                        "{a:1}",
		"{a{k}":                        "{a<k>",
		"{{":                           "{",
		"}}":                           "}}",
	} {
		f, err := parseForm(text, testNames)
		if err != nil || show(f) != want {
			t.Errorf("%s is %s (%v), want %s", text, show(f), err, want)
		}
	}
	for _, text := range []string{"{k:%d}", "{k:%s}", "{k:3}", "{k:}", "{k:%-8.3f}", "{k:%.100f}", "{k:%.6e%d}", "{other:%d}", "{k:%*f}"} {
		_, err := parseForm("a\nb\n"+text, testNames)
		var at *lineError
		if !errors.As(err, &at) || at.line != 3 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestNumbersInFormsReadBack(t *testing.T) {
	for _, v := range []float64{0, 1, -1.5, 0.1, 1e-300, 1e300, 1.0 / 3, 123456789} {
		if got, err := strconv.ParseFloat(string((piece{name: "k"}).number(v)), 64); err != nil || got != v {
			t.Errorf("%v reads back as %v (%v)", v, got, err)
		}
	}
	if got := string((piece{name: "k", format: "%12.3e"}).number(-1.0 / 3)); got != "  -3.333e-01" {
		t.Errorf("the format gives %q", got)
	}
}

// naiveForm reads a text from the left with a regular expression at each place.
func naiveForm(text string) string {
	name := regexp.MustCompile(`^\{([A-Za-z_][A-Za-z0-9_.-]*|odd name)(:(%[1-9]?[0-9]?(\.[0-9][0-9]?)?[efgEG]))?\}`)
	var out strings.Builder
	open := 0
	for i := 0; i < len(text); {
		switch m := name.FindStringSubmatch(text[i:]); {
		case strings.HasPrefix(text[i:], "{{"):
			open++
			out.WriteString("{")
			i += 2
		case strings.HasPrefix(text[i:], "}}") && open > 0:
			open--
			out.WriteString("}")
			i += 2
		case m != nil:
			fmt.Fprintf(&out, "<%s%s>", m[1], m[3])
			i += len(m[0])
		default:
			out.WriteByte(text[i])
			i++
		}
	}
	return out.String()
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"k = {k}\n", "{{k}}", "{k:%.6e} {d:%9g}", `{"a":{"k":{k}}}`, "{k:%d}", "{odd name}", "{{{k}}}", "{\n}", "{all}{in}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseForm(text, testNames)
		if err != nil {
			var at *lineError
			if !errors.As(err, &at) || at.line < 1 || at.line > 1+strings.Count(text, "\n") || !strings.Contains(text, "%") && !strings.Contains(text, ":") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if got, want := show(parsed), naiveForm(text); got != want {
			t.Fatalf("%q is %q, want %q", text, got, want)
		}
		for _, p := range parsed.placeholders() {
			lines := strings.Split(text, "\n")
			if p.line < 1 || p.line > len(lines) || !strings.Contains(lines[p.line-1], p.String()) {
				t.Fatalf("%q: %v is not in line %d", text, p, p.line)
			}
		}
	})
}

func TestPlaceholdersKnowTheirLine(t *testing.T) {
	f, err := parseForm("a\n{k}\n\n{{ {d}", testNames)
	var lines []int
	for _, p := range f.placeholders() {
		lines = append(lines, p.line)
	}
	if err != nil || !slices.Equal(lines, []int{2, 4}) {
		t.Errorf("the lines are %v (%v)", lines, err)
	}
}
