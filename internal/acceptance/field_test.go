package acceptance

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A fieldCase is a function of BBOB in d dimensions.
type fieldCase struct{ function, d int }

// fieldERT reads the expected running times to 1e-8 of docs/data/bbob-10000d.md, by method.
func fieldERT(t *testing.T) map[string]map[fieldCase]float64 {
	t.Helper()
	text, err := os.ReadFile("../../docs/data/bbob-10000d.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[fieldCase]float64{"auto": {}, "cmaes": {}}
	c, inside := fieldCase{}, false
	for line := range strings.Lines(string(text)) {
		if n, err := fmt.Sscanf(line, "**d = %d,", &c.d); n == 1 && err == nil {
			continue
		}
		inside = strings.HasPrefix(line, "| problem | method | success") || inside && strings.HasPrefix(line, "|")
		words := strings.Split(line, "|")
		if !inside || len(words) < 10 {
			continue
		}
		if name, is := strings.CutPrefix(strings.TrimSpace(words[1]), "bbob-"); is {
			if c.function, err = strconv.Atoi(name); err != nil {
				t.Fatal(err)
			}
		}
		method, word := strings.TrimSpace(words[2]), strings.ReplaceAll(strings.TrimSpace(words[8]), ",", "")
		if all[method] == nil {
			continue
		}
		v := math.Inf(1)
		if word != "∞" {
			if v, err = strconv.ParseFloat(word, 64); err != nil {
				t.Fatal(line, err)
			}
		}
		all[method][c] = v
	}
	return all
}

// fieldBest reads docs/data/coco-best.csv: the least expected running time to 1e-8, and whose it is.
func fieldBest(t *testing.T) (best map[fieldCase]float64, whose map[fieldCase]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/data/coco-best.csv")
	if err != nil {
		t.Fatal(err)
	}
	best, whose = map[fieldCase]float64{}, map[fieldCase]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSpace(line), ",")
		if len(words) != 5 || words[2] != "1e-08" {
			continue
		}
		var c fieldCase
		if _, err := fmt.Sscan(words[0]+" "+words[1], &c.function, &c.d); err != nil {
			t.Fatal(err)
		}
		v, err := strconv.ParseFloat(words[3], 64)
		if err != nil {
			v = math.Inf(1)
		}
		best[c], whose[c] = v, words[4]
	}
	return best, whose
}

// ofBest says how many times the best it is.
func ofBest(ours, best float64) string {
	switch {
	case math.IsInf(ours, 1):
		return "–"
	case math.IsInf(best, 1):
		return "first"
	case ours < 9.95*best:
		return fmt.Sprintf("%.1f", ours/best)
	}
	return thousands(math.Round(ours / best))
}

// The tables of docs/data/field.md follow from what is stored beside it. With -update they are written.
func TestFieldPage(t *testing.T) {
	ours := fieldERT(t)
	best, whose := fieldBest(t)
	dims := []int{5, 10, 20, 40}
	table := "| bbob | d = 5 | d = 10 | d = 20 | d = 40 | best at d = 20 |\n|---:|---:|---:|---:|---:|---|\n"
	sums := map[string][4]int{} // by method: ahead of the best, within 2 times, within 10 times, further, of those that are solved
	for k := 1; k <= 24; k++ {
		row := fmt.Sprintf("| %d |", k)
		for _, d := range dims {
			c := fieldCase{k, d}
			if len(ours["auto"]) != 96 || len(ours["cmaes"]) != 96 || best[c] == 0 {
				t.Fatalf("%d and %d cases, and the best of %v is %g", len(ours["auto"]), len(ours["cmaes"]), c, best[c])
			}
			row += fmt.Sprintf(" %s, %s |", ofBest(ours["auto"][c], best[c]), ofBest(ours["cmaes"][c], best[c]))
			for method, ert := range ours {
				s := sums[method]
				switch ratio := ert[c] / best[c]; {
				case math.IsInf(ert[c], 1):
					s[3]++
				case ratio < 1:
					s[0]++
				case ratio <= 2:
					s[1]++
				default:
					s[2]++
				}
				sums[method] = s
			}
		}
		table += row + " " + whose[fieldCase{k, 20}] + " |\n"
	}
	written(t, "field.md", "bbob", table)
	short := "| of 96 cases | fewer queries than the best | up to twice as many | more | not solved in 10,000·d |\n|---|---:|---:|---:|---:|\n"
	for _, method := range []string{"auto", "cmaes"} {
		s := sums[method]
		short += fmt.Sprintf("| %s | %d | %d | %d | %d |\n", method, s[0], s[1], s[2], s[3])
	}
	written(t, "field.md", "sums", short)
	written(t, "field.md", "small", fieldSmall(t))
}

// fieldSmall compares auto with others at small budgets: on how many functions its median is lower, and higher.
func fieldSmall(t *testing.T) string {
	known := smallRuns(t)
	text := "| d | queries |"
	others := append([]string{"cmaes"}, peers...)
	for _, m := range others {
		text += " " + m + " |"
	}
	text += "\n|---|---|" + strings.Repeat("---:|", len(others)) + "\n"
	for _, d := range []int{5, 10, 20, 40} {
		for _, mark := range []float64{20, 50, 100} {
			text += fmt.Sprintf("| %d | %gd |", d, mark)
			for _, m := range others {
				lower, higher := 0, 0
				for k := 1; k <= 24; k++ {
					a, b := at(known, "auto", k, d, mark), at(known, m, k, d, mark)
					if len(a) == 0 || len(b) == 0 {
						continue
					}
					if middle(a) < middle(b) {
						lower++
					} else if middle(a) > middle(b) {
						higher++
					}
				}
				if lower+higher == 0 {
					text += "  |"
				} else {
					text += fmt.Sprintf(" %d, %d |", lower, higher)
				}
			}
			text += "\n"
		}
	}
	return text
}
