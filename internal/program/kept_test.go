package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/guardian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A rig is a program that is run by slots of its own.
type rig struct {
	t      testing.TB
	config Config
	learnt *experience
	slots  []slot

	mu    sync.Mutex
	notes []string
	asked int
}

// short is a patience for tests.
var short = patience{
	silence: time.Hour, doubt: time.Millisecond, longDoubt: time.Millisecond, look: time.Millisecond, leave: time.Minute,
	close: time.Minute, grace: time.Millisecond, rest: time.Millisecond,
}

// brief is for programs that stay after their output has ended.
var brief = func() patience {
	p := short
	p.leave = ordinary.leave
	return p
}()

// newRig runs a program. Config's zero values are those of a test.
func newRig(t testing.TB, c Config, p patience) *rig {
	t.Helper()
	g := sharedGuardian(t)
	r := &rig{t: t, config: c, learnt: &experience{}}
	if r.config.Protocol == "" {
		r.config.Protocol = Lines
	}
	r.config.Note = func(line string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.notes = append(r.notes, line)
	}
	for i := range max(c.Procs, 1) {
		s := newKept(&r.config, g, i+1, &folders{note: r.config.Note}, r.learnt)
		switch s := s.(type) {
		case *kept:
			s.patience = p
		case *whole:
			s.patience = p
		}
		r.slots = append(r.slots, s)
	}
	t.Cleanup(func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) close() error {
	var all []error
	for _, s := range r.slots {
		all = append(all, s.close())
	}
	r.slots = nil
	return errors.Join(all...)
}

// ask evaluates points. It checks that everything is answered, and once, unless there is
// an error.
func (r *rig) ask(ctx context.Context, points *mat.Dense) ([]objective.Answer, error) {
	r.t.Helper()
	n, _ := points.Dims()
	answers := make([]objective.Answer, n)
	told := make([]int, n)
	before := r.asked
	r.asked += n
	ctx = query.WithNumbers(ctx, func(i int) int { return before + i + 1 })
	q := newQueue(ctx, points, len(r.slots), func(i int, a objective.Answer) {
		r.mu.Lock()
		defer r.mu.Unlock()
		answers[i] = a
		told[i]++
	})
	err := q.run(ctx, r.slots)
	for i, n := range told {
		if n > 1 || n == 0 && err == nil {
			r.t.Fatalf("point %d was answered %d times", i, n)
		}
	}
	return answers, err
}

func (r *rig) mustAsk(points *mat.Dense) []objective.Answer {
	r.t.Helper()
	answers, err := r.ask(r.t.Context(), points)
	if err != nil {
		r.t.Fatal(err)
	}
	return answers
}

// names are x1 … xd.
func names(d int) (all []string) {
	for i := range d {
		all = append(all, "x"+strconv.Itoa(i+1))
	}
	return all
}

// scattered are n points of all magnitudes.
func scattered(n, d int) *mat.Dense {
	draw := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	points := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			points.Set(i, j, draw.NormFloat64()*math.Exp(20*draw.NormFloat64()))
		}
	}
	return points
}

// asking are points of three coordinates: ordinary ones where please is 0.
func asking(please ...float64) *mat.Dense {
	points := scattered(len(please), 3)
	for i, p := range please {
		if p != 0 {
			points.Set(i, 0, p)
		}
	}
	return points
}

// check compares answers with f and with the failures that are expected: "" for none,
// otherwise a kind and a part of the words.
func check(t *testing.T, points *mat.Dense, answers []objective.Answer, failures map[int]string) {
	t.Helper()
	for i, a := range answers {
		want := f(points.RawRowView(i))
		words, bad := failures[i]
		switch {
		case bad:
			kind, part, _ := strings.Cut(words, ": ")
			if a.Failure == nil || a.Failure.Kind.String() != kind || !strings.Contains(a.Failure.Detail, part) || !math.IsInf(a.Value, 1) {
				t.Errorf("point %d: %v (%+v), want %s", i, a.Value, a.Failure, words)
			}
		case a.Failure != nil || math.Float64bits(a.Value) != math.Float64bits(want):
			t.Errorf("point %d: %v (%+v), want %v", i, a.Value, a.Failure, want)
		case a.Seconds < 0:
			t.Errorf("point %d took %v s", i, a.Seconds)
		}
	}
}

