package program

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/needs"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

func needsShell(t testing.TB) { t.Helper(); needs.Tools(t, "sh") }

// A trial is an objective in a test, with the notes that it made.
type trial struct {
	*Objective
	t     testing.TB
	mu    sync.Mutex
	notes []string
}

// try makes an objective with the parameters a and b that keeps its folders in a place of
// the test.
func try(t testing.TB, c Config) *trial {
	t.Helper()
	tr := &trial{t: t}
	others := goleak.IgnoreCurrent()
	t.Setenv("TMPDIR", t.TempDir())
	if c.Names == nil {
		c.Names = []string{"a", "b"}
	}
	c.Note = func(line string) {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.notes = append(tr.notes, line)
	}
	o, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	o.recipe.rest = 0
	tr.Objective = o
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t, others)
	})
	return tr
}

// ask asks for points of two coordinates and checks that what was told is what was returned.
func (tr *trial) ask(ctx context.Context, coordinates ...float64) ([]objective.Answer, error) {
	tr.t.Helper()
	n := len(coordinates) / tr.Dim()
	values := make([]float64, n)
	answers := make([]objective.Answer, n)
	var mu sync.Mutex
	told := map[int]bool{}
	err := tr.Each(ctx, mat.NewDense(n, tr.Dim(), coordinates), values, func(i int, a objective.Answer) {
		mu.Lock()
		defer mu.Unlock()
		if told[i] {
			tr.t.Errorf("point %d was answered twice", i+1)
		}
		told[i], answers[i] = true, a
	})
	known, total := query.Evaluated(values, err), len(told)
	for i := range known {
		if !told[i] || values[i] != answers[i].Value {
			tr.t.Errorf("point %d was told %v and has the value %v", i+1, answers[i].Value, values[i])
		}
	}
	if partial := (*objective.PartialError)(nil); errors.As(err, &partial) && partial.Spent != total {
		tr.t.Errorf("%d were told and %d spent", total, partial.Spent)
	}
	return answers, err
}

