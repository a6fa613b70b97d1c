package program

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// unread stands for a word that looks like a number and cannot be read as one.
type unread string

// read is what a word comes to: a number, an unread, or nothing.
func read(word string) any {
	if word == "" {
		return nil
	}
	v, failure := meant(word)
	switch {
	case failure != nil:
		return unread(word)
	case math.IsNaN(v):
		return "nan"
	}
	return v
}

func TestNumbersInTexts(t *testing.T) {
	for _, c := range []struct {
		text        string
		first, last any
	}{
		{"1.25", 1.25, 1.25},
		{"cost=1.25", 1.25, 1.25},
		{"x1=3.5", 3.5, 3.5},
		{"value:3.2", 3.2, 3.2},
		{"(3.2)", 3.2, 3.2},
		{"1.25,", 1.25, 1.25},
		{"f: 1.25e3\n", 1250., 1250.},
		{"The cost is 1.25.\n", 1.25, 1.25},
		{"It is 3.5e-4.", 3.5e-4, 3.5e-4},
		{"wait for it... 5", 5., 5.},
		{"a 1 b 2 c\n", 1., 2.},
		{"[1, -2, +3]", 1., 3.},
		{"[1,-2,+3]", 1., 3.},
		{"{\"a\":1,\"b\":-2.5}", 1., -2.5},
		{"1.5D+03 2d-1", 1500., 0.2},
		{"x2 y_3 v1.2.3 sim-12 5", 5., 5.},
		{"iter12 cost 4", 4., 4.},
		{"4 m/s^2 9", 4., 9.},
		{"took 3 s: 7%", 3., 7.},
		{"nan", "nan", "nan"},
		{"-nan(ind) 1", "nan", 1.},
		{"1 -inf", 1., math.Inf(-1)},
		{"1e999", math.Inf(1), math.Inf(1)},
		{"→8←", 8., 8.},
		{"0x1p-2", 0.25, 0.25},
		{"x**2 3*4 *5*", 2., 5.},
		{"7 **bold** * item", 7., 7.},
		{"'5' \"6\" #7", 5., 7.},
		// What looks like a number and is none: the number before it is not the value.
		{"7 −5", 7., unread("−5")}, // a typesetter's minus
		{"7 –5", 7., unread("–5")},
		{"1,234.56", unread("1,234.56"), unread("1,234.56")},
		{"1.234,5", unread("1.234,5"), unread("1.234,5")},
		{"1,5", unread("1,5"), unread("1,5")},
		{"12,3.5,7", 12., 7.}, // this cannot be one number
		{"100,200,300 12,34,567.5", unread("100,200,300"), unread("12,34,567.5")},
		{"12:30:05,123", unread("12:30:05,123"), unread("12:30:05,123")},
		{"1'234.5 1’234", unread("1'234.5"), unread("1’234")},
		{"1\u00a0234 1\u202f234", unread("1\u00a0234"), unread("1\u202f234")},
		{"iter 12 cost *********", 12., unread("*********")},
		{"iter 12 cost=-****", 12., unread("-****")},
		{"iter 12***** cost", unread("12*****"), unread("12*****")},
		{"*****12", unread("*****12"), unread("*****12")},
		{"iter 12 cost 0.15-104", 12., unread("0.15-104")},
		{"3 1.#QNAN", 3., unread("1.#QNAN")},
		{"3 -1.#IND00", 3., unread("-1.#IND00")},
		{"3 NaNQ", 3., unread("NaNQ")},
		{"3 −∞", 3., unread("−∞")},
		{"3 1.5×10³", 3., unread("10³")},
		{"3 10^-2", 3., unread("10^-2")},
		{"1 t=0.5s", 1., unread("0.5s")},
		{"1 2.5M", 1., unread("2.5M")},
		{"5 on 2024-05-01", 5., unread("2024-05-01")},
		{"5 at 12:30:05", 5., unread("12:30:05")},
		{"5 of 3/4", 5., unread("3/4")},
		{"5 cost....3.5", 5., unread("cost....3.5")},
		{"3.5±0.1 3.5(2) 3.5+/-0.1", unread("3.5±0.1"), unread("3.5+/-0.1")},
		{"1 ٣", 1., unread("٣")}, // an Arabic 3
		{"1-2", unread("1-2"), unread("1-2")},
		{"1.2.3", unread("1.2.3"), unread("1.2.3")},
		{"1 0xd", 1., unread("0xd")},
		{"1 1_000", 1., 1000.},
		{"", nil, nil}, {"\n", nil, nil}, {"none", nil, nil}, {"--", nil, nil}, {"é", nil, nil}, {"\xff", nil, nil}, {"abc1", nil, nil},
		{"...", nil, nil}, {"*", nil, nil}, {"# - +", nil, nil}, {"infeasible, info", nil, nil},
	} {
		if got := read(firstWord([]byte(c.text))); got != c.first {
			t.Errorf("%q: the first number is %v", c.text, got)
		}
		if got := read(lastWord([]byte(c.text))); got != c.last {
			t.Errorf("%q: the last number is %v", c.text, got)
		}
	}
}