// some is one of the cases, another for every i, and all of them with -whole.
func some(i int, cases ...int) []int {
	if *flags.Whole {
		return cases
	}
	return cases[i%len(cases):][:1]
}

// kinds are the protocols of kept programs.
var kinds = []struct {
	name   string
	config Config
	end    string
}{
	{"lines", Config{Protocol: Lines}, ""},
	{"json", Config{Protocol: JSON}, ""},
	{"binary", Config{Protocol: Binary}, ""},
	{"eof", Config{Protocol: Lines, EOF: true}, "-end"},
}

// speaker is a configuration for the program of that name.
func speaker(t testing.TB, protocol Protocol, d int, args ...string) Config {
	args = append([]string{"-protocol", string(protocol), "-dim", strconv.Itoa(d)}, args...)
	return Config{Exec: as(t, "speaker", args...), Protocol: protocol, Names: names(d)}
}

// eachKind calls f with a rig of every protocol of kept programs.
func eachKind(t *testing.T, f func(t *testing.T, r *rig)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			c := speaker(t, kind.config.Protocol, 3)
			c.EOF = kind.config.EOF
			f(t, newRig(t, c, short))
		})
	}
}

func TestAllProtocolsGiveTheSameBits(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 40, 2000}
	if *flags.Whole {
		sizes = []int{1, 2, 3, 7, 8, 64, 500, 1025, 10000}
	}
	for i, kind := range kinds {
		for _, procs := range some(i, 1, 3, 7) {
			t.Run(fmt.Sprintf("%s, %d", kind.name, procs), func(t *testing.T) {
				t.Parallel()
				c := speaker(t, kind.config.Protocol, 3)
				c.EOF, c.Procs = kind.config.EOF, procs
				r := newRig(t, c, short)
				for _, n := range sizes {
					if kind.config.EOF && n == 1 && !*flags.Whole {
						continue
					}
					points := scattered(n, 3)
					before := mat.DenseCopyOf(points)
					check(t, points, r.mustAsk(points), nil)
					if !mat.Equal(points, before) {
						t.Error("the points were changed")
					}
				}
			})
		}
	}
}

// Points of 20 kB and pipes of one page: neither side may wait for the other.
func TestSmallPipesDoNotHang(t *testing.T) {
	t.Parallel()
	n := 100
	if *flags.Whole {
		n = 10000
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			args := []string{"-page"}
			if kind.end != "" {
				args = append(args, kind.end)
			}
			c := speaker(t, kind.config.Protocol, 1000, args...)
			c.EOF = kind.config.EOF
			points := scattered(n, 1000)
			check(t, points, newRig(t, c, short).mustAsk(points), nil)
		})
	}
	t.Run("short answers to many points", func(t *testing.T) {
		t.Parallel()
		c := speaker(t, Lines, 1, "-page", "-end")
		c.EOF = true
		points := scattered(5*n, 1)
		check(t, points, newRig(t, c, short).mustAsk(points), nil)
	})
}

