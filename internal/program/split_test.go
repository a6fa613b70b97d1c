package program

import (
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for command, want := range map[string][]string{
		``:                          nil,
		" \t\n":                     nil,
		`./sim --k {k} --d {d}`:     {"./sim", "--k", "{k}", "--d", "{d}"},
		`awk '{print $1*$1}'`:       {"awk", "{print $1*$1}"},
		`a "b c" 'd e'f\ g`:         {"a", "b c", "d ef g"},
		`"" ''`:                     {"", ""},
		`"\$ \" \\ \a"`:             {`$ " \ \a`},
		"a\\\nb \"c\\\nd\"":         {"ab", "cd"},
		"a\nb":                      {"a", "b"},
		`sh -c 'a | b > c && d; e'`: {"sh", "-c", "a | b > c && d; e"},
		`a '|' "&&" \;`:             {"a", "|", "&&", ";"},
		`a #3`:                      {"a", "#3"},
		`'$HOME' *.c "$x" \$y a$z`:  {"$HOME", "*.c", "$x", "$y", "a$z"},
	} {
		got, err := Split(command)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is split into %q (%v), want %q", command, got, err, want)
		}
	}
	for command, want := range map[string]string{
		`a 'b`:        "single quote",
		`a "b`:        "double quote",
		`a "b\"`:      "double quote",
		`a b\`:        "backslash",
		`a | b`:       "sh -c",
		`cd x && b`:   "sh -c",
		`a > out`:     "no shell is started",
		`a ;`:         "sh -c",
		`./sim $k $d`: "$k means something only to a shell",
		`./sim ${k}`:  "{name} is the value of the parameter",
		`a 2>&1`:      "sh -c",
		`a <in`:       "", // not surely meant for a shell
		`a x=1;y=2`:   "",
		`./sim {all}`: "",
	} {
		if _, err := Split(command); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
}

// The shell is the oracle: it splits what is put together at random, from parts that it
// does not expand.
func TestSplitLikeTheShell(t *testing.T) {
	needsShell(t)
	parts := []string{" ", " ", "\t", "a", "b", "é", "1.5", "-", `\ `, `\\`, `\"`, `\'`, `\$`, "\\\n", `\n`, `'`, `"`, `''`, `""`,
		`' x '`, `" y "`, `'"'`, `"'"`, `"\\"`, `"\a"`, `"\""`, `'\'`, `'x.y'`, "'\n'", "\"\n\"", "{k}", "{", "}", ",", ":", "="}
	random := rand.New(rand.NewPCG(1, 2))
	splits := 0
	for range 300 {
		var command strings.Builder
		for range 1 + random.IntN(12) {
			command.WriteString(parts[random.IntN(len(parts))])
		}
		got, err := Split(command.String())
		if strings.HasSuffix(command.String(), `\`) {
			continue // a shell takes a backslash at the very end for itself
		}
		out, failed := exec.Command("sh", "-c", `printf '%s\000' x `+command.String()).Output()
		if (err != nil) != (failed != nil) {
			t.Fatalf("%q: we say %v, the shell %v", command.String(), err, failed)
		}
		if err != nil {
			continue
		}
		splits++
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")[1:]
		if !slices.Equal(got, want) {
			t.Fatalf("%q is split into %q, by the shell into %q", command.String(), got, want)
		}
	}
	if splits < 50 {
		t.Fatalf("only %d commands could be split, which shows little", splits)
	}
}

func TestJoinedWordsAreThoseOfTheShell(t *testing.T) {
	needsShell(t)
	words := []string{"a", "", "a b", "'", `"`, `\`, "$HOME", "`x`", "*", "~", "#", "a;b", "|", "\n", "é", "x=1", "!", "-1e-05"}
	out, err := exec.Command("sh", "-c", `printf '%s\000' `+Quote(words)).Output()
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil || !slices.Equal(got, words) {
		t.Fatalf("%s is %q to the shell (%v)", Quote(words), got, err)
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`a "b c" 'd'`, `a\ b`, `"\$\"`, `a | b`, "'", "\\", "a\\\nb", `sh -c 'x | y'`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		words, err := Split(command)
		if err != nil {
			if strings.ContainsRune(err.Error(), '\n') {
				t.Fatalf("%q: more than one line: %v", command, err)
			}
			return
		}
		again, err := Split(Quote(words))
		if err != nil || !slices.Equal(again, words) {
			t.Fatalf("%q is %q, which is joined and split %q (%v)", command, words, again, err)
		}
		if !strings.ContainsAny(command, `'"\`) && !slices.Equal(words, strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })) {
			t.Fatalf("%q has no quotes and is split into %q", command, words)
		}
	})
}
