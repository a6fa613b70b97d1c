package acceptance

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// A knob is a constant of a file.
type knob struct {
	file, name, why string
	lo, hi          int    // where its value stands
	value           string // in the language
	integer         bool
}

// half and twice are what it is changed to.
func (k knob) half() string {
	if k.integer {
		n, _ := strconv.Atoi(k.value)
		return strconv.Itoa((n + 1) / 2)
	}
	return "(" + k.value + ")/2"
}

func (k knob) twice() string { return "2*(" + k.value + ")" }

// smallKnobs are the constants of descents, lines and their race with CMA-ES, as the files have them.
func smallKnobs(t *testing.T) (all []knob) {
	t.Helper()
	files, err := filepath.Glob("../descent/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../auto/sprint.go", "../auto/scout.go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				about := g.Doc.Text()
				for _, s := range g.Specs {
					v := s.(*ast.ValueSpec)
					own := v.Doc.Text() + v.Comment.Text()
					about += own
					k := knob{file: file, name: v.Names[0].Name, lo: set.Position(v.Values[0].Pos()).Offset, hi: set.Position(v.Values[0].End()).Offset}
					k.value = string(text[k.lo:k.hi])
					lit, ok := v.Values[0].(*ast.BasicLit)
					k.integer, k.why = ok && lit.Kind == token.INT, sentence(cmp.Or(own, about), k.name)
					all = append(all, k)
				}
			}
		}
	}
	return all
}

// sentence returns the first sentence with a word.
func sentence(text, word string) string {
	all := strings.SplitAfter(strings.Join(strings.Fields(text), " "), ". ")
	has := regexp.MustCompile(`\b` + word + `\b`)
	if i := slices.IndexFunc(all, has.MatchString); i >= 0 {
		return strings.TrimSpace(all[i])
	}
	return strings.TrimSpace(all[0])
}

const knobFile = "testdata/constants.csv"

// meansWith compiles testdata/means.go with a constant that is another, and returns what it prints.
func meansWith(t *testing.T, k knob, value string) []string {
	t.Helper()
	text, err := os.ReadFile(k.file)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	changed, overlay, command := filepath.Join(folder, "changed.go"), filepath.Join(folder, "overlay.json"), filepath.Join(folder, "means")
	replaced := map[string]string{}
	for there, file := range map[string]string{k.file: changed, "means/main.go": "testdata/means.go"} { // a package that is nowhere else
		from, err := filepath.Abs(there)
		to, wrong := filepath.Abs(file)
		if err := cmp.Or(err, wrong); err != nil {
			t.Fatal(err)
		}
		replaced[from] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{changed: slices.Concat(text[:k.lo], []byte(value), text[k.hi:]), overlay: list} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", command, "./means").CombinedOutput(); err != nil {
		t.Fatalf("%s = %s: %v\n%s", k.name, value, err, out)
	}
	args := []string{strconv.Itoa(flags.Count(15))}
	for _, n := range smooth {
		args = append(args, strconv.Itoa(n))
	}
	out, err := exec.Command(command, args...).Output()
	if err != nil {
		t.Fatalf("%s = %s: %v", k.name, value, err)
	}
	return strings.Fields(string(out))
}

// knownMeans reads what was measured: the constant as it stands, halved and doubled, by its name.
func knownMeans(t *testing.T) map[string][]float64 {
	t.Helper()
	data, err := os.ReadFile(knobFile)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]float64{}
	for _, words := range lines {
		var means []float64
		for _, w := range words[2:] {
			v, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			means = append(means, v)
		}
		known[words[0]+","+words[1]] = means
	}
	return known
}

// Halved or doubled, no constant of descents and of the race changes a mean of smooth functions by more than a factor of five. With -whole -update it measures those that are not in testdata/constants.csv, where it goes on, each
// in a build of its own, and writes the table of docs/data/small-budgets.md; remove the file to measure all.
//
//	go test ./internal/acceptance -run TestConstantsOfSmallBudgets -whole -update -timeout 3h
func TestConstantsOfSmallBudgets(t *testing.T) {
	knobs, known := smallKnobs(t), knownMeans(t)
	if *flags.Whole && *flags.Update {
		file, err := os.OpenFile(knobFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for i, k := range knobs {
			names := map[string]string{k.name + ",half": k.half(), k.name + ",twice": k.twice()}
			if i == 0 {
				names["all,once"] = k.value
			}
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if known[name] == nil {
					fmt.Fprintln(file, name+","+strings.Join(meansWith(t, k, names[name]), ","))
				}
			}
		}
		known = knownMeans(t)
	}
	once, table := known["all,once"], "| constant | what it is | halved | doubled |\n|---|---|---|---|\n"
	for _, k := range knobs {
		table += "| `" + k.name + "` " + k.value + " | " + strings.ReplaceAll(k.why, "|", "\\|") + " |"
		for _, change := range []string{",half", ",twice"} {
			means := known[k.name+change]
			delete(known, k.name+change)
			if means == nil {
				table += " |"
				continue
			}
			words := make([]string, len(means))
			for i, m := range means {
				if words[i] = fmt.Sprintf("%.2g", m/once[i]); m == once[i] {
					words[i] = "="
				} else if m > 5*once[i] {
					t.Errorf("%s%s: %.3g times the mean", k.name, change, m/once[i])
				}
			}
			table += " " + strings.Join(words, " ") + " |"
		}
		table += "\n"
	}
	if delete(known, "all,once"); len(once) == 0 || len(known) > 0 {
		t.Errorf("%s has constants that are no more: %v", knobFile, slices.Sorted(maps.Keys(known)))
	}
	if *flags.Whole && *flags.Update {
		rewrite(t, "../../docs/data/small-budgets.md", "constants", table)
	}
}