// Every kind of failure, among points that are answered well.
func TestAPointFailsAlone(t *testing.T) {
	t.Parallel()
	pleases := []float64{
		0, 0, pleaseExit, 0, pleaseCrash, pleaseCrash, 0, pleaseNaN, pleaseLeave, 0, 0,
		pleaseHush, 0, pleaseFlood, 0, pleaseDeferOnce, 0, 0, pleaseFork,
	}
	wants := map[int]string{
		2: "exit: exit status 3: no convergence", 4: "signal: SIGHUP", 5: "signal: SIGHUP", 7: "nan: ",
		8: "no_number: gave no answer", 11: "no_number: stopped", 18: "exit: exit status 3",
	}
	for i, kind := range kinds {
		for _, procs := range some(i, 1, 3) {
			t.Run(fmt.Sprintf("%s, %d", kind.name, procs), func(t *testing.T) {
				t.Parallel()
				c := speaker(t, kind.config.Protocol, 3)
				c.EOF, c.Procs = kind.config.EOF, procs
				points := asking(pleases...)
				check(t, points, newRig(t, c, brief).mustAsk(points), wants)
			})
		}
	}
	t.Run("babble on lines", func(t *testing.T) {
		points := asking(0, pleaseBabble, 0, pleaseTwo, 0, 0, pleaseBabble, pleaseCut, 0)
		r := newRig(t, speaker(t, Lines, 3), brief)
		check(t, points, r.mustAsk(points), map[int]string{
			1: `no_number: "residual 1e-3"`, 3: "no_number: several", 6: "no_number: ", 7: "signal: ",
		})
	})
	t.Run("babble on JSON", func(t *testing.T) {
		points := asking(0, pleaseBabble, 0, pleaseErr, 0, 0, pleaseNobody, pleaseRepeat, 0)
		answers := newRig(t, speaker(t, JSON, 3), brief).mustAsk(points)
		check(t, points, answers, map[int]string{1: "no_number: no JSON", 3: "error: diverged", 6: "no_number: id 1007"})
	})
	t.Run("babble at the end", func(t *testing.T) {
		points := asking(0, pleaseBabble, 0, pleaseTwo, 0, pleaseCut, 0)
		c := speaker(t, Lines, 3)
		c.EOF = true
		r := newRig(t, c, brief)
		r.mustAsk(asking(0))
		check(t, points, r.mustAsk(points), map[int]string{1: "no_number: ", 3: "no_number: several", 5: "signal: "})
	})
}

func TestAProgramThatDiesNowAndThenCostsNothing(t *testing.T) {
	t.Parallel()
	for i, kind := range kinds[:3] {
		for _, status := range some(i, 0, 3, 75) {
			t.Run(fmt.Sprint(kind.name, " ", status), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, speaker(t, kind.config.Protocol, 3, "-die", "13", "-status", strconv.Itoa(status)), short)
				points := scattered(60, 3)
				check(t, points, r.mustAsk(points), nil)
			})
		}
	}
}

func TestAProgramThatDiesAtOnceFailsAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		c := speaker(t, kind.config.Protocol, 3, "-exit", "4")
		c.EOF = kind.config.EOF
		points := scattered(3, 3)
		const why = "exit: exit status 4: no licence"
		check(t, points, newRig(t, c, short).mustAsk(points), map[int]string{0: why, 1: why, 2: why})
	}
}

