package program

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/objective"
)

// A decimal comma must not make a value of what follows it.
func TestADecimalCommaIsNoValue(t *testing.T) {
	for _, text := range []string{"1,5", "cost = 38,740\n", "-1,5e-3", "f=1,5.", "(12,25)", "1,5D+03 done"} {
		v, failure, _ := result{}.read([]byte(text))
		if failure == nil || failure.Kind != objective.NoNumber || !strings.Contains(failure.Detail, "decimal point") {
			t.Errorf("%q is %v (%v)", text, v, failure)
		}
	}
	for text, want := range map[string]float64{
		"1, 5": 5, "1,2,3": 3, "a,5": 5, "0.5,2": 2, "3,0.5": 0.5, "1.25,": 1.25, ",5": 5, "5,": 5, "1,5\n7": 7,
	} {
		if v, failure, _ := (result{}).read([]byte(text)); failure != nil || v != want {
			t.Errorf("%q is %v (%v), want %v", text, v, failure, want)
		}
	}
}

func TestTheNumberOfAUnitIsNoValue(t *testing.T) {
	if v, failure, _ := (result{}).read([]byte("cost = 9.5 m/s^2\n")); failure != nil || v != 9.5 {
		t.Errorf("%v (%v)", v, failure)
	}
}

func TestAByteOrderMarkDoesNotMatter(t *testing.T) {
	if r, n := (lines{}).decode([]byte("\ufeff2.5\r\n"), false); n != 8 || r.value != 2.5 || r.failure != nil {
		t.Errorf("%+v, %d", r, n)
	}
	if v, failure := lineValue([]byte("\ufeff2.5\r")); failure != nil || v != 2.5 {
		t.Errorf("%v (%v)", v, failure)
	}
}

// What is wrong with a line must be seen in the message.
func TestUnseenCharactersAreQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"1.5\x00": `"1.5\x00"`, "1\u200b5": `"1\u200b5"`, " x\r\n": `"x"`, "a\xffb": `"a?b"`,
		strings.Repeat("é", 500): `"` + strings.Repeat("é", mostQuoted-1) + `…"`,
	} {
		if got := quoted([]byte(text)); got != want {
			t.Errorf("%q is shown as %s", text, got)
		}
	}
}

// A line that is too long is one bad answer, even if each of its parts is a number.
func TestAPartOfALongLineIsNoNumber(t *testing.T) {
	line := []byte(strings.Repeat("0", longestReply) + "1\n")
	r, n := lines{}.decode(line, false)
	if n == 0 || r.failure == nil || r.breach != disorder {
		t.Errorf("%+v, %d", r, n)
	}
	line = []byte(strings.Repeat("0", longestReply-2) + "1\n")
	if r, n := (lines{}).decode(line, false); n != longestReply || r.failure != nil || r.value != 1 {
		t.Errorf("%+v, %d", r, n)
	}
}

func TestALongOutputIsNotNothing(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 2*mostOutput), strings.Repeat("x", 2*mostOutput) + "\n"} {
		long := call{stdout: []byte(text)}
		if _, failure, empty := (result{}).read(long.printed()); failure == nil || empty {
			t.Errorf("%v, %v", failure, empty)
		}
	}
}

// A program that buffers is named as such, however short the timeout.
func TestSilenceIsNotedAtATimeout(t *testing.T) {
	t.Parallel()
	c := speaker(t, Lines, 3, "-end")
	c.Timeout = 30 * time.Millisecond
	r := newRig(t, c, short)
	r.mustAsk(scattered(2, 3))
	if len(r.notes) != 1 || !strings.Contains(r.notes[0], "--eof") {
		t.Errorf("notes %q", r.notes)
	}
}

// A file of the input must not be taken for the result, nor can it be a folder as well.
func TestFilesThatAreTwoThings(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string]string{"deck": "{a} {b}\n"})
	for _, c := range []Config{
		{Templates: []Template{{"deck", "x"}}, ResultFile: "./x"},
		{Templates: []Template{{"deck", "x"}, {"deck", "x/y"}}},
		{Templates: []Template{{"deck", "x/y/z"}, {"deck", "x/y"}}},
	} {
		c.Exec, c.Dir, c.Names = as(t, "none"), folder, []string{"a", "b"}
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), "template") {
			t.Errorf("%+v: %v", c.Templates, err)
		}
	}
}

// What is not there is not called kept.
func TestAFolderThatIsGoneIsNotKept(t *testing.T) {
	needsShell(t)
	tr := try(t, Config{Exec: []string{"sh", "-c", `rm -r "$PWD"; exit 1`, "sh", "{in}"}, ResultFile: "r", KeepGoing: true})
	if _, err := tr.ask(t.Context(), 1, 2, 3, 4); err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	if root, n := tr.Kept(); n != 0 || len(leftBehind(t)) > 0 {
		t.Errorf("%d are kept in %q", n, root)
	}
}

// What cannot be written on a full disk is one line for the user, however many files it is.
func TestAFolderThatCannotBeFilledIsOneLine(t *testing.T) {
	f := &folders{names: []string{"a"}}
	gone := filepath.Join(t.TempDir(), "gone")
	err := f.write(gone, record{failure: noNumber("none"), command: func(string) string { return "sim" }, job: job{point: []float64{1}}})
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