// leftBehind returns what is in the folder of temporary folders.
func leftBehind(t testing.TB) []string {
	all, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOnce(t *testing.T) {
	needsShell(t)
	folder := t.TempDir()
	put(t, folder, map[string]string{
		"add*": "#!/bin/sh\necho note 99\n[ \"$*\" = '1.5 0.25' ] && echo f = 2\n", // 1.5 + 2·0.25
		"in.t": "a {a}\nb {b:%.2f}\n{{x}}\n",
		"data": "7",
	})
	where := func(text string) []string { return []string{"sh", "-c", text, "sh"} }
	for _, c := range []struct {
		about  string
		config Config
		want   float64 // at (1.5, 0.25)
	}{
		{"arguments", Config{Exec: []string{"./add", "{a}", "{b}"}}, 2},
		{"all", Config{Exec: []string{"./add", "{all}"}}, 2},
		{"part of a word", Config{Exec: append(where(`echo "$1"`), "x={a};{b}")}, 0.25},
		{"a result", Config{Exec: append(where(`echo "cost $1 s"; echo "time 9 s"`), "{a}", "{b}"), Result: regexp.MustCompile(`cost (\S+)`)}, 1.5},
		{"stderr does not count", Config{Exec: append(where(`echo $1; echo 3 >&2`), "{a}", "{b}")}, 1.5},
		{"no newline", Config{Exec: append(where(`printf %s $1`), "{a}", "{b}")}, 1.5},
		{"in", Config{Exec: append(where(`while read n v; do [ $n = b ] && echo $v; done <$1; :`), "{in}")}, 0.25},
		{"out", Config{Exec: append(where(`echo 5; echo $2 6 >$1`), "{out}", "{a}", "{b}")}, 1.5},
		{"in the folder of the program", Config{Exec: append(where(`cat data`), "{all}")}, 7},
		{"template", Config{Exec: where(`while read n v; do [ "$n" = b ] && echo $v; done <deep/in; :`), Templates: []Template{{"in.t", "deep/in"}}}, 0.25},
		{"escaped braces", Config{Exec: where(`grep -c '^{{x}}$' in`), Templates: []Template{{"in.t", "in"}}}, 1},
		{"its own folder", Config{Exec: where(`ls | wc -l`), Templates: []Template{{"in.t", "in"}}}, 1},
		{"result file", Config{Exec: append(where(`echo 9; echo f = $1 8 > r`), "{a}", "{b}"), ResultFile: "r"}, 1.5},
		{"query", Config{Exec: append(where(`echo $UNTWIST_QUERY$UNTWIST_ATTEMPT$UNTWIST_PROC$PYTHONUNBUFFERED`), "{all}")}, 1111},
		{"no input", Config{Exec: append(where(`wc -c`), "{all}")}, 0},
		{"much is printed", Config{Exec: append(where(`head -c 6000000 /dev/zero | tr '\0' '1'; echo; echo $1`), "{all}")}, 1.5},
	} {
		t.Run(c.about, func(t *testing.T) {
			c.config.Dir = folder
			tr := try(t, c.config)
			answers, err := tr.ask(t.Context(), 1.5, 0.25)
			if err != nil || answers[0].Value != c.want || answers[0].Failure != nil || !(answers[0].Seconds > 0) {
				t.Fatalf("%+v (%v), want %v", answers, err, c.want)
			}
			if err := tr.Close(); err != nil {
				t.Fatal(err)
			}
			if left := leftBehind(t); len(left) > 0 || len(tr.notes) > 0 {
				t.Errorf("%q is left behind, and there are notes %q", left, tr.notes)
			}
		})
	}
}

func TestOnceIsExactForAnyNumberOfProcesses(t *testing.T) {
	needsShell(t)
	for _, procs := range []int{1, 3, 7} {
		tr := try(t, Config{Exec: []string{"sh", "-c", "echo x $1", "sh", "{a}", "{b}"}, Procs: procs})
		for _, n := range []int{1, 2, 40} {
			var coordinates []float64
			for i := range n {
				coordinates = append(coordinates, math.Exp(float64(i)-20)/3, float64(i))
			}
			answers, err := tr.ask(t.Context(), coordinates...)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range answers {
				if a.Value != coordinates[2*i] {
					t.Errorf("%d processes: point %d has the value %v, want %v", procs, i+1, a.Value, coordinates[2*i])
				}
			}
		}
		if err := tr.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFailuresOfOnce(t *testing.T) {
	needsShell(t)
	for _, c := range []struct {
		text, detail string
		kind         objective.FailureKind
	}{
		{`echo 5; echo no such mesh >&2; exit 3`, "exit status 3: no such mesh", objective.BadExit},
		{`echo 5; kill -SEGV $$`, "SIGSEGV", objective.BadSignal},
		{`echo hello`, `the last line is "hello"`, objective.NoNumber},
		{`:`, "nothing was printed", objective.NoNumber},
		{`echo nan`, "NaN", objective.NotANumber},
		{`echo -inf`, "-Inf", objective.NotANumber},
	} {
		// A first good answer, since a bad one may stop the run.
		tr := try(t, Config{Exec: []string{"sh", "-c", `[ $1 = 1 ] && { echo 4; exit; }; ` + c.text, "sh", "{a}", "{b}"}, Timeout: time.Hour})
		answers, err := tr.ask(t.Context(), 1, 0, 2, 0, 1, 0)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		f := answers[1].Failure
		if f == nil || f.Kind != c.kind || !strings.Contains(f.Detail, c.detail) || !math.IsInf(answers[1].Value, 1) {
			t.Errorf("%s: %+v", c.text, f)
		}
		if answers[0].Value != 4 || answers[2].Value != 4 {
			t.Errorf("%s: %v", c.text, answers)
		}
		kept, n := tr.Kept()
		if reason, err := os.ReadFile(filepath.Join(kept, "failed-2", "reason")); n != 1 || err != nil || !strings.Contains(string(reason), c.detail) {
			t.Errorf("%s: %d kept in %s: %q (%v)", c.text, n, kept, reason, err)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// whenHanging makes the limit of a point ring when the program has made a sign, so that no
// test depends on how fast the machine is.
func (tr *trial) whenHanging(sign string) {
	tr.recipe.clock = func(time.Duration) (<-chan time.Time, func() bool) {
		ring, quit := make(chan time.Time, 1), make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case now := <-tick.C:
					if os.Remove(sign) == nil {
						ring <- now
						return
					}
				case <-quit:
					return
				}
			}
		})
		return ring, func() bool {
			close(quit)
			wait.Wait()
			return true
		}
	}
}

func TestAHangingProgramTimesOut(t *testing.T) {
	needsShell(t)
	sign := filepath.Join(t.TempDir(), "sign")
	tr := try(t, Config{
		Exec:    []string{"sh", "-c", `[ $2 = 1 ] && { echo 4; exit; }; echo 5; trap '' TERM; : >$1; while :; do sleep 1000; done`, "sh", sign, "{a}", "{b}"},
		Timeout: 1234 * time.Millisecond,
	})
	tr.whenHanging(sign)
	answers, err := tr.ask(t.Context(), 1, 0, 2, 0, 1, 0)
	if err != nil || answers[0].Value != 4 || answers[2].Value != 4 {
		t.Fatalf("%+v (%v)", answers, err)
	}
	if f := answers[1].Failure; f == nil || f.Kind != objective.TimedOut || !strings.Contains(f.Detail, "1.234s") {
		t.Errorf("%+v", f)
	}
}

func TestNothingForTheFirstPointStopsTheRun(t *testing.T) {
	needsShell(t)
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Exec: []string{"sh", "-c", ":", "sh", "{all}"}}, "printed nothing for the first point; its value should be the last number that it prints"},
		{Config{Exec: []string{"sh", "-c", ":", "sh", "{all}"}, Result: regexp.MustCompile(`f=(\S+)`)}, "f="},
		{Config{Exec: []string{"sh", "-c", "echo 1", "sh", "{all}"}, ResultFile: "r"}, "wrote no r "},
		{Config{Exec: []string{"sh", "-c", "echo 1", "sh", "{all}", "{out}"}}, "{out}"},
		{Config{Exec: []string{"sh", "-c", ":", "sh", "{all}"}, Procs: 2}, "printed nothing"},
	} {
		tr := try(t, c.config)
		_, err := tr.ask(t.Context(), 1, 2, 3, 4, 5, 6)
		if err == nil || !strings.Contains(err.Error(), c.want) || query.Evaluated(make([]float64, 3), err) != 0 {
			t.Errorf("%q: %v", c.config.Exec, err)
		}
		tr.Close()
		c.config.KeepGoing = true
		tr = try(t, c.config)
		if answers, err := tr.ask(t.Context(), 1, 2, 3, 4, 5, 6); err != nil || answers[0].Failure.Kind != objective.NoNumber {
			t.Errorf("%q: %+v (%v)", c.config.Exec, answers, err)
		}
		tr.Close()
	}
	// Later it is a failed point.
	tr := try(t, Config{Exec: []string{"sh", "-c", "[ $1 = 1 ] && echo 3; :", "sh", "{all}"}})
	if answers, err := tr.ask(t.Context(), 1, 2, 3, 4); err != nil || answers[0].Value != 3 || answers[1].Failure == nil {
		t.Errorf("%+v (%v)", answers, err)
	}
	tr.Close()
	// So it is at the first point of a run that goes on.
	tr = try(t, Config{Exec: []string{"sh", "-c", ":", "sh", "{all}"}})
	later := query.WithNumbers(t.Context(), func(i int) int { return 5000 + i })
	if answers, err := tr.ask(later, 1, 2); err != nil || answers[0].Failure == nil {
		t.Errorf("%+v (%v)", answers, err)
	}
}