// What stops a run, and whether KeepGoing prevents it.
func TestWhatStopsARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about    string
		protocol Protocol
		eof      bool
		pleases  []float64
		args     []string
		want     string // in the error
		goOn     bool   // KeepGoing prevents it
	}{
		{"two lines", Lines, false, []float64{pleaseRepeat, 0}, nil, "more lines than it was given points", false},
		{"two lines later", Lines, false, []float64{0, 0, pleaseRepeat}, nil, "more lines than it was given points", false},
		{"two numbers", Lines, false, []float64{pleaseTwo, 0}, nil, `several numbers on a line, "1.5 2.5"`, true},
		{"nothing", Lines, false, []float64{pleaseLeave, 0}, nil, "printed nothing for its first point", true},
		{"nothing at once", Lines, false, []float64{0, 0}, []string{"-exit", "0"}, "printed nothing for its first point", true},
		{"JSON: nothing", JSON, false, []float64{pleaseLeave, 0}, nil, "printed nothing for its first point", true},
		{"JSON: babble", JSON, false, []float64{pleaseBabble, 0}, nil, "is no JSON object", true},
		{"JSON: unknown id", JSON, false, []float64{pleaseNobody, 0}, nil, "the id 1001", true},
		{"JSON: two values", JSON, false, []float64{pleaseDiffer, 0}, nil, "answered the id 1 twice, with", false},
		{"JSON: two values later", JSON, false, []float64{0, 0, 0, pleaseDiffer}, nil, "answered the id 4 twice, with", false},
		{"binary: surplus", Binary, false, []float64{0, 0, pleaseRepeat}, nil, "wrote more than it was asked", false},
		{"binary: one byte", Binary, false, []float64{pleaseBabble, 0}, nil, "wrote more than it was asked", false},
		{"binary: nothing", Binary, false, []float64{pleaseLeave, 0}, nil, "wrote nothing for its first point", true},
		{"eof: two lines", Lines, true, []float64{0, pleaseRepeat, 0}, nil, "more lines than it was given points", false},
		{"eof: surplus without an end of line", Lines, true, []float64{0, 0}, []string{"-surplus", "17"}, `line is "17"`, false},
		{"eof: two numbers", Lines, true, []float64{0, pleaseTwo}, nil, "several numbers", true},
		{"eof: nothing", Lines, true, []float64{0, 0}, []string{"-exit", "0"}, "printed nothing for its first point", true},
	} {
		for _, keepGoing := range []bool{false, true} {
			if keepGoing && !c.goOn && !*flags.Whole {
				continue
			}
			t.Run(fmt.Sprintf("%s, %v", c.about, keepGoing), func(t *testing.T) {
				t.Parallel()
				config := speaker(t, c.protocol, 3, c.args...)
				config.EOF, config.KeepGoing = c.eof, keepGoing
				p := short
				p.doubt, p.longDoubt = 50*time.Millisecond, 50*time.Millisecond
				r := newRig(t, config, p)
				_, err := r.ask(t.Context(), asking(c.pleases...))
				if err == nil && !(keepGoing && c.goOn) {
					err = r.close() // surplus that comes late is noticed there
				}
				switch {
				case keepGoing && c.goOn && err != nil:
					t.Errorf("with KeepGoing: %v", err)
				case !(keepGoing && c.goOn) && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("%v, want %q", err, c.want)
				case err != nil && strings.Contains(err.Error(), "\n"):
					t.Errorf("more than one line: %q", err)
				}
			})
		}
	}
}

func TestCloseNoticesSurplusNumbers(t *testing.T) {
	t.Parallel()
	for surplus, want := range map[string]bool{"": false, "good bye|": false, "1.5|": true, "bye|1.5": true} {
		r := newRig(t, speaker(t, Lines, 3, "-surplus", surplus), short)
		r.mustAsk(scattered(2, 3))
		if err := r.close(); (err != nil) != want {
			t.Errorf("%q: %v", surplus, err)
		}
	}
}

func TestMachineFailures(t *testing.T) {
	t.Parallel()
	for i, kind := range kinds {
		for _, retries := range some(i, 0, 1, 2) {
			c := speaker(t, kind.config.Protocol, 3)
			c.EOF, c.Retries = kind.config.EOF, &retries
			r := newRig(t, c, short)
			please := map[bool]float64{true: pleaseKill, false: pleaseDefer}[retries == 1]
			answers, err := r.ask(t.Context(), asking(0, 0, please, 0))
			machine, ok := errors.AsType[*MachineError](err)
			if !ok || machine.Query != 3 || machine.Tries != retries+1 || machine.Advice == "" {
				t.Errorf("%s: %v (%+v)", kind.name, err, machine)
			}
			if answers[0].Failure != nil || answers[2].Failure != nil {
				t.Errorf("%s: %+v", kind.name, answers)
			}
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, r *rig) {
		good := scattered(2, 3)
		check(t, good, r.mustAsk(good), nil)
		r.config.Timeout = 30 * time.Millisecond // a limit only for points that hang
		bad := asking(pleaseHang, pleaseStay)
		const why = "timeout: no answer within 30ms"
		check(t, bad, r.mustAsk(bad), map[int]string{0: why, 1: why})
		r.config.Timeout = 0
		check(t, good, r.mustAsk(good), nil)
		if *flags.Whole {
			r.config.Timeout = 3 * time.Second
			points := asking(0, 0, pleaseHang, 0, 0, pleaseStay, 0)
			const why = "timeout: no answer within 3s"
			check(t, points, r.mustAsk(points), map[int]string{2: why, 5: why})
		}
	})
}

