package program

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/objective"
)

// inBatch is a program that reads points with a script and writes what it prints.
func inBatch(text string) Config {
	return Config{Exec: []string{"sh", "-c", text, "sh", "{in}", "{out}"}, Protocol: Batch, Timeout: time.Minute}
}

func TestBatch(t *testing.T) {
	needsShell(t)
	log := filepath.Join(t.TempDir(), "log")
	tr := try(t, inBatch(`wc -l <$1 >>`+log+`; while read a b; do echo $a; done <$1 >$2`))
	for _, points := range [][]float64{{1.5, 2, 1.0 / 3, 4, 1e-300, 6}, {0.1, 8}} {
		answers, err := tr.ask(t.Context(), points...)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			if a.Value != points[2*i] || a.Failure != nil {
				t.Errorf("point %d: %+v", i+1, a)
			}
		}
	}
	if calls, err := os.ReadFile(log); err != nil || strings.Join(strings.Fields(string(calls)), " ") != "3 1" {
		t.Errorf("the calls had %q points (%v)", calls, err)
	}
}

func TestBadPointsOfABatch(t *testing.T) {
	needsShell(t)
	for _, c := range []struct {
		about, text string // what happens at a point whose first coordinate is 2
		kind        objective.FailureKind
		asked       string // how many points each call had
	}{
		{"no number", `echo much`, objective.NoNumber, "3"},
		{"two numbers", `echo 3 4`, objective.NoNumber, "3"},
		{"blank", `echo`, objective.NoNumber, "3"},
		{"nan", `echo nan`, objective.NotANumber, "3"},
		{"exit", `exit 3`, objective.BadExit, "3 1 1 1"},
		{"signal", `kill -SEGV $$`, objective.BadSignal, "3 1 1 1"},
		{"no line", `:`, objective.NoNumber, "3 1 1 1"},
		{"two lines", `echo 3; echo 4`, objective.NoNumber, "3 1 1 1"},
		{"hang", `: >SIGN; exec sleep 1000`, objective.TimedOut, "3 1 1 1"},
	} {
		t.Run(c.about, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			text := strings.Replace(c.text, "SIGN", log+".sign", 1)
			config := inBatch(`wc -l <$1 >>` + log + `; exec <$1 >$2; while read a b; do if [ $a = 2 ]; then ` + text + `; else echo $b; fi; done`)
			config.KeepGoing = true
			tr := try(t, config)
			tr.whenHanging(log + ".sign")
			answers, err := tr.ask(t.Context(), 1, 11, 2, 12, 3, 13)
			if err != nil {
				t.Fatal(err)
			}
			if answers[0].Value != 11 || answers[2].Value != 13 {
				t.Errorf("the good points have the answers %+v", answers)
			}
			if f := answers[1].Failure; f == nil || f.Kind != c.kind {
				t.Errorf("the bad point has the answer %+v", f)
			}
			if calls, _ := os.ReadFile(log); strings.Join(strings.Fields(string(calls)), " ") != c.asked {
				t.Errorf("the calls had %q points", calls)
			}
			root, n := tr.Kept()
			if in, err := os.ReadFile(filepath.Join(root, "failed-2", "in")); n != 1 || string(in) != "2 12\n" {
				t.Errorf("%d are kept, with %q (%v)", n, in, err)
			}
			tr.Close()
			if left := leftBehind(t); len(left) != 1 {
				t.Errorf("%q is left", left)
			}
		})
	}
}

func TestTheFirstBatchHasTheWrongNumberOfLines(t *testing.T) {
	needsShell(t)
	for text, want := range map[string]string{
		`:`:                                   "{out} was not written",
		`: >$2`:                               "{out} has 0 lines for 2 points",
		`echo 1 >$2`:                          "{out} has 1 line for 2 points",
		`for i in 1 2 3; do echo 1; done >$2`: "{out} has 3 lines for 2 points",
	} {
		tr := try(t, inBatch(text))
		if _, err := tr.ask(t.Context(), 1, 2, 3, 4); err == nil || !strings.Contains(err.Error(), want) || strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: %v", text, err)
		}
		tr.Close()
	}
}

func TestTheMachineFailsInABatch(t *testing.T) {
	needsShell(t)
	// The whole batch fails, and then each point once.
	tr := try(t, inBatch(`[ $UNTWIST_ATTEMPT = 1 ] && exit 75; while read a b; do echo $b; done <$1 >$2`))
	if answers, err := tr.ask(t.Context(), 1, 11, 2, 12); err != nil || answers[0].Value != 11 || answers[1].Value != 12 {
		t.Errorf("%+v (%v)", answers, err)
	}
	tr.Close()
	tr = try(t, inBatch(`kill -KILL $$`))
	var machine *MachineError
	if _, err := tr.ask(t.Context(), 1, 11, 2, 12); !errors.As(err, &machine) || machine.Query != 1 || machine.Tries != 2 {
		t.Error(err)
	}
}
