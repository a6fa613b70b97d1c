package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/untwist/untwist/internal/lists"
)

// A sheet is a table of words. Its first line is the head.
type sheet struct {
	title string
	lines [][]string
	right int // from this column on, numbers are set to the right; 0: nowhere

	// On paper a sheet may be too wide. Then the columns from each of the folds on are a sheet of
	// their own, after the first so many, which say whose they are.
	names int
	folds []int
}

// asTeX begins a cell that is LaTeX already.
const asTeX = "\x00"

// aligned returns a mark for each column: one for those set to the left, another for the others.
func (s sheet) aligned(left, right string) string {
	n := len(s.lines[0])
	k := min(cmp.Or(s.right, n), n)
	return strings.Repeat(left, k) + strings.Repeat(right, n-k)
}

// text returns the sheet for a terminal.
func (s sheet) text() string {
	wide, right := make([]int, len(s.lines[0])), s.aligned("l", "r")
	for _, line := range s.lines {
		for k, word := range line {
			wide[k] = max(wide[k], utf8.RuneCountInString(word))
		}
	}
	var out strings.Builder
	if s.title != "" {
		out.WriteString(s.title + "\n")
	}
	for i, line := range s.lines {
		text := ""
		for k, word := range line {
			blank := strings.Repeat(" ", wide[k]-utf8.RuneCountInString(word))
			if i == 0 && !strings.ContainsAny(word, "0123456789") { // 1e-08 stays as it is
				word = strings.ToUpper(word)
			}
			if right[k] == 'r' {
				text += blank + word + "  "
			} else {
				text += word + blank + "  "
			}
		}
		out.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return out.String()
}

// markdown returns the sheet in Markdown.
func (s sheet) markdown() string {
	var out strings.Builder
	if s.title != "" {
		fmt.Fprintf(&out, "**%s**\n\n", s.title)
	}
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`)
	for i, line := range s.lines {
		for _, word := range line {
			fmt.Fprintf(&out, "| %s ", escape.Replace(word))
		}
		out.WriteString("|\n")
		if i == 0 {
			out.WriteString(s.aligned("|---", "|---:") + "|\n")
		}
	}
	return out.String()
}

// latex returns the sheet in LaTeX, with the package booktabs.
func (s sheet) latex() string {
	var out strings.Builder
	columns := s.aligned("l", "r")
	fmt.Fprintf(&out, "\\begin{tabular}{%s}\n\\toprule\n", columns)
	if s.title != "" {
		fmt.Fprintf(&out, "\\multicolumn{%d}{l}{%s} \\\\\n\\midrule\n", len(columns), escaped(s.title))
	}
	for i, line := range s.lines {
		fmt.Fprintf(&out, "%s \\\\\n", strings.Join(lists.Map(line, escaped), " & "))
		if i == 0 {
			out.WriteString("\\midrule\n")
		}
	}
	out.WriteString("\\bottomrule\n\\end{tabular}\n")
	return out.String()
}

// A document is tables, and what their figures mean.
type document struct {
	legend string
	sheets []sheet
}

// text returns the tables for a terminal, and the legend below them.
func (d document) text() string {
	return strings.Join(append(lists.Map(d.sheets, sheet.text), d.legend+"\n"), "\n")
}

func (d document) markdown() ([]byte, error) {
	parts := append([]string{d.legend + "\n"}, lists.Map(d.sheets, sheet.markdown)...)
	return []byte(strings.Join(parts, "\n")), nil
}

// latex returns the tables in LaTeX, in small letters and in parts that fit a page of the class
// article. The legend is a comment above them.
func (d document) latex() ([]byte, error) {
	parts := []string{"% " + strings.ReplaceAll(d.legend, "\n", "\n% ") + "\n", "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{3pt}\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{2ex}\n"}
	for _, s := range d.sheets {
		for _, page := range s.folded() {
			for _, part := range page.parts(50) {
				parts = append(parts, part.latex())
			}
		}
	}
	return []byte(strings.Join(append(parts, "\\endgroup\n"), "\n")), nil
}

// folded returns the parts of a sheet that is too wide.
func (s sheet) folded() (all []sheet) {
	from := s.names
	for _, to := range append(slices.Clone(s.folds), len(s.lines[0])) {
		part := s
		part.lines = lists.Map(s.lines, func(line []string) []string { return slices.Concat(line[:s.names], line[from:to]) })
		all, from = append(all, part), to
	}
	return all
}

// parts cuts a sheet into parts of at most so many lines below the head. A line without a first
// cell belongs to the one above it, and is not parted from it if that can be avoided.
func (s sheet) parts(most int) (all []sheet) {
	head, title := s.lines[:1], s.title
	for s.lines = s.lines[1:]; len(s.lines) > most; s.title = title + " (continued)" {
		n := most
		for n > 0 && s.lines[n][0] == "" {
			n--
		}
		if n == 0 {
			n = most
		}
		all = append(all, sheet{title: s.title, lines: slices.Concat(head, s.lines[:n]), right: s.right})
		s.lines = s.lines[n:]
	}
	return append(all, sheet{title: s.title, lines: slices.Concat(head, s.lines), right: s.right})
}

// escaped returns a cell as LaTeX.
func escaped(word string) string {
	if tex, is := strings.CutPrefix(word, asTeX); is {
		return tex
	}
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`,
		"[", "{[}", "*", "{*}", "–", "--", "-∞", `$-\infty$`, "∞", `$\infty$`,
	).Replace(word)
}

// wrapped returns a paragraph in lines of at most the given width, if its words allow it.
func wrapped(text string, wide int) string {
	var out strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && column+1+n > wide:
			out.WriteString("\n")
			column = 0
		case i > 0:
			out.WriteString(" ")
			column++
		}
		out.WriteString(word)
		column += n
	}
	return out.String()
}