// A context that ends while the program hangs.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		why := errors.New("enough")
		p := short
		p.silence = time.Nanosecond
		r.config.Note = func(string) { cancel(why) } // the sign that it hangs
		if s, ok := r.slots[0].(*kept); ok {
			s.patience = p
		} else {
			time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
		}
		if _, err := r.ask(ctx, asking(pleaseHang, 0)); err != why {
			t.Errorf("%v, want %v", err, why)
		}
		points := scattered(3, 3) // it goes on
		check(t, points, r.mustAsk(points), nil)
		if _, err := r.ask(ctx, points); err != why {
			t.Errorf("%v, want %v", err, why)
		}
	})
}

func TestSilenceIsNotedOnce(t *testing.T) {
	t.Parallel()
	c := speaker(t, Lines, 3, "-end")
	c.Procs, c.Timeout = 2, 30*time.Millisecond
	p := short
	p.silence = time.Millisecond
	r := newRig(t, c, p)
	r.mustAsk(scattered(4, 3))
	if len(r.notes) != 1 || !strings.Contains(r.notes[0], "--eof") || strings.HasSuffix(r.notes[0], ".") {
		t.Errorf("notes %q", r.notes)
	}
}

// A program that stops reading has still answered what it has read.
func TestAProgramThatClosesItsInput(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			args := []string{"-deaf", "2"}
			if kind.end != "" {
				args = append(args, kind.end)
			}
			c := speaker(t, kind.config.Protocol, 3, args...)
			c.EOF = kind.config.EOF
			points := scattered(5, 3)
			check(t, points, newRig(t, c, short).mustAsk(points), nil)
		})
	}
}

// It may stay alive. Then the point that could not be written is asked elsewhere.
func TestAProgramThatClosesItsInputAndStays(t *testing.T) {
	t.Parallel()
	r := newRig(t, speaker(t, Lines, 3, "-deaf", "2", "-linger"), brief)
	r.slots[0].(*kept).dialect = oneByOne{}
	points := scattered(5, 3)
	check(t, points, r.mustAsk(points), nil)
	r.slots[0].(*kept).drop() // it would not end by itself
}

// oneByOne are lines, one at a time.
type oneByOne struct{ lines }

func (oneByOne) window(float64) int { return 1 }

// A process that has escaped from its family holds the pipes open.
func TestAProgramWhoseChildEscapes(t *testing.T) {
	if !*flags.Whole {
		t.Skip("waits for seconds: -whole")
	}
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			c := speaker(t, kind.config.Protocol, 3)
			c.EOF = kind.config.EOF
			points := asking(0, pleaseEscape, 0)
			check(t, points, newRig(t, c, short).mustAsk(points), map[int]string{1: "exit: exit status 3"})
		})
	}
}