// The last word that is meant for a number decides, whatever other words there are.
func TestLastWordDecides(t *testing.T) {
	numbers := []string{"3", "-2.5", "1e-3", ".5", "+7.", "1.5D+02", "nan", "-inf", "0x1p3"}
	others := []string{"1,2", "****", "0.15-104", "1.#INF", "−3", "4s", "2024-05-01", "12:30", "1/2", "10^3", "1'000", "5±1", "6(1", "x...5", "½", "1..2"}
	texts := []string{"iter12", "x_3", "cost", "v1.2", "m/s^2", "-", "...", "**so**", "*", "=", "é", "info"}
	rapid.Check(t, func(t *rapid.T) {
		var all []string
		want := any(nil)
		for range rapid.IntRange(0, 9).Draw(t, "n") {
			word := rapid.SampledFrom(slices.Concat(numbers, others, texts)).Draw(t, "word")
			if v, ok := naiveNumber(word); slices.Contains(numbers, word) {
				if want = v; !ok || math.IsNaN(v) {
					want = "nan"
				}
			} else if slices.Contains(others, word) {
				want = unread(word)
			}
			all = append(all, word, rapid.SampledFrom([]string{" ", "\n", "\t", " = ", "; ", " (", ") ", ", ", ": "}).Draw(t, "gap"))
		}
		text := strings.Join(all, "")
		if got := read(lastWord([]byte(text))); got != want {
			t.Fatalf("%q: the last number is %v, want %v", text, got, want)
		}
	})
}

// naiveWords returns all words of a text that look like numbers.
func naiveWords(text string) (all []string) {
	joins := regexp.MustCompile(`[\pL\pN_.+\-−^∞]`)
	pairs := regexp.MustCompile(`\.#|\pN[,'’:/(±\x{a0}\x{202f}]$`)
	runes := []rune(" " + text + " ")
	marked := slices.Clone(runes)
	for i := 1; i+1 < len(runes); i++ {
		r, before, after := runes[i], runes[i-1], runes[i+1]
		lo, hi := i, i+1
		for r == '*' && runes[lo-1] == '*' {
			lo--
		}
		for r == '*' && runes[hi] == '*' {
			hi++
		}
		switch {
		case joins.MatchString(string(r)):
		case r == '*' && hi-lo > 1 && !unicode.IsLetter(runes[lo-1]) && !unicode.IsLetter(runes[hi]):
		case r == '/' && before == '+' && after == '-':
		case pairs.MatchString(string(runes[i-1:i+1])) && (r == '#' || unicode.IsNumber(after)):
		case strings.ContainsRune("‐‑–﹣－", r) && !unicode.IsLetter(before) && (unicode.IsNumber(after) || after == '.'):
		default:
			marked[i] = 0
		}
	}
	meant := regexp.MustCompile(`^[+\-−‐‑–﹣－]*\.*[\pN∞]|\*\*|(?i:^[+\-−‐‑–﹣－]*(nanq|nans|qnan|snan)$)`)
	one := regexp.MustCompile(`^[+-]?(\d\d?\d?(,\d\d\d?)*,\d\d\d(\.\d*)?|(\d+|\d\d?\d?(\.\d\d\d)+),\d+)([eEdD][+-]?\d+)?\.?$`)
	for _, word := range strings.Split(string(marked[1:len(marked)-1]), "\x00") {
		list := strings.Split(word, ",")
		if len(list) > 1 && !one.MatchString(word) {
			good := 0
			for _, w := range list {
				_, whole := naiveNumber(w)
				if _, stopped := naiveNumber(strings.TrimRight(w, ".")); whole || stopped {
					good++
				}
			}
			if good == len(list) {
				all = append(all, list...)
				continue
			}
		}
		tail := word
		for i := strings.Index(tail, ".."); i >= 0 && i+2 < len(tail); i = strings.Index(tail, "..") {
			tail = tail[i+2:]
		}
		if _, ok := naiveNumber(tail); ok || meant.MatchString(tail) {
			all = append(all, word)
		}
	}
	return all
}