func TestTheMachineFails(t *testing.T) {
	needsShell(t)
	for _, c := range []struct {
		text    string
		retries int
		want    string // "": the value 7
	}{
		{`[ $UNTWIST_ATTEMPT = 2 ] && { echo 7; exit; }; exit 75`, 1, ""},
		{`[ $UNTWIST_ATTEMPT = 4 ] && { echo 7; exit; }; kill -KILL $$`, 3, ""},
		{`kill -TERM $$`, 1, "query 2: the program was killed by SIGTERM, which we did not send (tried 2 times)"},
		{`kill -KILL $$`, 0, "SIGKILL"},
		{`exit 75`, 2, "(tried 3 times)"},
	} {
		tr := try(t, Config{Exec: []string{"sh", "-c", `[ $1 = 1 ] && { echo 4; exit; }; ` + c.text, "sh", "{all}"}, Retries: &c.retries})
		answers, err := tr.ask(t.Context(), 1, 0, 2, 0)
		var machine *MachineError
		switch {
		case c.want == "" && (err != nil || answers[1].Value != 7):
			t.Errorf("%s: %+v (%v)", c.text, answers, err)
		case c.want != "" && (!errors.As(err, &machine) || !strings.Contains(err.Error(), c.want) || query.Evaluated(make([]float64, 2), err) != 1):
			t.Errorf("%s: %v", c.text, err)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if left := leftBehind(t); len(left) > 0 {
			t.Errorf("%s: %q is left behind", c.text, left)
		}
	}
}

func TestFoldersOfFailedPoints(t *testing.T) {
	needsShell(t)
	folder := t.TempDir()
	put(t, folder, map[string]string{"t": "{a}\n"})
	three := 3
	tr := try(t, Config{
		Exec: []string{"sh", "-c", `echo said $2; echo wrong >&2; echo mine >point; [ $2 = 0 ] && exit; exit 2`, "it's", "{in}", "{b}"},
		Dir:  folder, Templates: []Template{{"t", "deck"}}, KeepFailed: &three, KeepGoing: true,
	})
	var coordinates []float64
	for i := range 10 {
		coordinates = append(coordinates, float64(i)/10, float64(i%2)) // those with an odd index fail
	}
	if _, err := tr.ask(t.Context(), coordinates...); err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	root, n := tr.Kept()
	if left := leftBehind(t); n != 3 || len(left) != 3 {
		t.Fatalf("%d are kept: %q", n, left)
	}
	if len(tr.notes) != 1 || !strings.Contains(tr.notes[0], "query 2 failed: exit status 2: wrong") || !strings.Contains(tr.notes[0], root) {
		t.Errorf("the notes are %q", tr.notes)
	}
	for _, query := range []int{2, 4, 6} {
		for name, want := range map[string]string{
			"point": "mine\n", "point.untwist": fmt.Sprintf("a %v\nb 1\n", float64(query-1)/10), "deck": fmt.Sprintf("%v\n", float64(query-1)/10),
			"stdout": "said 1\n", "stderr": "wrong\n", "reason": "exit status 2: wrong\n",
		} {
			got, err := os.ReadFile(filepath.Join(root, fmt.Sprintf("failed-%d", query), name))
			if err != nil || string(got) != want {
				t.Errorf("%s of query %d is %q (%v), want %q", name, query, got, err, want)
			}
		}
	}
	// The command can be pasted into a shell.
	command, err := os.ReadFile(filepath.Join(root, "failed-4", "command"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", string(command)).CombinedOutput()
	if string(out) != "said 1\nwrong\n" || err == nil || strings.Count(string(command), "\n") != 1 {
		t.Errorf("%s prints %q (%v)", command, out, err)
	}
}

func TestAFailedPointWithoutAWorkFolderGetsOne(t *testing.T) {
	needsShell(t)
	tr := try(t, Config{Exec: []string{"sh", "-c", "echo $1 >&2; exit 1", "sh", "{a}", "{b}"}, KeepGoing: true})
	for range 2 { // the same number fails in two batches
		if _, err := tr.ask(t.Context(), 1.5, 0); err != nil {
			t.Fatal(err)
		}
	}
	root, n := tr.Kept()
	for _, name := range []string{"failed-1", "failed-1-2"} {
		if got, err := os.ReadFile(filepath.Join(root, name, "stderr")); n != 2 || err != nil || string(got) != "1.5\n" {
			t.Errorf("%d are kept; stderr is %q (%v)", n, got, err)
		}
	}
}

func TestNoFolderIsKeptIfNoneIsWanted(t *testing.T) {
	needsShell(t)
	none := 0
	tr := try(t, Config{Exec: []string{"sh", "-c", "exit 1", "sh", "{in}"}, KeepGoing: true, KeepFailed: &none})
	if _, err := tr.ask(t.Context(), 1, 2, 3, 4); err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	if root, n := tr.Kept(); root != "" || n != 0 || len(leftBehind(t)) > 0 || len(tr.notes) > 0 {
		t.Errorf("%d are kept in %q, notes %q", n, root, tr.notes)
	}
}

// A run that is cancelled ends its processes, and what was known is told.
func TestCancelledInTheMiddle(t *testing.T) {
	needsShell(t)
	signs := t.TempDir()
	tr := try(t, Config{Exec: []string{"sh", "-c", `[ $2 = 0 ] && { echo 4; exit; }; trap '' TERM; : >$1/$$; while :; do sleep 1000; done`, "sh", signs, "{b}", "{a}"}, Procs: 2})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	go func() {
		// Two processes hang: the first point was answered before the second of them began.
		waitFor(t, "two processes", func() bool {
			all, _ := os.ReadDir(signs)
			return len(all) == 2
		})
		cancel(why)
	}()
	answers, err := tr.ask(ctx, 1, 0, 2, 1, 3, 0, 4, 1, 5, 0)
	var partial *objective.PartialError
	if !errors.As(err, &partial) || !errors.Is(err, why) || partial.Done != 1 || partial.Spent < 1 || answers[0].Value != 4 {
		t.Errorf("%+v: %+v (%v)", answers, partial, err)
	}
	all, _ := os.ReadDir(signs)
	for _, sign := range all {
		if _, err := os.Stat("/proc/" + sign.Name()); err == nil {
			t.Errorf("process %s is still there", sign.Name())
		}
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	if left := leftBehind(t); len(left) > 0 {
		t.Errorf("%q is left behind", left)
	}
}

// waitFor waits until something is so.
func waitFor(t testing.TB, what string, so func() bool) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			t.Errorf("no %s after a minute", what)
			return
		}
	}
}

func TestCloseInTheMiddle(t *testing.T) {
	needsShell(t)
	signs := t.TempDir()
	tr := try(t, Config{Exec: []string{"sh", "-c", `: >$1/x; exec sleep 1000`, "sh", signs, "{all}"}})
	ended := make(chan error)
	go func() {
		_, err := tr.ask(context.Background(), 1, 2)
		ended <- err
	}()
	waitFor(t, "process", func() bool {
		all, _ := os.ReadDir(signs)
		return len(all) == 1
	})
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, errClosed) {
		t.Error(err)
	}
	if _, err := tr.ask(t.Context(), 1, 2); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

func TestNeverUsed(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o, err := New(Config{Exec: []string{exe}, Names: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if o.Dim() != 1 {
		t.Errorf("d is %d", o.Dim())
	}
}

func TestTheWrongShapeIsRefused(t *testing.T) {
	needsShell(t)
	tr := try(t, Config{Exec: []string{"sh", "-c", "echo 1", "{all}"}})
	if err := tr.Evaluate(t.Context(), mat.NewDense(1, 3, nil), make([]float64, 1)); err == nil {
		t.Error("three coordinates are taken")
	}
	if err := tr.Evaluate(t.Context(), mat.NewDense(2, 2, nil), make([]float64, 1)); err == nil {
		t.Error("a value too few is taken")
	}
}

// A program that vanishes during the run stops it, with one line.
func TestTheProgramVanishes(t *testing.T) {
	needsShell(t)
	folder := t.TempDir()
	put(t, folder, map[string]string{"sim*": "#!/bin/sh\nrm -f \"$0\"\necho 1\n"})
	tr := try(t, Config{Exec: []string{"./sim", "{all}"}, Dir: folder})
	_, err := tr.ask(t.Context(), 1, 2, 3, 4)
	if err == nil || !errors.Is(err, os.ErrNotExist) || strings.ContainsRune(err.Error(), '\n') || query.Evaluated(make([]float64, 2), err) != 1 {
		t.Error(err)
	}
}

// Without room in the temporary folder the run stops, and says so.
func TestNoTemporaryFolder(t *testing.T) {
	needsShell(t)
	tr := try(t, Config{Exec: []string{"sh", "-c", "echo 1", "{all}"}})
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := tr.ask(t.Context(), 1, 2); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Error(err)
	}
}

func BenchmarkOnce(b *testing.B) {
	echo, err := exec.LookPath("echo")
	if err != nil {
		b.Skip("there is no echo")
	}
	for _, procs := range []int{1, 2} {
		b.Run(fmt.Sprint("procs=", procs), func(b *testing.B) {
			o, err := New(Config{Exec: []string{echo, "{all}"}, Names: []string{"a", "b"}, Procs: procs})
			if err != nil {
				b.Fatal(err)
			}
			defer o.Close()
			const n = 100
			points, values := mat.NewDense(n, 2, nil), make([]float64, n)
			for b.Loop() {
				if err := o.Evaluate(context.Background(), points, values); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "processes/s")
		})
	}
}
