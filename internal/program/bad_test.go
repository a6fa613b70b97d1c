package program

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// A fate is what a bad program does at a point. The point alone decides.
type fate int

const (
	goesWell fate = iota
	crashes       // exit status 3
	signals       // a signal of its own making
	hangsUp       // for ever
	garbles       // no number
	floods        // a megabyte to stderr, and then the value
	forks         // a child that ignores SIGTERM and holds all files open, and then the value
)

// fateOf is the fate of a point: a crash for 5 % (half of them by a signal), a hang for
// 1 %, garbage for 1 %.
func fateOf(x []float64) fate {
	h := fnv.New64a()
	for _, v := range x {
		fmt.Fprintf(h, "%x", math.Float64bits(v))
	}
	n := h.Sum64() % 1000
	for _, c := range []struct {
		below uint64
		fate
	}{{25, crashes}, {50, signals}, {60, hangsUp}, {70, garbles}, {90, floods}, {100, forks}} {
		if n < c.below {
			return c.fate
		}
	}
	return goesWell
}

// sphere is the bad program's function.
func sphere(x []float64) (v float64) {
	for _, x := range x {
		v += float64(x * x)
	}
	return v
}

const (
	mark       = "UNTWIST_BAD_PROGRAM" // is in the environment of all processes of a bad program
	diesAfter  = 500                   // answers, if it is kept
	coordinate = 4                     // how many a point has
)

func init() {
	programs["bad"] = func(args []string) { misbehave(args[0], args[1] == "hang", args[2:]) }
	programs["stubborn"] = func([]string) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		forever()
	}
}

// misbehave is the bad program, for a protocol.
func misbehave(protocol string, hangs bool, args []string) {
	in := bufio.NewReader(os.Stdin)
	for n := 0; n < diesAfter; n++ {
		id, x := 0, []float64{}
		switch Protocol(protocol) {
		case Once:
			x = numbers(args)
		case Lines:
			line, err := in.ReadString('\n')
			if err != nil {
				os.Exit(0)
			}
			x = numbers(strings.Fields(line))
		case JSON:
			line, err := in.ReadString('\n')
			if err != nil {
				os.Exit(0)
			}
			var question struct {
				ID int
				X  struct{ A, B, C, D float64 }
			}
			if json.Unmarshal([]byte(line), &question) != nil {
				os.Exit(9)
			}
			id, x = question.ID, []float64{question.X.A, question.X.B, question.X.C, question.X.D}
		case Binary:
			binaryAnswers(in, hangs, &n)
			continue
		}
		garbled := happen(fateOf(x), hangs)
		switch {
		case garbled:
			fmt.Println("*** garbage ***")
		case Protocol(protocol) == JSON:
			fmt.Printf("{\"id\":%d,\"value\":%g}\n", id, sphere(x))
		default:
			fmt.Println(strconv.FormatFloat(sphere(x), 'g', -1, 64))
		}
		if Protocol(protocol) == Once {
			os.Exit(0)
		}
	}
	os.Exit(1)
}

// forever waits for what does not come.
func forever() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR2)
	<-never
}

// binaryAnswers answers one message.
func binaryAnswers(in io.Reader, hangs bool, n *int) {
	var count uint32
	if binary.Read(in, binary.LittleEndian, &count) != nil {
		os.Exit(0)
	}
	points, values := make([]float64, coordinate*int(count)), make([]float64, count)
	if binary.Read(in, binary.LittleEndian, points) != nil {
		os.Exit(9)
	}
	for i := range values {
		x := points[coordinate*i : coordinate*(i+1)]
		values[i] = sphere(x)
		if happen(fateOf(x), hangs) {
			values[i] = math.NaN()
		}
		*n++
	}
	binary.Write(os.Stdout, binary.LittleEndian, values)
}

func numbers(words []string) (x []float64) {
	for _, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil {
			os.Exit(9)
		}
		x = append(x, v)
	}
	return x
}

