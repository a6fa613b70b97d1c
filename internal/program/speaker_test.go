package program

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// What the first coordinate of a point makes the program "speaker" do.
const (
	pleaseExit      = 1001 + iota // exit status 3
	pleaseCrash                   // SIGHUP
	pleaseBabble                  // an answer that is no number
	pleaseHang                    // also after SIGTERM
	pleaseNaN                     //
	pleaseTwo                     // two numbers
	pleaseLeave                   // exit status 0
	pleaseDefer                   // exit status 75
	pleaseDeferOnce               // exit status 75 at the first attempt
	pleaseKill                    // SIGKILL
	pleaseRepeat                  // two answers
	pleaseHush                    // close stdout, and hang
	pleaseErr                     // an error, in JSON
	pleaseFlood                   // a megabyte to stderr
	pleaseNobody                  // an answer to another id
	pleaseCut                     // half an answer, then SIGHUP
	pleaseStay                    // hang until SIGTERM
	pleaseFork                    // leave a process behind that holds the pipes and SIGTERM does not end
	pleaseEscape                  // as pleaseFork, and nobody knows whose process it is
	pleaseTell                    // what is in the environment
	pleaseSkip                    // no answer, and go on
	pleaseDiffer                  // two answers that differ
	pleaseShift                   // a number before the answer
	pleaseHalve                   // a number without the end of the line, and leave
)

// f is the objective. Its value depends on the order of the coordinates.
func f(x []float64) float64 {
	v := 0.0
	for i, x := range x {
		v = float64(v*0.99) + math.Sqrt(float64((x-float64(i))*(x-float64(i)))+0.1)
	}
	return v
}

func init() { programs["speaker"] = speak }

// A talker is a program with bad manners, if it is asked to.
type talker struct {
	protocol string
	dim      int
	die      int    // after so many answers
	status   int    // its exit status then
	deaf     int    // close the input after so many points, and answer what was read
	surplus  string // printed at the end
	linger   bool   // hang at the end
	in       *bufio.Reader
	out      *bufio.Writer
	answers  int
	id       int
}

func speak(args []string) {
	var s talker
	flags := flag.NewFlagSet("speaker", flag.ExitOnError)
	flags.StringVar(&s.protocol, "protocol", "lines", "")
	flags.IntVar(&s.dim, "dim", 3, "")
	flags.IntVar(&s.die, "die", 0, "")
	flags.IntVar(&s.status, "status", 0, "")
	flags.IntVar(&s.deaf, "deaf", 0, "")
	flags.StringVar(&s.surplus, "surplus", "", "")
	flags.BoolVar(&s.linger, "linger", false, "")
	page := flags.Bool("page", false, "")
	end := flags.Bool("end", false, "answer at the end of the input")
	atOnce := flags.Int("exit", -1, "exit at once")
	sleep := flags.Bool("sleep", false, "never read")
	flags.Parse(args)
	if *page {
		for _, fd := range []int{0, 1, 2} {
			unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 4096)
		}
	}
	if *atOnce >= 0 {
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(*atOnce)
	}
	if *sleep {
		hang()
	}
	s.in, s.out = bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	if *end {
		s.out = bufio.NewWriterSize(os.Stdout, 1<<20)
	}
	for s.point() {
		if s.answers++; s.answers == s.deaf {
			os.Stdin.Close()
		}
		if !*end && s.in.Buffered() == 0 || s.protocol == "binary" {
			s.out.Flush()
		}
		if s.answers == s.die {
			s.out.Flush()
			os.Exit(s.status)
		}
	}
	s.out.WriteString(strings.ReplaceAll(s.surplus, "|", "\n"))
	s.out.Flush()
	if s.linger {
		hang()
	}
}

func hang() {
	signal.Ignore(syscall.SIGTERM)
	for {
		syscall.Pause()
	}
}