// Which of several points takes too long is known only if they are answered in turn.
func TestWhoIsOverdue(t *testing.T) {
	for _, c := range []struct {
		dialect     dialect
		sent        int
		told, again int
	}{
		{lines{}, 3, 0, 3}, {lines{}, 1, 1, 0}, {newJSONLines(nil), 3, 0, 3}, {newJSONLines(nil), 1, 1, 0},
		{binaries{}, 3, 0, 3}, {binaries{}, 1, 1, 0}, {lines{}, 0, 0, 0},
	} {
		h := newHearing(c.dialect, c.sent)
		h.overdue(h.queue)
		if len(h.told) != c.told || len(h.suspects) != c.again || len(h.sent) != 0 {
			t.Errorf("%T, %d points: %v told, %d asked again", c.dialect, c.sent, h.told, len(h.suspects))
		}
		if a := h.told[1]; c.told > 0 && (a.Failure == nil || a.Failure.Kind != objective.TimedOut) {
			t.Errorf("%T: %+v", c.dialect, a)
		}
	}
}

// The machine is not blamed on one of several points.
func TestBlame(t *testing.T) {
	machine := &MachineError{Reason: "killed"}
	for _, c := range []struct {
		sent, asked int
		machine     error
		told, again int
		stops       bool
	}{
		{1, 1, nil, 1, 0, false}, {1, 2, nil, 0, 1, false}, {2, 2, nil, 0, 2, false}, {0, 3, nil, 0, 0, false},
		{1, 1, machine, 0, 1, true}, {2, 2, machine, 0, 2, false}, {0, 2, machine, 0, 0, false},
	} {
		h := newHearing(lines{}, c.sent)
		h.asked = c.asked
		h.config.Retries = new(int)
		err := h.blame(h.queue, noNumber("dead"), c.machine)
		if (err != nil) != c.stops {
			t.Errorf("%+v: %v", c, err)
		}
		if !c.stops && (len(h.told) != c.told || len(h.suspects) != c.again) {
			t.Errorf("%+v: %d told, %d asked again", c, len(h.told), len(h.suspects))
		}
	}
}

func TestAProgramThatNeverReads(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			c := speaker(t, kind.config.Protocol, 3000, "-sleep")
			c.EOF, c.Timeout = kind.config.EOF, 30*time.Millisecond
			points := scattered(2, 3000)
			const why = "timeout: "
			check(t, points, newRig(t, c, short).mustAsk(points), map[int]string{0: why, 1: why})
		})
	}
}

func TestAProgramThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		c := Config{Exec: []string{"/no/such/program"}, Protocol: kind.config.Protocol, EOF: kind.config.EOF, Names: names(3)}
		_, err := newRig(t, c, short).ask(t.Context(), scattered(3, 3))
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/no/such/program could not be started") {
			t.Error(err)
		}
	}
	retries := 2
	c := Config{Protocol: Lines, Retries: &retries, Exec: []string{"sim"}}
	for _, s := range []slot{
		&kept{base: base{config: &c, starter: &refuser{}, experience: &experience{}, dialect: lines{}}},
		&whole{base{config: &c, starter: &refuser{}, experience: &experience{}, dialect: lines{}}},
	} {
		q := newQueue(t.Context(), scattered(3, 3), 1, func(int, objective.Answer) { t.Error("answered") })
		err := q.run(t.Context(), []slot{s})
		if m, ok := errors.AsType[*MachineError](err); !ok || m.Tries != 3 || m.Query != 1 || !errors.Is(err, syscall.EAGAIN) {
			t.Error(err)
		}
	}
}

// A refuser cannot start anything.
type refuser struct{}

func (*refuser) Run(guardian.Command) (*guardian.Process, error) { return nil, syscall.EAGAIN }

// The environment says which slot, attempt and query a process was started for.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	r := newRig(t, speaker(t, Lines, 3), short)
	r.mustAsk(asking(0, 0, 0, 0))
	for _, c := range []struct{ please, want float64 }{
		{0, 1_01_01_01}, {pleaseExit, 1_01_08_01}, {pleaseDeferOnce, 1_02_09_01},
	} {
		answers := r.mustAsk(asking(c.please, pleaseTell))
		if answers[1].Value != c.want {
			t.Errorf("after %v: %.0f, want %.0f", c.please, answers[1].Value, c.want)
		}
	}
}