// happen lets a fate happen, and reports whether the answer is to be garbage.
func happen(what fate, hangs bool) bool {
	switch what {
	case crashes:
		fmt.Fprintln(os.Stderr, "diverged")
		os.Exit(3)
	case signals:
		syscall.Kill(os.Getpid(), syscall.SIGHUP)
		forever()
	case hangsUp:
		if hangs {
			signal.Ignore(syscall.SIGTERM)
			forever()
		}
	case garbles:
		return true
	case floods:
		os.Stderr.Write(bytes.Repeat([]byte("trouble\n"), 1<<17))
	case forks:
		child := exec.Command(os.Args[0], "as", "stubborn")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if child.Start() != nil {
			os.Exit(9)
		}
	}
	return false
}

// expected is the kind of failure at a point; ok says that it is fine.
func expected(p Protocol, x []float64, hangs bool) (kind objective.FailureKind, ok bool) {
	switch what := fateOf(x); {
	case what == crashes:
		return objective.BadExit, false
	case what == signals:
		return objective.BadSignal, false
	case what == hangsUp && hangs:
		return objective.TimedOut, false
	case what == garbles && p == Binary:
		return objective.NotANumber, false
	case what == garbles:
		return objective.NoNumber, false
	}
	return 0, true
}

// alive returns the processes of bad programs.
func alive(t *testing.T, id string) (pids []string) {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(all) == 0 {
		t.Fatalf("/proc cannot be read: %v", err)
	}
	for _, path := range all {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(mark+"="+id+"\x00")) {
			pids = append(pids, path)
		}
	}
	return pids
}

// Whatever a program does, good points have the right value, failures are counted by their
// reason, and nothing is left behind.
func TestABadProgram(t *testing.T) {
	for _, c := range []struct {
		protocol   Protocol
		few, whole int
	}{{Once, 24, 900}, {Lines, 150, 2400}, {JSON, 150, 2400}, {Binary, 150, 2400}} {
		t.Run(string(c.protocol), func(t *testing.T) {
			n, hangs := flags.Usually(c.few, c.few/2), "no"
			if *flags.Whole {
				n, hangs = c.whole, "hang"
			}
			badRun(t, c.protocol, n, hangs)
		})
	}
}

func badRun(t *testing.T, p Protocol, n int, hangs string) {
	id := fmt.Sprintf("%s-%d", p, os.Getpid())
	t.Setenv(mark, id)
	config := Config{Exec: as(t, "bad", string(p), hangs), Names: []string{"a", "b", "c", "d"}, Protocol: p, Procs: 4, KeepGoing: true}
	if p == Once {
		config.Exec = append(config.Exec, "{all}")
	}
	if hangs == "hang" {
		config.Timeout = 2 * time.Second
	}
	tr := try(t, config)
	random := rand.New(rand.NewPCG(3, 4))
	fine, wanted, counted := 0, map[objective.FailureKind]int{}, map[objective.FailureKind]int{}
	for begin := 0; begin < n; begin += n / 3 {
		var points []float64
		for range coordinate * (n / 3) {
			points = append(points, random.NormFloat64())
		}
		ctx := query.WithNumbers(t.Context(), func(i int) int { return begin + i + 1 })
		answers, err := tr.ask(ctx, points...)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			x := points[coordinate*i : coordinate*(i+1)]
			kind, ok := expected(p, x, hangs == "hang")
			switch {
			case !ok:
				wanted[kind]++
			case a.Value != sphere(x):
				t.Errorf("query %d has the value %v (%v), want %v", begin+i+1, a.Value, a.Failure, sphere(x))
			}
			if ok {
				fine++
			}
			if a.Failure != nil {
				counted[a.Failure.Kind]++
				if ok || a.Failure.Kind != kind {
					t.Errorf("query %d failed: %v (%v), want %v", begin+i+1, a.Failure.Kind, a.Failure, kind)
				}
			}
		}
	}
	total := 0
	for _, kind := range objective.FailureKinds() {
		if total += wanted[kind]; wanted[kind] != counted[kind] {
			t.Errorf("%d points failed by %v, want %d", counted[kind], kind, wanted[kind])
		}
	}
	t.Logf("%d fine, failed %v", fine, counted)
	if fine < n/2 || total == 0 {
		t.Errorf("%d points are fine and %d are not, which shows little", fine, total)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if left := alive(t, id); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
	if _, kept := tr.Kept(); kept != min(total, DefaultKeepFailed) || len(leftBehind(t)) != kept {
		t.Errorf("%d folders are kept, and there are %q", kept, leftBehind(t))
	}
}