// Texts of the characters that matter are cut into the same words as by the naive reader.
func TestWordsOfAnyText(t *testing.T) {
	letters := []rune("0159..,,++--−–*#/:'(±^eEdDnaif x_=%\n\u00a0³∞٣é")
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 14).Draw(t, "text"))
		first, last := "", ""
		if all := naiveWords(text); len(all) > 0 {
			first, last = all[0], all[len(all)-1]
		}
		if got := firstWord([]byte(text)); got != first {
			t.Fatalf("%q: the first number is %q, want %q", text, got, first)
		}
		if got := lastWord([]byte(text)); got != last {
			t.Fatalf("%q: the last number is %q, want %q", text, got, last)
		}
	})
}

func FuzzResult(f *testing.F) {
	for _, seed := range []string{"1.25", "cost = 1.5D+03, nan", "f: -1e3\nx 2.", "", "1e999", "−1", "infinity", "0x1p3 1_000", "a\xff1",
		"1,234.5", "12*** **a**", "1.#QNAN", "–5 a–5", "1..2 a...5", "3+/-1 4(5)"} {
		f.Add([]byte(seed))
	}
	pattern := regexp.MustCompile(`f:\s*(\S+)`)
	f.Fuzz(func(t *testing.T, text []byte) {
		all := naiveWords(string(text))
		last, first := "", ""
		if len(all) > 0 {
			first, last = all[0], all[len(all)-1]
		}
		if got := lastWord(text); got != last {
			t.Fatalf("%q: the last number is %q, want %q", text, got, last)
		}
		if got := firstWord(text); got != first {
			t.Fatalf("%q: the first number is %q, want %q", text, got, first)
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
		{"a part of a number", result{pattern: regexp.MustCompile(`cost: *([-0-9.]+)`)}, "cost: 1.5e-3\n", objective.NoNumber, false},
		{"a part before a comma", result{pattern: regexp.MustCompile(`cost: *(\d+)`)}, "cost: 1,234.5\n", objective.NoNumber, false},
		{"a part after a comma", result{pattern: regexp.MustCompile(`(\d+\.\d+)`)}, "cost: 1,234.5\n", objective.NoNumber, false},
		{"a part without its sign", result{pattern: regexp.MustCompile(`(\d+\.\d+)`)}, "cost: -3.5\n", objective.NoNumber, false},
		{"an exponent", result{pattern: regexp.MustCompile(`(\d+)\n`)}, "cost: 1.5e-3\n", objective.NoNumber, false},
		{"a sign that the pattern has", result{pattern: regexp.MustCompile(`cost: -(\S+)`)}, "cost: -3.5\n", 3.5, false},
		{"a unit", result{pattern: regexp.MustCompile(`([\d.]+)`)}, "0.5s\n", 0.5, false},
		{"a unit that the pattern has", result{pattern: regexp.MustCompile(`([\d.]+)s`)}, "0.5s\n", 0.5, false},
		{"a step", result{pattern: regexp.MustCompile(`(\d+)`)}, "step-12, all.\n", 12.0, false},
		{"a group without a part", result{pattern: regexp.MustCompile(`cost: ?(\d+)?`)}, "cost: x\n", objective.NoNumber, false},
		{"thousands", result{}, "12 iterations: 1,234.56\n", objective.NoNumber, false},
		{"thousands in a file", result{file: write("f", "1,234.56 7\n"), name: "f"}, "", objective.NoNumber, false},
		{"asterisks in a file", result{file: write("g", "****** 7\n"), name: "g"}, "", objective.NoNumber, false},
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
	if v := read(lastWord(long.printed())); v != 17. {
		t.Errorf("the value is %v", v)
	}
	long = call{stdout: []byte(strings.Repeat("0", mostOutput) + "1")}
	if v := read(lastWord(long.printed())); v != nil {
		t.Errorf("half a number is %v", v)
	}
	long = call{stdout: []byte("5 6\n" + strings.Repeat(" ", mostOutput-4) + "7")}
	if v := read(firstWord(long.printed())); v != 7. {
		t.Errorf("the first line is not dropped: %v", v)
	}
}
