package program

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/untwist/untwist/objective"
)

func TestNumbersInTexts(t *testing.T) {
	for _, c := range []struct {
		text        string
		first, last float64
	}{
		{"1.25", 1.25, 1.25},
		{"cost=1.25", 1.25, 1.25},
		{"1.25,", 1.25, 1.25},
		{"f: 1.25e3\n", 1250, 1250},
		{"The cost is 1.25.\n", 1.25, 1.25},
		{"a 1 b 2 c\n", 1, 2},
		{"[1, -2, +3]", 1, 3},
		{"1.5D+03 2d-1", 1500, 0.2},
		{"x2 y_3 4a 5", 5, 5},
		{"took 3 s: 7%", 3, 7},
		{"nan", math.NaN(), math.NaN()},
		{"1 -inf", 1, math.Inf(-1)},
		{"1e999", math.Inf(1), math.Inf(1)},
		{"7 −5", 7, 7}, // a typesetter's minus: better no number than one with the wrong sign
		{"→8←", 8, 8},
		{"0x1p-2", 0.25, 0.25},
	} {
		first, _, ok := firstNumber([]byte(c.text))
		if !ok || !same(first, c.first) {
			t.Errorf("%q: the first number is %v (%v)", c.text, first, ok)
		}
		last, _, ok := lastNumber([]byte(c.text))
		if !ok || !same(last, c.last) {
			t.Errorf("%q: the last number is %v (%v)", c.text, last, ok)
		}
	}
	for _, text := range []string{"", "\n", "none", "1-2", "--", "1.2.3", "é", "\xff", "abc1", "0xd"} {
		if v, _, ok := lastNumber([]byte(text)); ok {
			t.Errorf("%q has the number %v", text, v)
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// naiveNumbers returns all numbers of a text.
func naiveNumbers(text string) (all []float64) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) }) {
		for _, w := range []string{word, strings.TrimRight(word, ".")} {
			if !strings.ContainsAny(w, "xX") {
				w = strings.Replace(strings.Replace(w, "D", "d", 1), "d", "e", 1)
			}
			v, err := strconv.ParseFloat(w, 64)
			if low := strings.ToLower(w); low == "+nan" || low == "-nan" {
				v, err = math.NaN(), nil
			}
			if err == nil || strings.Contains(err.Error(), "range") {
				all = append(all, v)
				break
			}
		}
	}
	return all
}

func FuzzResult(f *testing.F) {
	for _, seed := range []string{"1.25", "cost = 1.5D+03, nan", "f: -1e3\nx 2.", "", "1e999", "−1", "infinity", "0x1p3 1_000", "a\xff1"} {
		f.Add([]byte(seed))
	}
	pattern := regexp.MustCompile(`f:\s*(\S+)`)
	f.Fuzz(func(t *testing.T, text []byte) {
		all := naiveNumbers(string(text))
		v, _, ok := lastNumber(text)
		if ok != (len(all) > 0) || ok && !same(v, all[len(all)-1]) {
			t.Fatalf("%q: the last number is %v (%v), want that of %v", text, v, ok, all)
		}
		v, _, ok = firstNumber(text)
		if ok != (len(all) > 0) || ok && !same(v, all[0]) {
			t.Fatalf("%q: the first number is %v (%v), want that of %v", text, v, ok, all)
		}
		for _, r := range []result{{}, {pattern: pattern}} {
			v, failure, empty := r.read(text)
			if failure == nil && (math.IsNaN(v) || math.IsInf(v, 0)) || empty != (len(text) == 0) {
				t.Fatalf("%q: %v, %v, %v", text, v, failure, empty)
			}
			if failure != nil && strings.ContainsAny(failure.Error(), "\n\r") {
				t.Fatalf("%q: the reason is not one line: %q", text, failure.Error())
			}
		}
		for _, line := range strings.Split(string(text), "\n") {
			if v, failure := lineValue([]byte(line)); failure == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Fatalf("%q has the value %v", line, v)
			}
		}
	})
}

func TestResults(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cost := regexp.MustCompile(`cost: *(\S+)`)
	for _, c := range []struct {
		about   string
		r       result
		printed string
		want    any // a value, or a kind of failure
		empty   bool
	}{
		{"last number", result{}, "1\n2 s\n", 2.0, false},
		{"nothing", result{}, "", objective.NoNumber, true},
		{"no number", result{}, "hello\n", objective.NoNumber, false},
		{"nan", result{}, "3\nnan\n", objective.NotANumber, false},
		{"minus infinity", result{}, "-inf\n", objective.NotANumber, false},
		{"last match", result{pattern: cost}, "cost: 1\ncost: 2.5\n7\n", 2.5, false},
		{"no match", result{pattern: cost}, "price: 1\n", objective.NoNumber, false},
		{"match without number", result{pattern: cost}, "cost: 1\ncost: much\n", objective.NoNumber, false},
		{"file", result{file: write("a", "f = 4 5\n"), name: "a"}, "9", 4.0, false},
		{"empty file", result{file: write("b", ""), name: "b"}, "9", objective.NoNumber, true},
		{"no file", result{file: filepath.Join(folder, "c"), name: "c"}, "9", objective.NoNumber, true},
		{"a folder", result{file: folder, name: "d"}, "9", objective.NoNumber, true},
		{"a pipe", result{file: pipe, name: "pipe"}, "9", objective.NoNumber, true},
		{"a number that is cut", result{file: write("e", strings.Repeat(" ", mostOutput-1)+"12"), name: "e"}, "9", objective.NoNumber, false},
	} {
		v, failure, empty := c.r.read([]byte(c.printed))
		var got any = v
		if failure != nil {
			got = failure.Kind
		}
		if got != c.want || empty != c.empty {
			t.Errorf("%s: %v (%v), %v", c.about, got, failure, empty)
		}
	}
}

func TestNoNumberIsCutOff(t *testing.T) {
	long := call{stdout: []byte(strings.Repeat("0", mostOutput-4) + "1 17 x")}
	if v, _, ok := lastNumber(long.printed()); !ok || v != 17 {
		t.Errorf("the value is %v (%v)", v, ok)
	}
	long = call{stdout: []byte(strings.Repeat("0", mostOutput) + "1")}
	if v, _, ok := lastNumber(long.printed()); ok {
		t.Errorf("half a number is %v", v)
	}
	long = call{stdout: []byte("5 6\n" + strings.Repeat(" ", mostOutput-4) + "7")}
	if v, _, ok := firstNumber(long.printed()); !ok || v != 7 {
		t.Errorf("the first line is not dropped: %v (%v)", v, ok)
	}
}