// point answers a point, or a frame of them. It returns false at the end of the input.
func (s *talker) point() bool {
	switch s.protocol {
	case "binary":
		var n uint32
		if binary.Read(s.in, binary.LittleEndian, &n) != nil {
			return false
		}
		d := s.dim
		text := make([]byte, int(n)*d*8)
		if _, err := io.ReadFull(s.in, text); err != nil {
			return false
		}
		for i := range int(n) {
			x := make([]float64, d)
			for j := range x {
				x[j] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*(i*d+j):]))
			}
			s.answer(x)
		}
	case "json":
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			return false
		}
		var q struct {
			ID int
			X  map[string]float64
		}
		if err := json.Unmarshal(line, &q); err != nil {
			panic(err)
		}
		x := make([]float64, len(q.X))
		for i := range x {
			x[i] = q.X["x"+strconv.Itoa(i+1)]
		}
		s.id = q.ID
		s.answer(x)
	default:
		line, err := s.in.ReadString('\n')
		if err != nil {
			return false
		}
		var x []float64
		for _, word := range strings.Split(strings.TrimSuffix(line, "\n"), " ") {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				panic(err)
			}
			x = append(x, v)
		}
		s.answer(x)
	}
	return true
}

func (s *talker) say(v float64) {
	switch s.protocol {
	case "binary":
		s.out.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	case "json":
		if math.IsNaN(v) {
			fmt.Fprintf(s.out, "{\"id\": %d, \"value\": NaN}\n", s.id)
			return
		}
		fmt.Fprintf(s.out, "{\"time\":\"NaN\", \"id\": %d, \"value\": %v}\n", s.id, v)
	default:
		fmt.Fprintln(s.out, v)
	}
}

func (s *talker) answer(x []float64) {
	switch x[0] {
	case pleaseExit:
		fmt.Fprint(os.Stderr, "warning\nno convergence\n")
		os.Exit(3)
	case pleaseCrash:
		die(syscall.SIGHUP)
	case pleaseKill:
		die(syscall.SIGKILL)
	case pleaseBabble:
		if s.protocol == "binary" {
			s.say(f(x))
			s.out.WriteString("x")
		} else {
			s.out.WriteString("residual 1e-3\n")
		}
	case pleaseHang:
		s.out.Flush()
		hang()
	case pleaseStay:
		s.out.Flush()
		for {
			syscall.Pause()
		}
	case pleaseFork, pleaseEscape:
		left := exec.Command(os.Args[0], "as", "speaker", "-sleep")
		left.Stdin, left.Stdout, left.Stderr = os.Stdin, os.Stdout, os.Stderr
		if x[0] == pleaseEscape {
			left.Env, left.SysProcAttr = []string{"A=B"}, &syscall.SysProcAttr{Setsid: true}
		}
		if err := left.Start(); err != nil {
			panic(err)
		}
		os.Exit(3)
	case pleaseTell:
		v := 0.0
		for _, name := range []string{"UNTWIST_PROC", "UNTWIST_ATTEMPT", "UNTWIST_QUERY", "PYTHONUNBUFFERED"} {
			n, _ := strconv.Atoi(os.Getenv(name))
			v = float64(v*100) + float64(n)
		}
		s.say(v)
	case pleaseSkip:
	case pleaseNaN:
		s.say(math.NaN())
	case pleaseTwo:
		s.out.WriteString("1.5 2.5\n")
	case pleaseLeave:
		s.out.Flush()
		os.Exit(0)
	case pleaseDefer:
		os.Exit(75)
	case pleaseDeferOnce:
		if os.Getenv("UNTWIST_ATTEMPT") == "1" {
			os.Exit(75)
		}
		s.say(f(x))
	case pleaseRepeat:
		s.say(f(x))
		s.say(f(x))
	case pleaseDiffer:
		s.say(f(x))
		s.say(f(x) + 1)
	case pleaseShift:
		s.say(12345)
		if s.protocol != "binary" {
			s.out.Flush()
			s.in.Peek(1) // until this is taken for the answer
		}
		s.say(f(x))
	case pleaseHalve:
		s.out.WriteString("1.5")
		s.out.Flush()
		os.Exit(0)
	case pleaseHush:
		s.out.Flush()
		os.Stdout.Close()
		hang()
	case pleaseErr:
		fmt.Fprintf(s.out, "{\"id\":%d,\"error\":\"diverged\"}\n", s.id)
	case pleaseFlood:
		os.Stderr.WriteString(strings.Repeat("All work and no play.\n", 50000))
		s.say(f(x))
	case pleaseNobody:
		s.id += 1000
		s.say(f(x))
	case pleaseCut:
		s.out.WriteString("1.")
		s.out.Flush()
		die(syscall.SIGHUP)
	default:
		s.say(f(x))
	}
}

// die dies of a signal.
func die(sig syscall.Signal) {
	syscall.Kill(os.Getpid(), sig)
	for {
		syscall.Pause()
	}
}
